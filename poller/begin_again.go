package poller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/transport"
)

// repeatLater takes back an ending that Options.Repeat calls one to begin again
// after. What was told of it stays, without its state.
func (c *core) repeatLater(s *state, h http.Header) {
	x := s.extras()
	if x.Canceled || x.Used >= c.Repeat.Times || (c.Repeat.Request == nil && x.request == nil) || !c.Repeat.When(s.operationError()) {
		return
	}
	x.Ended, x.Refused = s.Status.State, nil
	s.keep(x)
	s.Status.State = InProgress
	s.hold(c.Repeat.pause(h, s.LastRead))
}

// pause is how long to wait before the request is sent again, and whether the
// service asked for that.
func (r *Repeat) pause(h http.Header, now time.Time) (d time.Duration, asked bool) {
	if d, ok := transport.RetryAfter(h, now); ok && d > r.Every {
		return min(d, max(retryAfterMax, r.Every)), true
	}
	return r.Every, false
}

// refusedFor reports whether err is a refusal that calls for another time. Where no
// answer came nothing was refused.
func (r *Repeat) refusedFor(err *lroerrors.StatusError) bool {
	return err.StatusCode != 0 && r.When(err)
}

// giveUp lets the ending stand that was to be repeated. refused says why it is not.
func (s *state) giveUp(refused *lroerrors.StatusError) {
	x := s.extras()
	s.Status.State = x.Ended
	x.Ended, x.Refused = "", refused
	s.keep(x)
	s.Failing, s.Held, s.Asked, s.Next = nil, false, false, s.LastRead
}

// countAgain counts a request that is about to be sent again, for nobody can tell
// what becomes of one whose answer is lost. It reports whether it may be sent.
func (c *core) countAgain(s *state) (ok bool) {
	x := s.extras()
	c.update(func() {
		if ok = x.Used < c.Repeat.Times && !c.s.extras().Canceled; !ok {
			return
		}
		x.Used++
		x.Refused = &lroerrors.StatusError{URL: wire.Redacted(s.Target), Err: errors.New("the answer was not waited for")}
		s.keep(x)
		c.s.extra = s.extra
		c.s.Next, c.s.Held, c.s.Asked = time.Now().Add(c.Repeat.Every), true, false // of the next time, if ctx ends
	})
	return ok
}

// beginAgain sends the first request again and follows what it begins.
func (c *core) beginAgain(ctx context.Context, s *state) verdict {
	if !c.countAgain(s) {
		s.giveUp(s.extras().Refused)
		return verdict{}
	}
	x := s.extras()
	req, err := c.Repeat.request(ctx, x.request)
	if err == nil {
		err = leadsHome(c.origins, req, s.Target)
	}
	if err != nil {
		s.giveUp(&lroerrors.StatusError{URL: wire.Redacted(s.Target), Err: err})
		return verdict{}
	}
	ans, err := c.sendAgain(ctx, req)
	if err != nil && ctx.Err() != nil && !accepted(ans.Code) { // what is accepted is followed, whatever became of the body
		return verdict{stopped: c.stopped(ctx)}
	}
	s.LastRead = time.Now()
	switch {
	case ans.Code == 0:
		s.giveUp(asStatusError(methodOf(req), req.URL.String(), err))
		return verdict{}
	case !accepted(ans.Code):
		return c.refusedAgain(s, ans, wire.Refusal(methodOf(req), ans, err))
	}
	return c.anew(s, req, ans, err)
}

// refusedAgain puts off another time, or ends with what the operation ended with.
func (c *core) refusedAgain(s *state, ans wire.Answer, err *lroerrors.StatusError) verdict {
	x := s.extras()
	if x.Used >= c.Repeat.Times || !c.Repeat.refusedFor(err) {
		s.giveUp(err)
		return verdict{}
	}
	x.Refused = err
	s.keep(x)
	s.hold(c.Repeat.pause(ans.Header, s.LastRead))
	return verdict{err: err}
}

// anew follows the operation that req began, from its first answer.
func (c *core) anew(s *state, req *http.Request, ans wire.Answer, readErr error) verdict {
	x, at := s.extras(), s.LastRead
	*s = firstState(req, ans, readErr, s.rules)
	s.LastRead, s.Next, s.Status.State = at, at, InProgress
	s.First.doubt(s.Method)
	s.keep(extra{Used: x.Used, Canceled: x.Canceled, Began: c.beginning(), request: x.request})
	return c.followFirst(s, ans.URL)
}

// request is the one to send again, in ctx; mine is that of Begin.
func (r *Repeat) request(ctx context.Context, mine *http.Request) (*http.Request, error) {
	if r.Request == nil {
		return rewound(ctx, mine)
	}
	req, err := r.Request()
	switch {
	case err != nil:
		return nil, fmt.Errorf("Repeat.Request: %w", err)
	case req == nil || req.URL == nil:
		return nil, errors.New("Repeat.Request made no request")
	}
	return req.Clone(ctx), nil
}

// rewound returns a copy of a request with its body from the start.
func rewound(ctx context.Context, req *http.Request) (*http.Request, error) {
	again := req.Clone(ctx)
	if req.GetBody == nil {
		return again, nil // it has none: Begin has looked
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, fmt.Errorf("the body of the request: %w", err)
	}
	again.Body = body
	return again, nil
}
