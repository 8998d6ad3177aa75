package poller

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// crossChecks bounds how often a strategy may ask at once, in a row.
const crossChecks = 3

// poll makes one status read, unless another one finished while we waited for
// our turn and the next is not yet due. seen is the number of reads that the
// caller knows of. The error is a *StatusError of a failure that is survived,
// or a *WaitError.
func (c *core) poll(ctx context.Context, seen int) (Status, error) {
	turn, err := c.acquireUnless(ctx, c.s.done)
	if !turn {
		return c.status(), err
	}
	defer c.release()
	if st, ok, err := c.newer(seen); ok {
		return st, err
	}
	return c.readStatus(ctx)
}

// next waits until the next read is due, and makes it.
func (c *core) next(ctx context.Context, known int) (Status, error) {
	if err := c.wait(ctx, known); err != nil {
		return c.status(), err
	}
	return c.poll(ctx, known)
}

// endsWait tells the error that ends a wait from one that is survived, which may
// hold a WaitError of another operation: a Doer's credential may come from one.
func endsWait(err error) bool {
	_, ok := err.(*lroerrors.WaitError) //nolint:errorlint // see above
	return ok
}

// newer returns what there is to know without a read: that the operation has
// ended, that another read has just been made, or that none may be made yet.
func (c *core) newer(seen int) (Status, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.s.done():
		return c.statusLocked(), true, nil
	case int(c.reads) != seen && time.Now().Before(c.nextLocked()):
		return c.statusLocked(), true, c.toldLocked()
	case c.s.early():
		return c.statusLocked(), true, nil
	}
	return Status{}, false, nil
}

// toldLocked is the error of the last read, as its own caller got it.
func (c *core) toldLocked() error {
	if t := c.trouble; t != nil && t.ended != "" {
		return c.waitErrorLocked(t.ended, t.err)
	}
	return c.lastErr()
}

// readStatus asks until an answer tells something, which is once, but for a
// strategy's cross-checks and the resource of a DELETE whose status is gone.
func (c *core) readStatus(ctx context.Context) (Status, error) {
	c.mu.Lock()
	woken := c.woken
	c.woken = nil
	c.mu.Unlock()
	for checks := 0; ; {
		s := c.snapshot()
		v := c.ask(ctx, &s)
		if v.stopped != nil {
			c.update(func() { c.woken = cmp.Or(woken, c.woken) }) // the notification still counts
			return c.status(), v.stopped
		}
		if v.again && checks < crossChecks {
			checks++
			c.update(func() { c.storeLocked(&s) })
			continue
		}
		s.Now = s.Now && s.Checking // a strategy has had its cross-checks
		return c.settle(ctx, &s, v)
	}
}

// settle stores what a read has shown, and tells it.
func (c *core) settle(ctx context.Context, s *state, v verdict) (Status, error) {
	var st Status
	var err error
	c.update(func() {
		c.storeLocked(s)
		c.reads++
		c.trouble = nil
		if v.err != nil {
			c.trouble = &trouble{v.err, v.reason}
		}
		st, err = c.statusLocked(), c.toldLocked()
	})
	c.log(ctx, s, v)
	return st, err
}

// A verdict is what one answer means for the wait. The state it was made on
// already holds what follows.
type verdict struct {
	stopped error                  // the caller's context ended: nothing was learned
	err     *lroerrors.StatusError // no status was told
	reason  lroerrors.Reason       // the wait is over; "" when err is survived
	again   bool                   // ask at once
}

// ask sends one status read and judges the answer, changing s.
func (c *core) ask(ctx context.Context, s *state) verdict {
	s.Held, s.Now = false, false
	switch {
	case s.repeating():
		return c.beginAgain(ctx, s)
	case s.First != nil:
		return c.followFirst(s, nil)
	}
	limit, url := c.statusLimit, c.pollURL(s)
	if s.Inline || s.Checking || s.confirming() {
		limit = c.resultLimit
	}
	ans, err := c.get(ctx, s, url, limit)
	if ctx.Err() != nil && err != nil {
		return verdict{stopped: c.stopped(ctx)}
	}
	s.LastRead = time.Now()
	if err != nil {
		return c.failed(s, ans.Header, asStatusError(http.MethodGet, url, err), false)
	}
	return c.judge(ctx, s, ans)
}

// judge says what a complete answer means, changing s.
func (c *core) judge(ctx context.Context, s *state, ans wire.Answer) verdict {
	switch {
	case s.confirming():
		return c.confirmed(s, ans)
	case s.Checking:
		return c.checked(s, ans)
	}
	if !seenByStrategy(ans.Code) {
		return c.failed(s, ans.Header, wire.Refusal(http.MethodGet, ans, nil), true)
	}
	move, err := c.step(c.answer(s, ans, false))
	if err != nil {
		return c.failed(s, ans.Header, wire.Refusal(http.MethodGet, ans, toldNothing(ans.Code, err)), true)
	}
	c.adopt(s, ans, move)
	s.Read = true
	if c.overdue(s) {
		return c.beside(ctx, s)
	}
	return verdict{again: s.Now}
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

func asStatusError(method, rawURL string, err error) *lroerrors.StatusError {
	if se, ok := err.(*lroerrors.StatusError); ok { //nolint:errorlint // one within tells of another request
		return se
	}
	return &lroerrors.StatusError{Method: method, URL: wire.Redacted(rawURL), Err: err}
}

// log records one read.
func (c *core) log(ctx context.Context, s *state, v verdict) {
	if !c.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("url", wire.Redacted(c.pollURL(s))),
		slog.String("state", string(s.Status.State)),
		slog.String("word", wire.Text(s.Status.Word)),
		slog.Int("status", s.Status.StatusCode),
		slog.Time("next", s.Next),
	}
	if v.err != nil {
		attrs = append(attrs, slog.Any("error", v.err), slog.Int("failures", s.failures().Count))
	}
	c.Logger.LogAttrs(ctx, slog.LevelDebug, "lro: poll", attrs...)
}
