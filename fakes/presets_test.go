package fakes_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// The presets over a socket, where net/http has its say about URLs and bodies,
// and the clock is the world's.
func TestPresetsOverSockets(t *testing.T) {
	type word struct{ uri, body string }
	words := make(chan word, 1)
	inbox := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		words <- word{r.RequestURI, string(body)}
	}))
	defer inbox.Close()
	aro := fakes.AROHCP()
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

	ibm := fakes.IBMCloud()
	ibm.Put("/v5/ibm/deployments/d1", map[string]any{})
	srv = httptest.NewServer(ibm)
	defer srv.Close()
	c = tester{t, srv.Client()}
	r = c.do("PATCH", srv.URL+"/v5/ibm/deployments/d1/groups/member", "{}")
	var doc struct{ Task struct{ ID, Status string } }
	require.NoError(t, json.Unmarshal([]byte(r.body), &doc))
	require.Contains(t, doc.Task.ID, "/")
	r = c.get(srv.URL + "/v5/ibm/tasks/" + url.PathEscape(doc.Task.ID))
	require.NoError(t, json.Unmarshal([]byte(r.body), &doc))
	require.Equal(t, "queued", doc.Task.Status)
}

// A GET begins something only where a plan says so, in every dialect.
func TestIBMCloudBegunByGet(t *testing.T) {
	svc := fakes.IBMCloud()
	svc.Plan(fakes.Plan{Method: "GET", Path: "/v1/report", Polls: -1, Result: "r"})
	svc.Plan(fakes.Plan{Method: "GET", Path: "/v1/none", Style: fakes.ResourceStatus})
	c := newTester(t, svc)
	require.Equal(t, 202, c.ask("/v1/report").code)
	require.Contains(t, c.ask(ibmOperation).body, `"result":"r"`)
	r := c.ask("/v1/none")
	require.Equal(t, 202, r.code)
	require.Empty(t, r.body, "there is no resource to show")
}
