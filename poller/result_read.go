package poller

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// fetch reads the document that holds the result, and says where. It waits
// between failures as a wait for a status does.
func (c *core) fetch(ctx context.Context) (body []byte, url string, err error) {
	for {
		s := c.snapshot()
		if err := c.sleep(ctx, func() bool { return false }); err != nil {
			return nil, "", err
		}
		body, final, err := c.fetchOnce(ctx, &s)
		if final {
			return body, wire.Redacted(s.End.URL), err
		}
	}
}

// fetchOnce reads the result once. Unless final, the failure is survived.
func (c *core) fetchOnce(ctx context.Context, s *state) (body []byte, final bool, err error) {
	ans, err := c.get(ctx, s, s.End.URL, c.resultLimit)
	if err != nil && ctx.Err() != nil {
		return nil, true, c.stopped(ctx)
	}
	s.LastRead = time.Now()
	whole := err == nil
	if whole {
		if err = readable(ans); err == nil {
			s.Failing, s.Next, s.Asked = nil, s.LastRead, false
			c.fetched(ctx, s, nil)
			return ans.Body, true, nil
		}
		if ans.Code >= 300 {
			err = nil // the code tells it
		}
		err = wire.Refusal(http.MethodGet, ans, err)
	}
	se := asStatusError(http.MethodGet, s.End.URL, err)
	if c.failedResult(s, ans, se, whole) {
		s.Failing, s.Next, s.Asked = nil, s.LastRead, false // to be asked for again
		c.fetched(ctx, s, se)
		return nil, true, &lroerrors.ResultError{URL: wire.Redacted(s.End.URL), Err: se}
	}
	c.fetched(ctx, s, se)
	return nil, false, nil
}

// readable reports why an answer is not the result yet. A resource that was just
// created may be published late, or still be told by 202; nothing else is looked
// at, for the operation has succeeded.
func readable(ans wire.Answer) error {
	switch {
	case ans.Code == http.StatusAccepted:
		return errors.New("the result is not ready")
	case ans.Code < 200 || ans.Code > 299:
		return ErrNoStatus
	case !wire.IsEmpty(ans.Body) && !json.Valid(ans.Body):
		return errNotJSON
	}
	return nil
}

// failedResult counts a failure to read the result, schedules the next
// attempt, and reports whether there is to be none.
func (c *core) failedResult(s *state, ans wire.Answer, err *lroerrors.StatusError, whole bool) bool {
	s.addFailure(s.LastRead, err.StatusCode == http.StatusNotFound)
	c.backOff(s, ans.Header, s.LastRead)
	return s.final(s.End.URL, err, whole) != "" || c.Patience.spent(s.failures(), s.LastRead)
}

// fetched stores what a read of the result has shown.
func (c *core) fetched(ctx context.Context, s *state, err *lroerrors.StatusError) {
	attrs := []slog.Attr{slog.String("url", wire.Redacted(s.End.URL))}
	c.update(func() {
		c.s, c.woken, c.trouble = *s, nil, nil
		if err != nil {
			c.trouble = &trouble{err: err}
			attrs = append(attrs, slog.Any("error", err))
		}
	})
	c.Logger.LogAttrs(ctx, slog.LevelDebug, "lro: result", attrs...)
}
