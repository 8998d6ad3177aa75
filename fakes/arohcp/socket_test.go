package arohcp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes/arohcp"
)

// The service also works over a socket, where the clock is real and net/http processes URLs and
// bodies.
func TestOverSocket(t *testing.T) {
	type word struct{ uri, body string }
	words := make(chan word, 1)
	inbox := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		words <- word{r.RequestURI, string(body)}
	}))
	defer inbox.Close()
	aro := arohcp.New()
	defer aro.Close()
	aro.Notify = inbox.Client()
	srv := httptest.NewServer(aro)
	defer srv.Close()
	c := tester{t, srv.Client()}
	r := c.with(http.Header{"Azure-Asyncnotificationuri": {inbox.URL + "/done?x=1"}}, "PUT", srv.URL+hcpCluster+hcpQuery, "{}")
	require.Equal(t, 201, r.code)
	status := r.header.Get("Azure-AsyncOperation")
	require.True(t, strings.HasPrefix(status, srv.URL+hcpScope), status)
	require.Equal(t, 202, c.do("DELETE", srv.URL+hcpCluster+hcpQuery, "").code)
	got := <-words
	require.Equal(t, "/done?x=1", got.uri)
	require.JSONEq(t, c.get(status).body, got.body)
}
