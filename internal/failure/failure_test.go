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
