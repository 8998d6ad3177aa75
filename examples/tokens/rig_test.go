package tokens_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/tokens"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/transport"
)

// An issuer is a token endpoint. It passes the number of each request, counted from 1, to its
// answer function, which writes the response.
type issuer struct {
	answer func(w http.ResponseWriter, n int)

	mu       sync.Mutex
	requests []request
}

// A request records a token request that an issuer received.
type request struct {
	at     time.Time
	target string
	form   string
	header http.Header
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	_ = r.ParseForm()
	i.requests = append(i.requests, request{time.Now(), r.Method + " " + r.Host + r.URL.RequestURI(), r.PostForm.Encode(), r.Header})
	i.answer(w, len(i.requests))
}

// json returns a function for issuer.answer. The request's number replaces the %d in format.
func json(code int, format string) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, n int) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, format, n)
	}
}

// requireRenewed checks that the transport fetches a token for the first requests, a second one
// five minutes before the first expires, and a third one after a 401.
func requireRenewed(t *testing.T, token tokens.Func, count func() int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		revoked := ""
		api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == revoked {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.Header().Set("Seen", r.Header.Get("Authorization"))
		})
		client := transport.NewClient(&transport.Options{Base: &fakes.Transport{Handler: api}, Token: token})
		get := func() string {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.test/", http.NoBody)
			require.NoError(t, err)
			resp, err := client.Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			require.Equal(t, http.StatusOK, resp.StatusCode)
			return resp.Header.Get("Seen")
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { get() })
		}
		all.Wait()
		require.Equal(t, "Bearer token-1", get())

		time.Sleep(55*time.Minute - time.Nanosecond)
		require.Equal(t, "Bearer token-1", get())
		require.Equal(t, 1, count())
		time.Sleep(time.Nanosecond)
		require.Equal(t, "Bearer token-2", get())
		require.Equal(t, 2, count())

		revoked = "Bearer token-2"
		require.Equal(t, "Bearer token-3", get())
		require.Equal(t, 3, count())
	})
}

// ask fetches a token and returns its value and remaining lifetime.
func ask(ctx context.Context, token tokens.Func) (string, time.Duration, error) {
	got, err := token(ctx, transport.TokenRequest{Origin: "https://a.test"})
	if got.Expires.IsZero() {
		return got.Value, 0, err
	}
	return got.Value, time.Until(got.Expires), err
}
