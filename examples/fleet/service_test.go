package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// Only responses to reads are faulty. If the response to a creation were lost, the client would
// send the request again, and the service would refuse it.
func TestUnreliable(t *testing.T) {
	h := unreliable(fakes.Respond(http.StatusOK, `{"status": "Succeeded"}`)(nil), 0.25)
	fine := map[string]int{}
	for range 1000 {
		for _, method := range []string{http.MethodGet, http.MethodPut} {
			if ok(t, h, method) {
				fine[method]++
			}
		}
	}
	require.Equal(t, map[string]int{http.MethodPut: 1000, http.MethodGet: 750}, fine)
}

// ok reports whether h responds correctly.
func ok(t *testing.T, h http.Handler, method string) (ok bool) {
	defer func() {
		if recover() != nil { // the handler closed the connection
			ok = false
		}
	}()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/", http.NoBody))
	return w.Code == http.StatusOK && w.Header().Get("Content-Type") == "application/json"
}
