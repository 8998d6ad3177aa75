package document

import (
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// runningWords are the words that services commonly use for a running operation (quirks W10
// and A.6/running), without spaces, dashes and underscores. docs/moves.md lists them.
var runningWords = map[string]bool{
	"accepted": true, "canceling": true, "cancelling": true, "creating": true, "deleting": true,
	"dequeued": true, "enqueued": true, "inprogress": true, "moving": true, "notstarted": true,
	"pending": true, "processing": true, "provisioning": true, "queued": true, "requested": true,
	"running": true, "started": true, "starting": true, "updating": true, "waiting": true,
}

var separators = strings.NewReplacer(" ", "", "-", "", "_", "")

// IsRunning reports whether a word is one that services commonly use for a running operation. The
// caller's Words take precedence.
func IsRunning(a *strategy.Answer, word string) bool {
	if a.State(word) != strategy.InProgress {
		return false
	}
	return runningWords[separators.Replace(strings.ToLower(strings.TrimSpace(word)))]
}

// OperationStatus is like StatusOf, but for the word of an operation document. An unknown word that
// ends in "failed", such as TestFailed, means Failed if the document has an error (recorded shapes,
// section 1). Any other unknown word is in progress, even next to an error (section 9).
func (d *Document) OperationStatus(a *strategy.Answer, word string) strategy.Status {
	s := d.StatusOf(a, word)
	if isError(s.Detail) && endsIn(a, word, "failed") {
		s.State = strategy.Failed
	}
	return s
}

// IsUnknownSuccess reports whether a word is unknown and ends in "succeeded", such as TestSucceeded,
// in a document without an error.
func IsUnknownSuccess(a *strategy.Answer, s *strategy.Status) bool {
	return endsIn(a, s.Word, "succeeded") && !isError(s.Detail)
}

// endsIn reports whether a word that the caller's Words do not list has the given ending.
func endsIn(a *strategy.Answer, word, ending string) bool {
	word = strings.TrimSpace(word)
	start := max(len(word)-len(ending), 0)
	if !strings.EqualFold(word[start:], ending) { // nearly always, so that a poll allocates nothing here
		return false
	}
	_, isListed := a.Words[strings.ToLower(word)]
	return !isListed
}

// isError reports whether an error says anything: it has a message, or a code other than None.
func isError(d *lroerrors.Detail) bool {
	if d == nil {
		return false
	}
	text := strings.ToLower(d.Code + d.Message)
	return text != "" && text != "none"
}
