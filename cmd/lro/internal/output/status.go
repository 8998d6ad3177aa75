package output

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A statusLine is a status as a line of JSON. Words from the service are shortened and redacted.
type statusLine struct {
	Target      string       `json:"target,omitempty"`
	State       poller.State `json:"state"`
	Word        string       `json:"word,omitempty"`
	Percent     *float64     `json:"percentComplete,omitempty"`
	Unconfirmed bool         `json:"unconfirmed,omitempty"`
	NextPoll    *time.Time   `json:"nextPoll,omitempty"`
	ReadError   string       `json:"readError,omitempty"`
	RequestID   string       `json:"requestId,omitempty"`
}

func newStatusLine(status poller.Status) statusLine {
	line := statusLine{
		State:       status.State,
		Word:        Clean(status.Word),
		Percent:     status.PercentComplete,
		Unconfirmed: status.Unconfirmed,
		RequestID:   Clean(status.RequestID),
	}
	if line.State == "" {
		line.State = poller.InProgress
	}
	if !status.NextPoll.IsZero() {
		next := status.NextPoll.UTC()
		line.NextPoll = &next
	}
	if status.ReadErr != nil {
		line.ReadError = Clean(status.ReadErr.Error())
	}
	return line
}

// statusText returns a status as a line of text, for example for a build log.
func statusText(status poller.Status) string {
	next := nextRead(status)
	if next == "" {
		return status.String()
	}
	return status.String() + ", " + next
}

// describe returns a state, followed by the service's own word if it differs.
func describe(state poller.State, word string) string {
	word = Clean(word)
	if word == "" || strings.EqualFold(word, string(state)) {
		return string(state)
	}
	return fmt.Sprintf("%s (%s)", state, word)
}

// nextRead says when the next read is due, or that lro is reading now. It returns "" if no further
// read is due.
func nextRead(s poller.Status) string {
	if s.NextPoll.IsZero() {
		return ""
	}
	if s.State == poller.Succeeded && !s.Unconfirmed {
		return "reading the result"
	}
	if time.Until(s.NextPoll) < 10*time.Millisecond {
		return "reading"
	}
	return "next read " + in(s.NextPoll)
}

// in returns the time until t as text, such as "in 8s". It rounds to a second, or to 10 ms if less
// than a second is left.
func in(t time.Time) string {
	d := time.Until(t)
	if d < time.Second {
		return "in " + d.Round(10*time.Millisecond).String()
	}
	return "in " + d.Round(time.Second).String()
}

// Clean makes text from a service safe to print: on one line, shortened, redacted, and without
// terminal control sequences. AdditionalInfo.String does all this.
func Clean(s string) string { return lroerrors.AdditionalInfo{Type: s}.String() }

// say writes text. It ignores write errors, which could not be printed either.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// writeLine writes v as one line of JSON.
func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // keeps URLs readable
	return enc.Encode(v)
}
