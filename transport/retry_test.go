package transport_test

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
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

var verbs = []string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "POST", "PATCH"}

func TestEveryStatusAndVerb(t *testing.T) {
	retried := []int{408, 424, 429}
	for code := 500; code <= 599; code++ {
		if code != 501 && code != 505 {
			retried = append(retried, code)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		for code := 200; code <= 999; code++ {
			want := 1
			if slices.Contains(retried, code) {
				want = 4
			}
			for _, verb := range verbs {
				base := play(answer{status: code})
				got, err := do(newTransport(base), request(t, t.Context(), verb, statuses, nil))
				require.NoError(t, err, "%s %d", verb, code)
				require.Equal(t, code, got, verb)
				require.Equal(t, want, base.sent(), "attempts of %s after %d", verb, code)
			}
		}
	})
}

func TestLastResponseIsReturnedUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 503, body: "first"}, answer{status: 503}, answer{status: 500}, answer{status: 503, header: "Retry-After: 3", body: "last words"})
		req := request(t, t.Context(), "PUT", statuses, nil)
		resp, err := newTransport(base).RoundTrip(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, "last words", string(body))
		require.Equal(t, 503, resp.StatusCode)
		require.Equal(t, "3", resp.Header.Get("Retry-After"))
		require.Equal(t, req.URL, resp.Request.URL)
		require.Empty(t, resp.Request.Header.Get("Authorization"), "the credential is not visible")
	})
}

func TestRetries(t *testing.T) {
	tests := []struct{ retries, want int }{{0, 4}, {-1, 1}, {-5, 1}, {1, 2}, {7, 8}}
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range tests {
			for _, a := range []answer{{status: 500}, {err: errSocket}} {
				base := play(a)
				_, err := get(t, t.Context(), transport.New(&transport.Options{Base: base, Retries: tt.retries}), statuses)
				require.Equal(t, a.err != nil, err != nil)
				require.Equal(t, tt.want, base.sent(), "Retries: %d, %+v", tt.retries, a)
			}
		}
	})
}

func TestPolicies(t *testing.T) {
	idempotent := []string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"}
	synctest.Test(t, func(t *testing.T) {
		for _, verb := range verbs {
			for _, a := range []answer{{status: 503}, {status: 429}, {err: errSocket}} {
				base := play(a)
				_, _ = do(transport.New(&transport.Options{Base: base, Policy: transport.IdempotentOnly}), request(t, t.Context(), verb, statuses, nil))
				want := 1
				if slices.Contains(idempotent, verb) {
					want = 4
				}
				require.Equal(t, want, base.sent(), "%s %+v", verb, a)
			}
		}
	})
}

func TestPoliciesAfterContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	req := request(t, ctx, "GET", statuses, nil)
	for _, policy := range []func(*http.Request, *http.Response, error) bool{transport.DefaultPolicy, transport.IdempotentOnly} {
		require.True(t, policy(req, &http.Response{StatusCode: 503}, nil))
		require.True(t, policy(req, nil, errSocket))
		require.False(t, policy(req, nil, nil))
	}
	cancel()
	for _, policy := range []func(*http.Request, *http.Response, error) bool{transport.DefaultPolicy, transport.IdempotentOnly} {
		require.False(t, policy(req, &http.Response{StatusCode: 503}, nil))
		require.False(t, policy(req, nil, errSocket))
	}
}

func TestPolicyReceivesCallersRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 404}, answer{err: errSocket}, answer{status: 200})
		req := request(t, t.Context(), "GET", statuses, nil)
		var seen []string
		tr := transport.New(&transport.Options{Base: base, Policy: func(r *http.Request, resp *http.Response, err error) bool {
			require.Same(t, req, r)
			if err != nil {
				seen = append(seen, err.Error())
				return true
			}
			seen = append(seen, fmt.Sprint(resp.StatusCode))
			return resp.StatusCode == 404
		}})
		code, err := do(tr, req)
		require.NoError(t, err)
		require.Equal(t, 200, code)
		require.Equal(t, []string{"404", errSocket.Error(), "200"}, seen)
	})
}

