package poller

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// cancel sends the request that cancels the operation. It takes no turn: a read
// may be under way.
func (c *core) cancel(ctx context.Context) error {
	if ctx.Err() != nil {
		return c.stopped(ctx)
	}
	s := c.snapshot()
	if s.repeating() {
		if err := c.withdraw(ctx); err != nil {
			return err
		}
		s = c.snapshot()
	}
	if s.done() || (s.confirming() && c.CancelRequest == nil) {
		return nil
	}
	r, err := c.cancelRequest(&s)
	if err != nil {
		return &lroerrors.StatusError{URL: wire.Redacted(s.Poll), Err: err}
	}
	ans, err := c.sendCancel(ctx, &s, r)
	switch {
	case ans.Code >= 200 && ans.Code <= 299, slices.Contains(r.OK, ans.Code): // whatever became of the body
		return c.canceled(ctx)
	case err != nil && ctx.Err() != nil:
		return c.stopped(ctx)
	case err != nil:
		return asStatusError(r.Method, r.URL, err)
	}
	return wire.Refusal(r.Method, ans, nil)
}

// canceled sees to it that an operation whose canceling the service has accepted is
// not begun again, however it ends.
func (c *core) canceled(ctx context.Context) error {
	if c.Repeat == nil {
		return nil
	}
	again := false
	c.update(func() {
		c.s.stay()
		again = c.s.repeating()
	})
	if again {
		return c.cancel(ctx) // it failed meanwhile, and may just be begun again
	}
	return nil
}

// stay has an operation that fails not begun again.
func (s *state) stay() {
	x := s.extras()
	x.Canceled = true
	s.keep(x)
}

// withdraw lets the ending stand of an operation that is to be begun again. If that
// is under way, it waits for what comes of it.
func (c *core) withdraw(ctx context.Context) error {
	if err := c.acquire(ctx); err != nil {
		return err
	}
	defer c.release()
	s := c.snapshot()
	if s.repeating() {
		s.giveUp(s.extras().Refused)
		c.update(func() {
			c.storeLocked(&s)
			c.trouble, c.woken = nil, nil
		})
	}
	return nil
}

// cancelRequest prefers the caller's request to the strategy's.
func (c *core) cancelRequest(s *state) (*Request, error) {
	r := s.Cancel
	if c.CancelRequest != nil {
		var err error
		if r, err = c.CancelRequest(c.status()); err != nil {
			return nil, fmt.Errorf("CancelRequest: %w", err)
		}
	}
	if r == nil {
		return nil, fmt.Errorf("no way to cancel is known, name one in Options.CancelRequest: %w", errors.ErrUnsupported)
	}
	abs := *r
	var err error
	if abs.URL, err = resolveRef(s.Poll, r.URL); err != nil {
		return nil, err
	}
	if abs.URL == "" {
		abs.URL = s.Poll
	}
	if len(abs.Body) > 0 && !json.Valid(abs.Body) {
		return nil, errors.New("CancelRequest: the Body is not JSON")
	}
	abs.Method = strings.ToUpper(cmp.Or(abs.Method, http.MethodPost))
	return &abs, nil
}
