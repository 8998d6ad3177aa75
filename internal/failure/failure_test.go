package failure_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/failure"
)

func TestMethod(t *testing.T) {
	require.Equal(t, "GET", failure.Method(&http.Request{}))
	require.Equal(t, "PUT", failure.Method(&http.Request{Method: "PUT"}))
}

func TestUnwrapURL(t *testing.T) {
	inner := &url.Error{Op: "Get", URL: "https://a.test?sig=SECRET", Err: io.EOF}
	require.Equal(t, io.EOF, failure.UnwrapURL(inner))
	require.Equal(t, io.EOF, failure.UnwrapURL(&url.Error{Err: inner}))
	require.Equal(t, io.EOF, failure.UnwrapURL(io.EOF))
	require.NoError(t, failure.UnwrapURL(nil))
	wrapped := fmt.Errorf("sending: %w", inner)
	require.Equal(t, wrapped, failure.UnwrapURL(wrapped))
	empty := &url.Error{Op: "Get"}
	require.Equal(t, empty, failure.UnwrapURL(empty))
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, context.Canceled, failure.Context(ctx))

	ctx, because := context.WithCancelCause(t.Context())
	because(io.EOF)
	err := failure.Context(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, io.EOF)
	require.EqualError(t, err, "context canceled: EOF")

	ctx, because = context.WithCancelCause(t.Context())
	both := fmt.Errorf("shutdown: %w", context.Canceled)
	because(both)
	require.Equal(t, both, failure.Context(ctx), "the cause wraps the context's error already")
}

func TestUnsent(t *testing.T) {
	for _, err := range []error{
		&net.OpError{Op: "dial", Err: io.EOF}, &net.OpError{Op: "proxyconnect", Err: io.EOF}, &net.DNSError{}, http.ErrSchemeMismatch, x509.HostnameError{Certificate: &x509.Certificate{}},
	} {
		require.True(t, failure.Unsent(&url.Error{Err: fmt.Errorf("x: %w", err)}), "%T", err)
	}
	for _, err := range []error{nil, io.EOF, context.Canceled, &net.OpError{Op: "read", Err: io.EOF}, &net.OpError{Op: "write", Err: io.EOF}} {
		require.False(t, failure.Unsent(err), "%v", err)
	}
}

// coded is an error type such as a caller might define.
type coded struct {
	code int
	err  error
}

func (c coded) Error() string { return fmt.Sprintf("code %d", c.code) }
func (c coded) Unwrap() error { return c.err }

// errors.Is and errors.As find every error that a Doer's error wraps, except a *url.Error.
func TestEnded(t *testing.T) {
	asked := &url.Error{Op: "Get", URL: "https://u:SECRET@a.test/?sig=SECRET", Err: &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}}
	for name, err := range map[string]error{
		"wrapped":       fmt.Errorf("sending: %w", asked),
		"joined":        errors.Join(io.EOF, asked),
		"deep":          coded{7, errors.Join(io.EOF, fmt.Errorf("sending: %w", asked))},
		"within itself": fmt.Errorf("again: %w", &url.Error{Op: "Get", URL: "https://a.test/?SECRET", Err: asked}),
		"hidden twice":  fmt.Errorf("again: %w", failure.Ended(t.Context(), fmt.Errorf("sending: %w", asked))),
	} {
		got := failure.Ended(t.Context(), err)
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
			require.NoError(t, errors.Unwrap(got), "%s: no way around it", name)
		}
	}
	require.Equal(t, io.EOF, failure.Ended(t.Context(), io.EOF))
	require.NoError(t, failure.Ended(t.Context(), nil))
	require.NoError(t, failure.Hide(nil))
}

// A context error is attributed to the caller only if the caller's context has ended.
func TestEndedContext(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	theirs := fmt.Errorf("sending: %w", &url.Error{Op: "Get", URL: "/x?SECRET", Err: context.DeadlineExceeded})
	for _, err := range []error{context.DeadlineExceeded, theirs, errors.Join(context.Canceled, io.EOF, context.DeadlineExceeded)} {
		got := failure.Ended(t.Context(), err)
		require.NotErrorIs(t, got, context.DeadlineExceeded)
		require.NotErrorIs(t, got, context.Canceled)
		timeout, found := errors.AsType[net.Error](got)
		require.True(t, found && timeout.Timeout())
		require.Equal(t, errors.Is(err, io.EOF), errors.Is(got, io.EOF))

		got = failure.Ended(canceled, err)
		require.ErrorIs(t, got, context.Canceled)
		require.Equal(t, got.Error(), failure.Ended(canceled, got).Error(), "once is enough")
	}
	require.EqualError(t, failure.Ended(canceled, theirs), `context canceled (before: sending: Get "/x?REDACTED": context deadline exceeded)`)
	require.NotErrorIs(t, failure.Ended(canceled, theirs), context.DeadlineExceeded)
	require.Equal(t, context.Canceled, failure.Ended(canceled, nil))
	require.Equal(t, context.Canceled, failure.Ended(canceled, failure.Ended(t.Context(), context.Canceled)), "it is the caller's after all")

	because, end := context.WithCancelCause(t.Context())
	end(theirs)
	got := failure.Context(because)
	require.EqualError(t, got, `context canceled: sending: Get "/x?REDACTED": context deadline exceeded`)
	require.ErrorIs(t, got, context.Canceled)
	_, found := errors.AsType[*url.Error](got)
	require.False(t, found)
}

func TestPermanent(t *testing.T) {
	for _, err := range []error{
		http.ErrSchemeMismatch,
		tls.RecordHeaderError{},
		&tls.CertificateVerificationError{Err: io.EOF},
		x509.UnknownAuthorityError{},
		x509.HostnameError{Certificate: &x509.Certificate{}},
		x509.CertificateInvalidError{Cert: &x509.Certificate{}},
		x509.ConstraintViolationError{},
		x509.InsecureAlgorithmError(1),
		x509.SystemRootsError{},
	} {
		require.True(t, failure.Permanent(err), "%T", err)
		require.True(t, failure.Permanent(&url.Error{Err: fmt.Errorf("x: %w", err)}), "%T, wrapped", err)
	}
	for _, err := range []error{nil, io.EOF, context.Canceled, errors.New("x509: certificate"), tls.AlertError(40)} {
		require.False(t, failure.Permanent(err), "%v", err)
	}
}
