package poller

import (
	"context"
	"log/slog"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
)

// A source makes one read of an operation. It is [core.overHTTP] or, for a Watch, [watching.read].
type source func(c *core, ctx context.Context, r record) sighting

// A sighting is the outcome of one read.
type sighting struct {
	strategy.Answer                        // the response as the strategy saw it; Code is 0 if there was no response
	move            strategy.Move          // what the strategy returned
	err             *lroerrors.StatusError // why the read got no status or result; nil if it got one
	whole           bool                   // false if the response is incomplete or may come from a gateway
	unsent          bool                   // whether the throttle gate of package transport held the request back
}

// trouble describes why the last read failed. It is immutable.
type trouble struct {
	err    *lroerrors.StatusError
	ended  lroerrors.Reason // why the wait is over; "" if reading continues
	unsent bool             // whether the throttle gate of package transport held the request back
	result error            // a *ResultError if this was the last attempt to read the result
}

// readOnce makes one read in the current phase and stores the outcome. It must be the caller's turn
// to read. The error is a *StatusError if the failure does not end the wait. Otherwise, it is a
// *WaitError or, in phase reading, a *ResultError.
func (c *core) readOnce(ctx context.Context) (Status, error) {
	c.mu.Lock()
	r, woken := c.rec, c.woken
	c.mu.Unlock()
	was, began := r.Phase, time.Now()
	early := woken != nil && began.Before(r.due())
	s := c.read(c, ctx, r)
	if s.err != nil && ctx.Err() != nil { // the context interrupted the read
		if context.Cause(ctx) != errGivenUp { //nolint:errorlint // compares identity
			return c.status(), c.stopped(ctx)
		}
		s = sighting{Answer: s.Answer, err: &lroerrors.StatusError{Method: s.err.Method, URL: s.err.URL, Err: errGivenUp}}
		s.Code, s.Header = 0, nil
	}
	spent := r.spend(began)
	var t *trouble
	switch {
	case s.err == nil && was == reading:
		r.Result = &result{URL: r.Result.URL, Body: s.Body}
		if s.Body == nil {
			r.Result.Body = exact{} // not nil, because the result has been read
		}
		r.enter(phaseAfter(Succeeded, r.Result))
	case s.err == nil:
		_ = c.adopt(&r, &s.Answer, s.move)
	case was == reading:
		t = c.resultFailed(&r, &s, spent)
	default:
		t = c.failed(&r, &s, spent)
	}
	if t != nil {
		t.unsent = s.unsent
	}
	if early {
		c.early.Store(began.UnixNano())
	}
	return c.settle(ctx, &r, was, woken, t)
}

// settle stores the outcome of a read, logs it and returns it. If WakeUp was called during the
// read, settle keeps that notification for the next read.
func (c *core) settle(ctx context.Context, r *record, was phase, woken *time.Time, t *trouble) (st Status, err error) {
	c.update(func() {
		if c.rec = *r; c.woken == woken {
			c.woken = nil
		}
		c.reads.Add(1)
		c.first = nil
		if r.Phase == ended {
			c.last.Store(nil)
		}
		if was == polling && (t == nil || !t.unsent) {
			c.polls++
		}
		c.trouble = t
		st, err = c.statusLocked(), c.troubleLocked()
	})
	c.log(ctx, r, was, t)
	return st, err
}

// log writes the log record of one read.
func (c *core) log(ctx context.Context, r *record, was phase, t *trouble) {
	if !c.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	name, attrs := "lro: result", []slog.Attr{slog.String("url", r.Result.at().String())}
	if was == polling {
		name, attrs = "lro: poll", []slog.Attr{
			c.subjectAttr(r), slog.String("state", string(r.Status.State)),
			slog.String("word", redact.Text(r.Status.Word)), slog.Int("status", r.Status.StatusCode), slog.Time("next", r.Next),
		}
	}
	if t != nil {
		attrs = append(attrs, slog.Any("error", t.err))
	}
	if t != nil && was == polling {
		attrs = append(attrs, slog.Int("failures", r.failures().Count))
	}
	c.Logger.LogAttrs(ctx, slog.LevelDebug, name, attrs...)
}

// subjectAttr returns a log attribute with the URL that is polled or, for a Watch, with its name.
func (c *core) subjectAttr(r *record) slog.Attr {
	if c.watched != nil {
		return slog.String("name", c.watched.name)
	}
	return slog.String("url", r.Poll.String())
}

// now returns the wall-clock time. Schedules do not use the monotonic clock, which stops while
// a machine is suspended and has no meaning in another process.
func now() time.Time { return time.Now().Round(0) }

// earliest returns the earlier of two times, either of which may be nil.
func earliest(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}
