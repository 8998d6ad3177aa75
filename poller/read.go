package poller

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// maxAtOnce bounds how often a strategy may ask at once, in a row; see [Move].
const maxAtOnce = 3

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
		if v.again && checks < maxAtOnce {
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
