package arohcp_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
)

func TestResultExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := hcpService()
		c := newTester(t, svc)
		svc.Put(hcpCluster, map[string]any{"location": "fake-location"})
		c.do("DELETE", hcpCluster, "")
		require.True(t, svc.Finish(hcpCluster))
		result := host + hcp.Replace("{result1}") + hcpQuery
		require.Equal(t, 204, c.get(result).code)
		time.Sleep(7 * 24 * time.Hour)
		r := c.get(result)
		require.Equal(t, 404, r.code)
		require.Equal(t, "ResourceNotFound", r.header.Get("X-Ms-Error-Code"))
	})
}

func TestPublicURLs(t *testing.T) {
	tests := []struct {
		header http.Header
		base   string
	}{
		{nil, "https://a.test"},
		{http.Header{"Referer": {"https://management.azure.test/subscriptions/s?api-version=1"}}, "https://management.azure.test"},
		{http.Header{"Referer": {"no URL"}}, "https://a.test"},
		{http.Header{"X-Forwarded-Proto": {"http"}}, "http://a.test"},
		{http.Header{"X-Forwarded-Proto": {"gopher"}}, "https://a.test"},
	}
	for _, tt := range tests {
		c := newTester(t, arohcp.New())
		r := c.with(tt.header, "PUT", host+widget+"?api-version=2024-06-10-preview&foo=bar", `{"location":"west"}`)
		require.Equal(t, tt.base+scope+"/locations/west/hcpOperationStatuses/"+first+"?api-version=2024-06-10-preview&foo=bar", r.header.Get("Azure-AsyncOperation"))
	}
	c := newTester(t, arohcp.New())
	require.Contains(t, c.do("PUT", widget, "{}").header.Get("Azure-AsyncOperation"), "/locations/eastus/")
	svc := arohcp.New()
	svc.Put(widget, map[string]any{"location": "north"})
	require.Contains(t, newTester(t, svc).do("POST", widget+"/requestAdminCredential", "").header.Get("Location"), "/locations/north/hcpOperationResults/")
}

// The service ignores the fields of a plan that the real frontend does not
// support.
func TestIgnoredPlanFields(t *testing.T) {
	svc := arohcp.New()
	svc.Default = fakes.Plan{Polls: 1, Percent: true, RetryAfter: time.Minute, Operations: []fakes.Nested{{Name: "n"}}, Result: map[string]int{"n": 1}}
	svc.Put(widget, map[string]any{})
	c := newTester(t, svc)
	r := c.do("POST", widget+"/requestAdminCredential", "")
	status := r.header.Get("Azure-AsyncOperation")
	for range 2 {
		require.Empty(t, r.header.Get("Retry-After"))
		r = c.get(status)
		require.Regexp(t, `^{"id":"[^"]+","name":"[^"]+","status":"[^"]+","startTime":"[^"]+"(,"endTime":"[^"]+")?}$`, r.body)
	}
	r = c.get(host + scope + "/locations/eastus/hcpOperationResults/" + first + query)
	require.Equal(t, 200, r.code)
	require.Equal(t, `{"n":1}`, r.body)
}

func TestWords(t *testing.T) {
	const auth = widget + "/externalAuths/e"
	tests := []struct {
		method, path string
		exists       bool
		want         string
	}{
		{"PUT", widget + "2", false, "Accepted Provisioning Succeeded"},
		{"PUT", widget, true, "Accepted Updating Succeeded"},
		{"PATCH", widget, true, "Accepted Updating Succeeded"},
		{"DELETE", widget, true, "Deleting Deleting Succeeded"},
		{"PUT", auth, false, "Accepted AwaitingSecret Succeeded"},
		{"PUT", auth, true, "Accepted Updating Succeeded"},
		{"DELETE", auth, true, "Deleting Deleting Succeeded"},
		{"POST", widget + "/requestAdminCredential", false, "Accepted Provisioning Succeeded"},
		{"POST", widget + "/revokeCredentials", false, "Accepted Deleting Succeeded"},
	}
	for _, tt := range tests {
		svc := arohcp.New()
		svc.Put(widget, map[string]any{})
		if tt.exists {
			svc.Put(tt.path, map[string]any{})
		}
		c := newTester(t, svc)
		status := c.do(tt.method, tt.path, "{}").header.Get("Azure-AsyncOperation")
		got := c.get(status).status()
		for range 2 {
			got += " " + c.get(status).status()
		}
		require.Equal(t, tt.want, got, "%s %s", tt.method, tt.path)
	}
}
