package redact_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/redact"
)

func TestUnwrapURL(t *testing.T) {
	inner := &url.Error{Op: "Get", URL: "https://a.test?sig=SECRET", Err: io.EOF}
	require.Equal(t, io.EOF, redact.UnwrapURL(inner))
	require.Equal(t, io.EOF, redact.UnwrapURL(&url.Error{Err: inner}))
	require.Equal(t, io.EOF, redact.UnwrapURL(io.EOF))
	require.NoError(t, redact.UnwrapURL(nil))
	wrapped := fmt.Errorf("sending: %w", inner)
	require.Equal(t, wrapped, redact.UnwrapURL(wrapped))
	empty := &url.Error{Op: "Get"}
	require.Equal(t, empty, redact.UnwrapURL(empty))
}

func TestContextError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, context.Canceled, redact.ContextError(ctx))

	ctx, because := context.WithCancelCause(t.Context())
	because(io.EOF)
	err := redact.ContextError(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, io.EOF)
	require.EqualError(t, err, "context canceled: EOF")

	ctx, because = context.WithCancelCause(t.Context())
	both := fmt.Errorf("shutdown: %w", context.Canceled)
	because(both)
	require.Equal(t, both, redact.ContextError(ctx), "the cause wraps the context's error already")
}

// coded is an error type that a caller might define.
type coded struct {
	code int
	err  error
}

func (c coded) Error() string { return fmt.Sprintf("code %d", c.code) }
func (c coded) Unwrap() error { return c.err }

// RequestError hides credentials, but errors.Is and errors.As still find every wrapped error except
// a *url.Error.
func TestRequestError(t *testing.T) {
	asked := &url.Error{Op: "Get", URL: "https://u:SECRET@a.test/?sig=SECRET", Err: &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}}
	for name, err := range map[string]error{
		"wrapped":       fmt.Errorf("sending: %w", asked),
		"joined":        errors.Join(io.EOF, asked),
		"deep":          coded{7, errors.Join(io.EOF, fmt.Errorf("sending: %w", asked))},
		"within itself": fmt.Errorf("again: %w", &url.Error{Op: "Get", URL: "https://a.test/?SECRET", Err: asked}),
		"hidden twice":  fmt.Errorf("again: %w", redact.RequestError(t.Context(), fmt.Errorf("sending: %w", asked))),
	} {
		got := redact.RequestError(t.Context(), err)
		require.NotContains(t, fmt.Sprintf("%v %+v", got, got), "SECRET", name)
		_, found := errors.AsType[*url.Error](got)
		require.False(t, found, name)
		timeout, found := errors.AsType[net.Error](got)
		require.True(t, found, name)
		require.True(t, timeout.Timeout(), name)
		require.NotContains(t, timeout.Error(), "SECRET", name)
		_, found = errors.AsType[*net.OpError](got)
		require.True(t, found, name)
		require.ErrorIs(t, got, os.ErrDeadlineExceeded, name)
		require.NotErrorIs(t, got, io.ErrClosedPipe, name)
		theirs, found := errors.AsType[coded](got)
		require.Equal(t, name == "deep", found, name)
		require.Equal(t, found, theirs.code == 7, name)
		if name != "hidden twice" {
			require.NoError(t, errors.Unwrap(got), "%s: Unwrap must not reveal the original error", name)
		}
	}
	require.Equal(t, io.EOF, redact.RequestError(t.Context(), io.EOF))
	require.NoError(t, redact.RequestError(t.Context(), nil))
	require.NoError(t, redact.Error(nil))
}

// The error from RequestError matches a context error only if the caller's context has ended.
func TestRequestErrorContext(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	theirs := fmt.Errorf("sending: %w", &url.Error{Op: "Get", URL: "/x?SECRET", Err: context.DeadlineExceeded})
	for _, err := range []error{context.DeadlineExceeded, theirs, errors.Join(context.Canceled, io.EOF, context.DeadlineExceeded)} {
		got := redact.RequestError(t.Context(), err)
		require.NotErrorIs(t, got, context.DeadlineExceeded)
		require.NotErrorIs(t, got, context.Canceled)
		timeout, found := errors.AsType[net.Error](got)
		require.True(t, found && timeout.Timeout())
		require.Equal(t, errors.Is(err, io.EOF), errors.Is(got, io.EOF))

		got = redact.RequestError(canceled, err)
		require.ErrorIs(t, got, context.Canceled)
		require.Equal(t, got.Error(), redact.RequestError(canceled, got).Error(), "redacting again must change nothing")
	}
	require.EqualError(t, redact.RequestError(canceled, theirs), `context canceled (before: sending: Get "/x?REDACTED": context deadline exceeded)`)
	require.NotErrorIs(t, redact.RequestError(canceled, theirs), context.DeadlineExceeded)
	require.Equal(t, context.Canceled, redact.RequestError(canceled, nil))
	require.Equal(t, context.Canceled, redact.RequestError(canceled, redact.RequestError(t.Context(), context.Canceled)), "the caller's context has ended in the meantime")

	because, end := context.WithCancelCause(t.Context())
	end(theirs)
	got := redact.ContextError(because)
	require.EqualError(t, got, `context canceled: sending: Get "/x?REDACTED": context deadline exceeded`)
	require.ErrorIs(t, got, context.Canceled)
	_, found := errors.AsType[*url.Error](got)
	require.False(t, found)
}
