package poller_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// An invalid certificate ends the wait right away: the server may be an impostor, and a retry would
// not help.
func TestInvalidCertificate(t *testing.T) {
	requests := 0
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()

	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+resource, http.NoBody)
	require.NoError(t, err)
	first := &http.Response{StatusCode: http.StatusAccepted, Header: http.Header{"Location": {monitor}}, Body: http.NoBody, Request: req}
	p, err := poller.New[raw](first, nil, nil)
	require.NoError(t, err)
	_, err = p.Poll(t.Context())
	requireWait(t, err, lroerrors.ReasonRefused)
	require.ErrorContains(t, err, "certificate")
	require.Zero(t, requests, "the server must not receive any request")
}

// Every certificate error ends the wait right away, even if it comes from a Doer with its own TLS
// stack.
func TestCertificateErrorsFromDoer(t *testing.T) {
	for _, why := range []error{
		x509.UnknownAuthorityError{},
		x509.HostnameError{Certificate: &x509.Certificate{}, Host: "a.test"},
		x509.CertificateInvalidError{Reason: x509.Expired},
		x509.SystemRootsError{},
		&tls.CertificateVerificationError{Err: io.EOF},
		http.ErrSchemeMismatch, // the server responded without TLS
	} {
		refuses := doer(func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("handshake: %w", why) })
		first := &http.Response{StatusCode: http.StatusAccepted, Header: http.Header{"Location": {monitor}}, Body: http.NoBody, Request: newRequest(t, "POST", resource)}
		p, err := poller.New[raw](first, refuses, nil)
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		requireWait(t, err, lroerrors.ReasonRefused)
	}
}
