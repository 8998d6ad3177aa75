package transport

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
)

// failure is what RoundTrip returns where no answer came.
func (x *exchange) failure(err error) error {
	return &lroerrors.StatusError{
		Method:   verb(x.req),
		URL:      redacted(x.req.URL),
		Attempts: x.sent,
		Err:      err,
	}
}

// errorText is err as it may stand in a log record: the errors package keeps
// queries and tokens out of what others wrote.
func errorText(err error) string {
	return strings.TrimPrefix((&lroerrors.StatusError{Err: err}).Error(), "lro: ")
}

// unwrapURL takes err out of the *url.Error that a base made of an http.Client
// puts around it, for that prints the query.
func unwrapURL(err error) error {
	for {
		ue, ok := err.(*url.Error) //nolint:errorlint // what wraps one has a text of its own
		if !ok || ue.Err == nil {
			return err
		}
		err = ue.Err
	}
}

// ended returns err unless ctx has ended. Then errors.Is finds the context's
// error and its cause, beside err where that is about something else.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	end := contextError(ctx)
	if err == nil || errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)) {
		return end
	}
	return fmt.Errorf("%w (before: %w)", end, err)
}

// contextError says why ctx ended, so that errors.Is finds both the context's
// error and the caller's cause.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// A timeoutError is a limit of ours that has passed. It does not match
// context.DeadlineExceeded: the caller's context goes on.
type timeoutError struct {
	what  string
	limit time.Duration
}

func (e *timeoutError) Error() string { return fmt.Sprintf("%s within %s", e.what, e.limit) }

// Timeout makes it one to those who ask as net.Error has it.
func (e *timeoutError) Timeout() bool { return true }

// redacted is u as it may stand in errors and logs: scheme, host and path,
// without user-info, query and fragment.
func redacted(u *url.URL) string {
	if u == nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
