package poller_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// If the client cannot connect to the host, nothing has started, and the error is Retryable. The
// same holds if the caller's context ends while the client is connecting.
func TestBeginWithoutConnection(t *testing.T) {
	for name, limit := range map[string]time.Duration{
		"to the end":                   time.Hour,
		"until the caller's context":   30 * time.Second,
		"until the caller's context 2": 90 * time.Second, // the context ends during the second attempt
	} {
		synctest.Test(t, func(t *testing.T) {
			dial := func(context.Context, string, string) (net.Conn, error) {
				time.Sleep(5 * time.Minute)
				return nil, &net.OpError{Op: "dial", Err: errors.New("i/o timeout")}
			}
			client := transport.NewClient(&transport.Options{Base: &http.Transport{DialContext: dial}})
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://arm.test"+resource, strings.NewReader("{}"))
			require.NoError(t, err)
			_, err = poller.Begin[raw](req, client, nil)
			require.ErrorIs(t, err, lroerrors.ErrNotSent, name)
			require.False(t, poller.MayHaveStarted(err), "%s: %v", name, err)
			require.True(t, poller.Retryable(err), "%s: %v", name, err)
			require.Equal(t, poller.Later, poller.Classify(err), name)
			require.Equal(t, limit < time.Hour, errors.Is(err, context.DeadlineExceeded), name)
			time.Sleep(time.Hour) // wait for net/http to stop dialing
		})
	}
}

// If a request was not sent because the server's certificate is signed by an unknown authority or
// because a credential is missing, the error is not Retryable.
func TestNotRetryableThoughUnsent(t *testing.T) {
	failing := func(context.Context, transport.TokenRequest) (transport.Token, error) {
		return transport.Token{}, errors.New("no credential")
	}
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	for name, opts := range map[string]*transport.Options{
		"an unknown authority": {Retries: -1},
		"no token":             {Retries: -1, Token: failing},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, srv.URL+resource, http.NoBody)
		require.NoError(t, err)
		_, err = poller.Begin[raw](req, transport.NewClient(opts), nil)
		require.ErrorIs(t, err, lroerrors.ErrNotSent, name)
		require.False(t, poller.MayHaveStarted(err), name)
		require.False(t, poller.Retryable(err), name)
	}
}

// If the client cannot connect to send a cancel request, Cancel's error matches ErrNotSent.
// ResponseTimeout also limits the time to connect.
func TestCancelWithoutConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := func(context.Context, string, string) (net.Conn, error) {
			time.Sleep(time.Hour)
			return nil, errors.New("too late")
		}
		unreachable := &http.Transport{DialContext: dial}
		client := transport.NewClient(&transport.Options{Base: roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodDelete {
				return unreachable.RoundTrip(r)
			}
			return &http.Response{StatusCode: 202, Header: http.Header{"Location": {monitor}}, Body: http.NoBody}, nil
		})})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, origin+resource, http.NoBody)
		require.NoError(t, err)
		p, err := poller.Begin[raw](req, client, &poller.Options{
			ResponseTimeout: 30 * time.Second,
			CancelRequest: func(poller.Status) (*poller.Request, error) {
				return &poller.Request{Method: http.MethodDelete, URL: "/cancel"}, nil
			},
		})
		require.NoError(t, err)
		start := time.Now()
		err = p.Cancel(t.Context())
		require.Equal(t, 30*time.Second, time.Since(start))
		require.ErrorContains(t, err, "no complete response within 30s, the limit of ResponseTimeout")
		require.ErrorIs(t, err, lroerrors.ErrNotSent)
		status, ok := errors.AsType[*lroerrors.StatusError](err)
		require.True(t, ok)
		require.False(t, status.Unanswered)
		time.Sleep(time.Hour) // wait for net/http to stop dialing
	})
}