func TestRetriedErrors(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{errSocket, 4},
		{io.EOF, 4},
		{io.ErrUnexpectedEOF, 4},
		{&net.DNSError{Err: "no such host", Name: "arm.test", IsNotFound: true}, 4},
		{&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}, 4},
		{context.DeadlineExceeded, 4}, // the base's own deadline, not the caller's
		{&tls.CertificateVerificationError{Err: errors.New("bad")}, 1},
		{x509.UnknownAuthorityError{}, 1},
		{x509.HostnameError{Certificate: &x509.Certificate{}, Host: "arm.test"}, 1},
		{x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired}, 1},
		{x509.ConstraintViolationError{}, 1},
		{x509.InsecureAlgorithmError(x509.MD5WithRSA), 1},
		{x509.SystemRootsError{}, 1},
		{fmt.Errorf("base: %w", x509.UnknownAuthorityError{}), 1},
		{fmt.Errorf("base: %w", lroerrors.ErrForeignOrigin), 1},
		{http.ErrSchemeMismatch, 1},
		{&url.Error{Op: "Get", URL: statuses + query, Err: http.ErrSchemeMismatch}, 1},
	}
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range tests {
			base := play(answer{err: tt.err})
			_, err := get(t, t.Context(), newTransport(base), statuses+query)
			se := statusError(t, err)
			require.Equal(t, tt.want, base.sent(), "attempts after %T %v", tt.err, tt.err)
			require.Equal(t, tt.want, se.Attempts)
			require.Equal(t, "GET", se.Method)
			require.Equal(t, statuses, se.URL)
			require.NotContains(t, fmt.Sprintf("%v %+v", err, se.Err), "SECRET")
		}
	})
}

func TestBaseWithoutResponse(t *testing.T) {
	tr := transport.New(&transport.Options{Retries: -1, Base: trip(func(*http.Request) (*http.Response, error) {
		return nil, nil //nolint:nilnil // as a broken base might do
	})})
	_, err := get(t, t.Context(), tr, statuses)
	require.ErrorContains(t, statusError(t, err), "neither a response nor an error")

	tr = newTransport(trip(func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 204}, nil }))
	code, err := get(t, t.Context(), tr, statuses)
	require.NoError(t, err)
	require.Equal(t, 204, code)
}

func TestRequestWithoutURLOrHeader(t *testing.T) {
	base := play(answer{status: 200})
	tr := transport.New(&transport.Options{Base: base, Token: static("t0")})
	body := &closeCounter{Reader: http.NoBody}
	_, err := tr.RoundTrip((&http.Request{Body: body}).WithContext(t.Context())) //nolint:bodyclose // there is no response
	_ = statusError(t, err)
	require.Equal(t, 1, body.count())
	require.Zero(t, base.sent())

	req := request(t, t.Context(), "", statuses, nil)
	req.Header = nil
	code, err := do(tr, req)
	require.NoError(t, err)
	require.Equal(t, 200, code)
	require.Nil(t, req.Header)
	require.Equal(t, []string{"Bearer t0"}, base.auth)
}

func TestRequestIsNotChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 503}, answer{status: 200})
		tr := transport.New(&transport.Options{Base: base, Token: static("t0"), Authorize: func(r *http.Request) error {
			r.Header.Add("X-Signed", "yes")
			r.URL.RawQuery += "&more=1"
			r.Method = "PATCH"
			return nil
		}})
		req := request(t, t.Context(), "PUT", statuses+query, nil)
		req.Header.Set("Accept", "application/json")
		before := req.Clone(req.Context())
		resp, err := tr.RoundTrip(req)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, before, req)
		require.Empty(t, resp.Request.Header.Get("Authorization"), "the response must not hold the request that carries the token")
	})
}

func TestOptionsAreCopied(t *testing.T) {
	base := play(answer{status: 200})
	opts := &transport.Options{Base: base, Origins: []string{"https://b.test"}}
	tr := transport.New(opts)
	opts.Base, opts.Origins[0] = play(answer{status: 500}), "https://evil.test"
	code, err := get(t, t.Context(), tr, statuses)
	require.NoError(t, err)
	require.Equal(t, 200, code)
	require.NotNil(t, transport.New(nil))
	require.NotNil(t, transport.NewClient(nil).CheckRedirect)
	require.NotNil(t, transport.New(&transport.Options{}))
}

// The Transport does not close the base's idle connections on its own, even after a failure.
func TestIdleConnectionsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, a := range []answer{{status: 200}, {status: 503}, {err: errSocket}} {
			base := &idleCounter{RoundTripper: play(a)}
			tr := newTransport(base)
			_, _ = get(t, t.Context(), tr, statuses)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			_, _ = get(t, ctx, tr, statuses)
			cancel()
			ctx, cancel = context.WithCancel(t.Context())
			time.AfterFunc(500*time.Millisecond, cancel)
			_, _ = get(t, ctx, tr, statuses)
			require.Zero(t, base.calls, "%+v", a)

			(&http.Client{Transport: tr}).CloseIdleConnections()
			require.Equal(t, 1, base.calls, "the caller can close them")
		}
		newTransport(play(answer{})).CloseIdleConnections() // does nothing, because this base has no such method
	})
}

type idleCounter struct {
	http.RoundTripper
	calls int
}

func (c *idleCounter) CloseIdleConnections() { c.calls++ }
