package fakes_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// An operation is known for seven days after its end, to the nanosecond, and
// for as long as it runs.
func TestExpiry(t *testing.T) {
	const week = 7 * 24 * time.Hour
	tests := map[string]struct {
		svc  *fakes.Service
		keep time.Duration
		want string // of the body
	}{
		"ARO-HCP": {fakes.AROHCP(), week, "'locations/hcpOperationStatuses/" + first + "' under resource group '' was not found"},
		"plain":   {&fakes.Service{Expire: time.Hour}, time.Hour, "operationsStatuses/" + first + "' was not found"},
		"IBM":     {fakes.IBMCloud(), 24 * time.Hour, `"code":"not_found"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.svc.Default = fakes.Plan{Duration: 3 * week}
				c := newTester(t, tt.svc)
				r := c.do("PUT", widget, "{}")
				urls := append(r.header.Values("Azure-AsyncOperation"), r.header.Values("Location")...)
				require.Len(t, urls, 1)
				time.Sleep(3*week - 1)
				require.Equal(t, 200, c.get(urls[0]).code)
				time.Sleep(tt.keep)
				require.Equal(t, 200, c.get(urls[0]).code)
				time.Sleep(time.Nanosecond)
				r = c.get(urls[0])
				require.Equal(t, 404, r.code)
				require.Contains(t, r.body, tt.want)
				require.Equal(t, 200, c.get(widget).code, "the resource stays")

				r = c.do("PUT", widget, "{}")
				time.Sleep(3*week + tt.keep)
				url := r.header.Get("Azure-AsyncOperation") + r.header.Get("Location")
				require.Equal(t, 404, c.get(url).code, "also where nobody ever asked")
			})
		})
	}
}

func TestAROHCPResultExpires(t *testing.T) {
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

// A test whose clients differ by their tokens says so.
func TestIdentity(t *testing.T) {
	alice, bob := http.Header{"Authorization": {"Bearer a"}}, http.Header{"Authorization": {"Bearer b"}}
	for name, svc := range map[string]*fakes.Service{"ARO-HCP": fakes.AROHCP(), "plain": {}, "IBM": fakes.IBMCloud()} {
		t.Run(name, func(t *testing.T) {
			svc.Identity = func(r *http.Request) string { return r.Header.Get("Authorization") }
			c := newTester(t, svc)
			r := c.with(alice, "PUT", host+widget+query, "{}")
			url := r.header.Get("Azure-AsyncOperation") + r.header.Get("Location")
			require.Equal(t, 200, c.with(alice, "GET", url, "").code)
			require.Equal(t, 404, c.with(bob, "GET", url, "").code)
			require.Equal(t, 404, c.with(bob, "DELETE", url, "").code)
			require.True(t, svc.Finish(first), "a stranger neither polls nor cancels")
		})
	}
}

func TestAROHCPPublicURLs(t *testing.T) {
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
		c := newTester(t, fakes.AROHCP())
		r := c.with(tt.header, "PUT", host+widget+"?api-version=2024-06-10-preview&foo=bar", `{"location":"west"}`)
		require.Equal(t, tt.base+scope+"/locations/west/hcpOperationStatuses/"+first+"?api-version=2024-06-10-preview&foo=bar", r.header.Get("Azure-AsyncOperation"))
	}
	c := newTester(t, fakes.AROHCP())
	require.Contains(t, c.do("PUT", widget, "{}").header.Get("Azure-AsyncOperation"), "/locations/eastus/")
	svc := fakes.AROHCP()
	svc.Put(widget, map[string]any{"location": "north"})
	require.Contains(t, newTester(t, svc).do("POST", widget+"/requestAdminCredential", "").header.Get("Location"), "/locations/north/hcpOperationResults/")
}

// What the service never says, whatever the plan.
func TestAROHCPSaysNoMore(t *testing.T) {
	svc := fakes.AROHCP()
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

func TestAROHCPWords(t *testing.T) {
	tests := []struct{ method, path, want string }{
		{"PUT", widget, "Accepted Provisioning Succeeded"},
		{"PATCH", widget, "Accepted Updating Succeeded"},
		{"DELETE", widget, "Deleting Deleting Succeeded"},
		{"PUT", widget + "/externalAuths/e", "Accepted AwaitingSecret Succeeded"},
		{"DELETE", widget + "/externalAuths/e", "Deleting Deleting Succeeded"},
		{"POST", widget + "/requestAdminCredential", "Accepted Provisioning Succeeded"},
		{"POST", widget + "/revokeCredentials", "Accepted Deleting Succeeded"},
	}
	for _, tt := range tests {
		svc := fakes.AROHCP()
		svc.Put(widget, map[string]any{})
		svc.Put(tt.path, map[string]any{})
		c := newTester(t, svc)
		status := c.do(tt.method, tt.path, "{}").header.Get("Azure-AsyncOperation")
		got := c.get(status).status()
		for range 2 {
			got += " " + c.get(status).status()
		}
		require.Equal(t, tt.want, got, "%s %s", tt.method, tt.path)
	}
}
