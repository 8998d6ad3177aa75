package poller

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/poller/strategy"
)

// A phase says what is left to read of an operation. It determines which URL is read, how large the
// response may be, and which function interprets it:
//
//	phase       reads                                  limit               judge            next
//	unfollowed  nothing                                                    Strategy.Step    any, when resumed with options that can follow it
//	polling     the status: Poll, or Poll and Else     MaxStatusBytes, or  Strategy.Step    polling, reading, ended
//	            in turn                                MaxResultBytes
//	                                                   after Move.Inline
//	reading     the result: the Result's URL           MaxResultBytes      judgeResult      reading, ended
//	ended       nothing                                                                     reading, if a body that has a URL cannot be decoded
//
// Strategy.Step interprets the first response, which may lead to any phase. Only a token can be in
// phase unfollowed, because New, Begin and Resume return an error in place of a Poller in that
// phase. In phase reading, only Result, PollUntilDone and Group read.
type phase uint8

const (
	unfollowed phase = iota + 1 // the service accepted the operation, but these options cannot follow it
	polling                     // in progress
	reading                     // succeeded; the result is at a URL that has not been read
	ended                       // succeeded with its result, failed, or canceled
)

var phases = [...]string{unfollowed: "unfollowed", polling: "polling", reading: "reading", ended: "ended"}

// MarshalText implements [encoding.TextMarshaler].
func (p phase) MarshalText() ([]byte, error) { return []byte(phases[p]), nil }

// UnmarshalText sets p to zero, which is not a phase, if the text is not the name of one.
func (p *phase) UnmarshalText(b []byte) error {
	*p = phase(max(slices.Index(phases[:], string(b)), 0))
	return nil
}

// phaseAfter returns the phase of an operation that has the given state and result. A poller
// changes its phase only by calling enter.
func phaseAfter(s State, r *result) phase {
	switch {
	case !s.Terminal():
		return polling
	case s == Succeeded && r != nil && !r.URL.IsZero() && r.Body == nil:
		return reading
	}
	return ended
}

// enter changes the phase and clears the fields that belong to the previous phase.
func (r *record) enter(p phase) {
	r.Phase = p
	if p == polling {
		return
	}
	// In phase reading, the count of failed reads starts over, and the read of the result is due at
	// once.
	r.Failures, r.Now, r.Held, r.Asked = nil, 0, false, false
	r.Else, r.Monitor, r.First = "", "", nil
	r.Next, r.Pause = r.LastRead, 0
}

// task returns the URL that is read in the current phase, and the limit for the response.
func (c *core) task(r *record) (exchange.Link, wire.Limit) {
	switch {
	case r.Phase == reading:
		return r.Result.URL, c.resultLimit()
	case r.Inline:
		return r.Poll, c.resultLimit()
	}
	return r.Poll, c.statusLimit()
}

// judgeStatus lets the strategy interpret a response to a read of the status, unless the response
// has a status code that means the same in every protocol.
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
		s.whole = !errors.Is(err, strategy.ErrNotJSON) // a 4xx whose body is not JSON may come from a gateway
		s.err = wire.Refusal(http.MethodGet, ans, reasonNextTo(ans.Code, err))
	}
	return s
}

// judgeResult accepts any JSON, because the operation has succeeded. A 404 or a 202 is a failed
// read, which the poller repeats, because a service may be slow to publish a new resource.
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
		why = strategy.ErrNotJSON
	}
	s.err = wire.Refusal(http.MethodGet, ans, why)
	return s
}

// answer returns the Answer that is passed to the strategy.
func (c *core) answer(r *record, ans wire.Answer) strategy.Answer {
	rules := r.override(c.settings)
	to, _ := c.task(r)
	a := strategy.Answer{
		Method: r.Method, Target: string(r.Target), FinalStateVia: rules.Via, Words: rules.Words,
		URL: string(to), Poll: string(r.Poll),
		Code: ans.Code, Header: ans.Header, Body: ans.Body,
		Memo: r.Memo, Age: max(now().Sub(r.Began), 0), Status: *r.Status,
	}
	if ans.Moved {
		a.URL = string(exchange.NewLink(ans.URL.String()))
	}
	return a
}

// step calls the strategy's Step, and returns an error if a token cannot hold the memo.
func (c *core) step(a strategy.Answer) (strategy.Move, error) {
	move, err := c.Strategy.Step(a)
	if len(move.Memo) > 0 && string(move.Memo) != string(a.Memo) && !fitsToken(move.Memo) {
		return strategy.Move{}, errors.New("the strategy's Memo is not JSON, or is nested deeper than a token can hold")
	}
	return move, err
}
