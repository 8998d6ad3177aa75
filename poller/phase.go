package poller

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/wire"
)

// A phase says what is left to read of an operation. It is the only state that
// decides which URL is read, how much of it, and which function judges the answer:
//
//	phase       reads                                  limit               judge            next
//	unfollowed  nothing                                                    Strategy.Step    any, when resumed with options that can follow it
//	polling     the status: Poll, or Poll and Else     MaxStatusBytes, or  Strategy.Step    polling, reading, ended
//	            in turn                                MaxResultBytes
//	                                                   after Move.Inline
//	reading     the result: the Result's URL           MaxResultBytes      judgeResult      reading, ended
//	ended       nothing                                                                     reading, if a body that has a URL cannot be decoded
//
// The first response is judged by Strategy.Step and may lead to any phase.
// Unfollowed exists only in tokens: New, Begin and Resume return no Poller for it.
// Only Result, PollUntilDone and Group read in phase reading.
type phase string

const (
	unfollowed phase = "unfollowed" // the service accepted the operation, but these options cannot follow it
	polling    phase = "polling"    // in progress
	reading    phase = "reading"    // succeeded; the result is at a URL that has not been read
	ended      phase = "ended"      // succeeded with its result, failed, or canceled
)

// phaseAfter returns the phase of an operation with this state and result. It
// is the transition function: every change of phase goes through it and enter.
func phaseAfter(s State, r *result) phase {
	switch {
	case !s.Terminal():
		return polling
	case s == Succeeded && r != nil && !r.URL.IsZero() && r.Body == nil:
		return reading
	}
	return ended
}

// enter changes the phase and clears the state of the previous one.
func (r *record) enter(p phase) {
	r.Phase = p
	if p == polling {
		return
	}
	// The failure count restarts when reading starts, and the read is due at once.
	r.Failures, r.Lost, r.Now, r.Held, r.Asked = nil, "", 0, false, false
	r.Else, r.Monitor, r.First = link{}, link{}, nil
	r.Next, r.Pause = r.LastRead, 0
}

// A judge decides what an answer means.
type judge func(c *core, r *record, ans wire.Answer) sighting

// task returns the URL that the phase reads, the size limit, and the judge of the
// answer.
func (c *core) task(r *record) (link, wire.Limit, judge) {
	switch {
	case r.Phase == reading:
		return r.Result.URL, c.resultLimit(), (*core).judgeResult
	case r.Inline:
		return r.Poll, c.resultLimit(), (*core).judgeStatus
	}
	return r.Poll, c.statusLimit(), (*core).judgeStatus
}

// judgeStatus asks the strategy what an answer to a status read means. The
// strategy does not see the codes that mean the same in every protocol.
func (c *core) judgeStatus(r *record, ans wire.Answer) sighting {
	s := sighting{Answer: c.answer(r, ans), whole: true}
	switch {
	case ans.Code == http.StatusUnauthorized, ans.Code == http.StatusForbidden, ans.Code == http.StatusRequestTimeout,
		ans.Code == http.StatusTooManyRequests, ans.Code >= 500:
		s.err = wire.Refusal(http.MethodGet, ans, nil)
		return s
	}
	var err error
	if s.move, err = c.step(s.Answer); err != nil {
		s.whole = !errors.Is(err, errNotJSON) // a gateway's 4xx is not the service's refusal
		s.err = wire.Refusal(http.MethodGet, ans, reasonNextTo(ans.Code, err))
	}
	return s
}

// judgeResult accepts any JSON. A resource that was just created may be
// published late, or still be answered with 202; nothing else is checked, because
// the operation has succeeded.
func (c *core) judgeResult(r *record, ans wire.Answer) sighting {
	s := sighting{Answer: c.answer(r, ans), whole: true}
	var why error
	switch {
	case ans.Code == http.StatusAccepted:
		why = errors.New("the result is not ready")
	case ans.Code < 200 || ans.Code > 299:
	case jsonread.IsEmpty(ans.Body) || json.Valid(ans.Body):
		return s
	default:
		why = errNotJSON
	}
	s.err = wire.Refusal(http.MethodGet, ans, why)
	return s
}

// answer returns the answer to a read in the form that a strategy sees.
func (c *core) answer(r *record, ans wire.Answer) Answer {
	rules := r.override(c.settings)
	a := Answer{
		Method: r.Method, Target: r.Target.text, FinalStateVia: rules.Via, Words: rules.Words,
		URL: r.Poll.text, Poll: r.Poll.text,
		Code: ans.Code, Header: ans.Header, Body: ans.Body,
		Memo: r.Memo, Age: max(now().Sub(r.Began), 0), Status: *r.Status,
	}
	if ans.URL != nil && ans.URL != r.Poll.url && (r.Poll.url == nil || *ans.URL != *r.Poll.url) {
		a.URL = newLink(ans.URL.String()).text // a redirect led elsewhere
	}
	return a
}

// step asks the strategy, and rejects a memo that a token cannot hold, so that the
// operation can still be resumed.
func (c *core) step(a Answer) (Move, error) {
	move, err := c.Strategy.Step(a)
	if len(move.Memo) > 0 && string(move.Memo) != string(a.Memo) && !fitsToken(move.Memo) {
		return Move{}, errors.New("the strategy's Memo is not JSON, or is nested deeper than a token can hold")
	}
	return move, err
}
