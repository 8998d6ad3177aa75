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

// IsKnown reports whether the meaning of a word is known: it ends an operation, is commonly used for
// a running one, or is one of the caller's Words.
func IsKnown(a *strategy.Answer, word string) bool {
	if _, isCallers := a.Words[strings.ToLower(strings.TrimSpace(word))]; isCallers {
		return true
	}
	return a.State(word).Terminal() || IsRunning(a, word)
}

// OperationStatus is like StatusOf, but for the word of an operation document. An unknown word that
// ends in "failed", such as TestFailed, means Failed if the document has an error (recorded shapes,
// section 1). Any other unknown word is in progress, even next to an error (section 9).
func (d *Document) OperationStatus(a *strategy.Answer, word string) strategy.Status {
	s := d.StatusOf(a, word)
	if !endsIn(a, word, "failed") || !isError(s.Detail) {
		return s
	}
	s.State = strategy.Failed
	return s
}

// IsUnknownSuccess reports whether a word is unknown and ends in "succeeded", such as TestSucceeded,
// in a document without an error.
func IsUnknownSuccess(a *strategy.Answer, s *strategy.Status) bool {
	return endsIn(a, s.Word, "succeeded") && !isError(s.Detail)
}

func endsIn(a *strategy.Answer, word, end string) bool {
	word = strings.ToLower(strings.TrimSpace(word))
	return strings.HasSuffix(word, end) && !IsKnown(a, word)
}

// isError reports whether an error says anything: it has a message, or a code other than None.
func isError(d *lroerrors.Detail) bool {
	if d == nil {
		return false
	}
	hasCode := d.Code != "" && !strings.EqualFold(d.Code, "None")
	return hasCode || d.Message != ""
}
