package poller

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/lro-go/lro/internal/wire"
)

// answer is what a strategy is shown of an answer.
func (c *core) answer(s *state, ans wire.Answer, first bool) Answer {
	return Answer{
		First:         first,
		Method:        s.Method,
		Target:        s.Target,
		FinalStateVia: s.via(c.FinalStateVia),
		URL:           urlOf(ans),
		Code:          ans.Code,
		Header:        ans.Header,
		Body:          ans.Body,
		Memo:          s.memo.json(),
		Words:         s.words(c.Words),
		told:          s.told(),
	}
}

// step asks the strategy, and holds it to what a token can carry: an operation
// must not become one that cannot be resumed.
func (c *core) step(a Answer) (Move, error) {
	move, err := c.Strategy.Step(a)
	switch {
	case err != nil:
		return Move{}, err
	case move.memo == nil && len(move.Memo) > 0 && !bytes.Equal(move.Memo, a.Memo) && !fitsToken(move.Memo):
		return Move{}, errors.New("the strategy's Memo is not JSON, or nests deeper than a token can hold")
	case move.Cancel != nil && len(move.Cancel.Body) > 0 && !fitsToken(move.Cancel.Body):
		return Move{}, errors.New("the strategy's Cancel.Body is not JSON, or nests deeper than a token can hold")
	}
	return move, nil
}

// fitsToken reports whether b is JSON still where it stands within a token, for
// encoding/json goes to a depth of 10,000.
func fitsToken(b []byte) bool {
	const open, closed, deepest = "[[[[[[[[", "]]]]]]]]", 10_000
	if len(b) < deepest { // each level is two bytes at least
		return json.Valid(b)
	}
	return json.Valid(b) && json.Valid(slices.Concat([]byte(open), b, []byte(closed)))
}

// toldNothing keeps the reason why a 2xx told no status. What is an error by
// its code speaks for itself.
func toldNothing(code int, err error) error {
	if code >= 400 && errors.Is(err, ErrNoStatus) {
		return nil
	}
	return err
}

// seenByStrategy tells the codes that may mean something in some protocol from
// those that mean the same in every one.
func seenByStrategy(code int) bool {
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return code < 500
}

// adopt takes over what a strategy made of an answer.
func (c *core) adopt(s *state, ans wire.Answer, move Move) {
	if move.Poll != "" && move.Poll != s.Poll {
		if next, err := resolveRef(urlOf(ans), move.Poll); err == nil {
			s.Poll = next
		}
	}
	s.Inline, s.memo, s.Cancel = move.Inline, remembered(move, s.memo), move.Cancel
	if s.Cancel != nil {
		cancel := *s.Cancel
		cancel.URL = withoutUserInfo(encoded(cancel.URL))
		s.Cancel = &cancel
	}
	st := move.Status
	if !st.State.Terminal() {
		st.State = InProgress
	}
	st.StatusCode, st.RequestID = ans.Code, wire.RequestID(ans.Header)
	s.Status = summarize(st, wire.CorrelationID(ans.Header))
	s.Failing, s.Checking, s.First = nil, false, nil
	s.End = nil
	if s.Status.State == Succeeded {
		from := urlOf(ans)
		s.End = &success{Result: absolute(from, move.Result), From: withoutUserInfo(from)}
	}
	c.schedule(s, ans.Header, move.After)
	s.Now = move.Now && !s.done()
	c.reconsider(s, ans.Header)
}

// absolute resolves the URL of a result. One that does not parse stays: reading
// it will tell.
func absolute(from string, r Result) Result {
	if r.URL == "" {
		return r
	}
	if u, err := resolveRef(from, r.URL); err == nil {
		r.URL = u
	}
	return Result{URL: r.URL}
}

// reconsider lets the options have their say when an answer has told an end.
func (c *core) reconsider(s *state, h http.Header) {
	switch s.Status.State {
	case Succeeded:
		if c.Confirm != nil {
			c.putOff(s)
		}
	case Failed, Canceled:
		if c.Repeat != nil {
			c.repeatLater(s, h)
		}
	}
}
