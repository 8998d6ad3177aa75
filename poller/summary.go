package poller

import (
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
)

// A summary is a Status as a state keeps it. Most tell little more than a word,
// and a hundred thousand operations may wait at once.
type summary struct {
	State      State
	Word       string
	StatusCode int
	RequestID  string
	more       *particulars // nil: it tells none

	Correlation string // id of the answer that told this
}

// particulars are those of an operation resource. They are not changed.
type particulars struct {
	PercentComplete *float64
	StartTime       time.Time
	ID, Name        string
	rest            *rest // nil: it tells none
}

// rest is what few tell before the end.
type rest struct {
	EndTime    time.Time
	Operations []Status
	Error      *lroerrors.Detail
}

func summarize(s Status, correlation string) summary {
	sum := summary{State: s.State, Word: s.Word, StatusCode: s.StatusCode, RequestID: s.RequestID, Correlation: correlation}
	var more *rest
	if s.Error != nil || len(s.Operations) > 0 || !s.EndTime.IsZero() {
		more = &rest{s.EndTime, s.Operations, s.Error}
	}
	if more != nil || s.PercentComplete != nil || !s.StartTime.IsZero() || s.ID != "" || s.Name != "" {
		sum.more = &particulars{s.PercentComplete, s.StartTime, s.ID, s.Name, more}
	}
	return sum
}

// status is the Status that was summarized, without what the core adds to it.
func (s *summary) status() Status {
	st := Status{State: s.State, Word: s.Word, StatusCode: s.StatusCode, RequestID: s.RequestID}
	m := s.more
	if m == nil {
		return st
	}
	st.PercentComplete, st.StartTime, st.ID, st.Name = m.PercentComplete, m.StartTime, m.ID, m.Name
	if m.rest != nil {
		st.EndTime, st.Operations, st.Error = m.rest.EndTime, m.rest.Operations, m.rest.Error
	}
	return st
}

// lastTold is what the status before this one told, and the next is likely to repeat.
type lastTold struct {
	word string
	memo *knownMemo
	more *particulars // nil: it told none
	poll string       // where it was asked for
}

// told is what the next status is likely to repeat.
func (s *state) told() lastTold {
	return lastTold{word: s.Status.Word, memo: s.memo, more: s.Status.more, poll: s.Poll}
}

// named are the id and the name that a document is likely to repeat.
func (t *lastTold) named() (id, name string) {
	if t.more != nil {
		return t.more.ID, t.more.Name
	}
	return idIn(t.poll)
}

// idIn returns the path of a URL and its last segment: what id and name "should
// match" (asynchronous API reference, "Azure-AsyncOperation Resource format").
func idIn(rawURL string) (id, name string) {
	_, rest, _ := strings.Cut(rawURL, "://")
	path, _, _ := strings.Cut(rest, "?")
	i := max(strings.IndexByte(path, '/'), 0)
	return path[i:], path[strings.LastIndexByte(path, '/')+1:]
}
