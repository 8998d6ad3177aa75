package transport

import (
	"context"
	"errors"
	"fmt"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/failure"
	"github.com/lro-go/lro/internal/redact"
)

// failure returns the error of RoundTrip if no response came.
func (x *exchange) failure(err error) error {
	return &lroerrors.StatusError{
		Method:   failure.Method(x.req),
		URL:      redact.URL(x.req.URL),
		Attempts: x.sent,
		Err:      err,
	}
}

// errorText returns the text of err for a log record, without queries and tokens.
func errorText(err error) string {
	return redact.Text(failure.UnwrapURL(err).Error())
}

// ended returns err unless ctx has ended. In that case it returns an error that wraps the
// context's error, its cause, and err if that has a different reason.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	end := failure.Context(ctx)
	if err == nil || errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)) {
		return end
	}
	return fmt.Errorf("%w (before: %w)", end, err)
}

// A timeoutError reports that one of our own time limits has passed. It does not match
// context.DeadlineExceeded, because the caller's context has not ended.
type timeoutError struct {
	what  string
	limit time.Duration
}

func (e *timeoutError) Error() string { return fmt.Sprintf("%s within %s", e.what, e.limit) }

// Timeout returns true, as the interface net.Error defines it for a timeout.
func (e *timeoutError) Timeout() bool { return true }
