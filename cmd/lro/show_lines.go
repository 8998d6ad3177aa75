package main

import (
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// textLines shows each status as a line of text: in the log of a build, or
// beside the records of -v.
type textLines struct{ *screen }

func (l *textLines) show(s poller.Status) {
	line := s.String()
	if !s.NextPoll.IsZero() {
		line += ", " + nextRead(s.NextPoll)
	}
	say(l.err, "%s\n", line)
}

func (l *textLines) end() {}

// nextRead tells when the next read is due.
func nextRead(t time.Time) string {
	if d := time.Until(t); d >= 10*time.Millisecond {
		return "next read in " + short(d)
	}
	return "reading"
}

// short writes a duration for people: to the second where there is one.
func short(d time.Duration) string {
	if d < time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// jsonLines shows each status as a line of JSON.
type jsonLines struct{ *screen }

// A statusLine is what a line of JSON tells of a status. The service's own words
// are shortened and without what may be a credential.
type statusLine struct {
	State       poller.State `json:"state"`
	Word        string       `json:"word,omitempty"`
	Percent     *float64     `json:"percentComplete,omitempty"`
	Unconfirmed bool         `json:"unconfirmed,omitempty"`
	NextPoll    *time.Time   `json:"nextPoll,omitempty"`
	ReadError   string       `json:"readError,omitempty"`
	RequestID   string       `json:"requestId,omitempty"`
}

func (l *jsonLines) show(s poller.Status) {
	line := statusLine{State: s.State, Word: text(s.Word), Percent: s.PercentComplete, Unconfirmed: s.Unconfirmed, RequestID: text(s.RequestID)}
	if line.State == "" {
		line.State = poller.InProgress
	}
	if !s.NextPoll.IsZero() {
		next := s.NextPoll.UTC()
		line.NextPoll = &next
	}
	if s.ReadErr != nil {
		line.ReadError = text(s.ReadErr.Error())
	}
	_ = writeLine(l.err, map[string]statusLine{"status": line})
}

func (l *jsonLines) end() {}

// text returns a service's words on one line, without what may be a credential
// and without what a terminal would obey: the errors of this module know how.
func text(s string) string { return lroerrors.AdditionalInfo{Type: s}.String() }
