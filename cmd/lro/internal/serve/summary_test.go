package serve_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

// The last line of output counts only requests since the last reset and the operations that they
// started.
func TestSummary(t *testing.T) {
	r := servetest.Start(t, "--control=127.0.0.1:0", "--fault=begin:4:202")
	r.Welcome()
	request := func(method, url string, want int) {
		t.Helper()
		code, _, err := send(t, t.Context(), method, url)
		require.NoError(t, err)
		require.Equal(t, want, code)
	}
	request(http.MethodPut, r.URL+"/widgets/w0", 201)
	request(http.MethodPost, r.Control+"/reset", 204)
	request(http.MethodPut, r.URL+"/widgets/w1", 201)
	request(http.MethodPut, r.URL+"/widgets/w1", 409)
	request(http.MethodDelete, r.URL+"/widgets/none", 204)
	request(http.MethodPut, r.URL+"/widgets/w2", 202)
	lines, err := r.Stop()
	require.NoError(t, err)
	require.Equal(t, "Stopped after 4 requests and 1 operation since the last reset.", lines[len(lines)-1])
}
