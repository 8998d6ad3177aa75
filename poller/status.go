package poller

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// A State is what an operation's status means, whatever its protocol. The zero
// State means the same as [InProgress].
type State string

// The states of an operation. All but InProgress are terminal (asynchronous API
// reference, "ProvisioningState property").
const (
	InProgress State = "InProgress"
	Succeeded  State = "Succeeded"
	Failed     State = "Failed"
	Canceled   State = "Canceled"
)

// Terminal reports whether an operation in this state has ended.
func (s State) Terminal() bool { return s == Succeeded || s == Failed || s == Canceled }

// stateOf normalises a service's word. Completed (quirks W7, W55) and Cancelled
// (quirks, section A.6) are seen in the wild beside the three words of the
// specification; every other word is in progress.
func stateOf(word string, words map[string]State) State {
	word = strings.TrimSpace(word)
	if len(words) > 0 {
		if s, ok := words[strings.ToLower(word)]; ok {
			return s
		}
	}
	switch {
	case lowersTo(word, "succeeded"), lowersTo(word, "completed"):
		return Succeeded
	case lowersTo(word, "failed"):
		return Failed
	case lowersTo(word, "canceled"), lowersTo(word, "cancelled"):
		return Canceled
	}
	return InProgress
}

// lowersTo reports whether strings.ToLower makes lower, which is ASCII, of word.
// strings.EqualFold takes letters for the same that ToLower does not.
func lowersTo(word, lower string) bool {
	for _, r := range word {
		if lower == "" || unicode.ToLower(r) != rune(lower[0]) {
			return false
		}
		lower = lower[1:]
	}
	return lower == ""
}

// A Status is what is known of an operation. The zero value of a field means
// that the service did not tell.
type Status struct {
	State State  // normalised
	Word  string // the service's own word, as it wrote it

	PercentComplete *float64 // 0 to 100; nil where the service tells none
	StartTime       time.Time
	EndTime         time.Time
	ID, Name        string            // of the operation
	Operations      []Status          // nested operations, one level deep
	Error           *lroerrors.Detail // the service's error, if there is one

	StatusCode int    // HTTP status of the answer that told this
	RequestID  string // its x-ms-request-id

	Unconfirmed bool // it told success, as Word says, and Options.Confirm has yet to say so; the State is InProgress

	NextPoll time.Time // when the next read is due; zero when the operation has ended
	ReadErr  error     // the last read failed, this is what was known before; nil when it did not
}

// String returns state, word and progress for people. It holds no URL.
func (s Status) String() string {
	var b strings.Builder
	state := s.State
	if state == "" {
		state = InProgress
	}
	if state == InProgress || state.Terminal() {
		b.WriteString(string(state))
	} else {
		b.WriteString(wire.Text(string(state))) // of a strategy that has its own
	}
	if s.Word != "" && !strings.EqualFold(s.Word, string(state)) {
		fmt.Fprintf(&b, " %q", wire.Text(s.Word))
	}
	if s.PercentComplete != nil {
		fmt.Fprintf(&b, " %g%%", *s.PercentComplete)
	}
	if s.Unconfirmed {
		b.WriteString(", told success, not confirmed")
	}
	if s.Error != nil {
		fmt.Fprintf(&b, ": %s", s.Error.Error())
	}
	if s.ReadErr != nil {
		fmt.Fprintf(&b, "; last read: %s", wire.Text(s.ReadErr.Error()))
	}
	return b.String()
}
