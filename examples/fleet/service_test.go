package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

func TestThrottlingGoesRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s service
		h := s.throttling(config{pause: 4 * time.Second}, http.NotFoundHandler())
		ask := func(k int) int {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, collection(k, fakes.Succeeded), http.NoBody))
			if w.Code == http.StatusTooManyRequests {
				require.Equal(t, "2", w.Header().Get("Retry-After"))
			}
			return w.Code
		}
		for turn := range 2 * subscriptions {
			k := turn % subscriptions
			require.Equal(t, http.StatusNotFound, ask(k))
			time.Sleep(3 * time.Second)
			require.Equal(t, http.StatusTooManyRequests, ask(k))
			require.Equal(t, http.StatusNotFound, ask((k+1)%subscriptions), "another one is not concerned")
			time.Sleep(time.Second)
		}
		require.Equal(t, int64(2*subscriptions), s.throttled.Load())
	})
}

// Only reads go wrong: a creation whose answer is lost would be refused the
// second time.
func TestMishaps(t *testing.T) {
	var s service
	answer := fakes.Respond(http.StatusOK, `{"status": "Succeeded"}`)(nil)
	h := s.unreliable(config{faults: 0.5}, answer)
	fine := map[string]int{}
	for range 1000 {
		for _, method := range []string{http.MethodGet, http.MethodPut} {
			if ok(t, h, method) {
				fine[method]++
			}
		}
	}
	require.Equal(t, 1000, fine[http.MethodPut])
	require.InDelta(t, 500, fine[http.MethodGet], 100)
	require.Equal(t, int64(1000-fine[http.MethodGet]), s.faults.Load())
}

// ok reports whether a request is answered as if nothing were wrong.
func ok(t *testing.T, h http.Handler, method string) (ok bool) {
	defer func() {
		if recover() != nil { // the connection was closed
			ok = false
		}
	}()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/", http.NoBody))
	return w.Code == http.StatusOK && w.Header().Get("Content-Type") == "application/json"
}
