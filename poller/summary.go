package poller

import (
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
}

// particulars are those of an operation resource. They are not changed.
type particulars struct {
	PercentComplete    *float64
	StartTime, EndTime time.Time
	ID, Name           string
	Operations         []Status
	Error              *lroerrors.Detail
}

func summarize(s Status) summary {
	sum := summary{State: s.State, Word: s.Word, StatusCode: s.StatusCode, RequestID: s.RequestID}
	if s.PercentComplete != nil || s.Error != nil || len(s.Operations) > 0 ||
		!s.StartTime.IsZero() || !s.EndTime.IsZero() || s.ID != "" || s.Name != "" {
		sum.more = &particulars{s.PercentComplete, s.StartTime, s.EndTime, s.ID, s.Name, s.Operations, s.Error}
	}
	return sum
}

// status is the Status that was summarized, without what the core adds to it.
func (s *summary) status() Status {
	st := Status{State: s.State, Word: s.Word, StatusCode: s.StatusCode, RequestID: s.RequestID}
	if m := s.more; m != nil {
		st.PercentComplete, st.StartTime, st.EndTime = m.PercentComplete, m.StartTime, m.EndTime
		st.ID, st.Name, st.Operations, st.Error = m.ID, m.Name, m.Operations, m.Error
	}
	return st
}

// told is what the next status is likely to repeat.
func (s *state) told() lastTold {
	t := lastTold{word: s.Status.Word, memo: s.memo}
	if more := s.Status.more; more != nil {
		t.id, t.name = more.ID, more.Name
	}
	return t
}
