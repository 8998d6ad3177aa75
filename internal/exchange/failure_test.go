package exchange_test

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

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
)

func TestMethod(t *testing.T) {
	require.Equal(t, "GET", exchange.Method(&http.Request{}))
	require.Equal(t, "PUT", exchange.Method(&http.Request{Method: "PUT"}))
}

func TestUnsent(t *testing.T) {
	for _, err := range []error{
		&net.OpError{Op: "dial", Err: io.EOF}, &net.OpError{Op: "proxyconnect", Err: io.EOF}, &net.DNSError{}, http.ErrSchemeMismatch,
		x509.HostnameError{Certificate: &x509.Certificate{}},
		errors.New("net/http: TLS handshake timeout"), errors.Join(&net.DNSError{}, &net.OpError{Op: "dial"}),
	} {
		require.True(t, exchange.Unsent(&url.Error{Err: fmt.Errorf("x: %w", err)}), "%T", err)
	}
	for _, err := range []error{nil, io.EOF, context.Canceled, &net.OpError{Op: "read", Err: io.EOF}, &net.OpError{Op: "write", Err: io.EOF}, errors.Join(&net.DNSError{}, io.EOF), &lroerrors.StatusError{}} {
		require.False(t, exchange.Unsent(err), "%v", err)
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
		require.True(t, exchange.Permanent(err), "%T", err)
		require.True(t, exchange.Permanent(&url.Error{Err: fmt.Errorf("x: %w", err)}), "%T, wrapped", err)
	}
	for _, err := range []error{nil, io.EOF, context.Canceled, errors.New("x509: certificate"), tls.AlertError(40)} {
		require.False(t, exchange.Permanent(err), "%v", err)
	}
}
