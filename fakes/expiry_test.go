package fakes_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// An operation's URLs stop working exactly when Expire has passed since the operation ended.
func TestExpiry(t *testing.T) {
	const week = 7 * 24 * time.Hour
	tests := map[string]struct {
		svc  *fakes.Service
		keep time.Duration
		want string // part of the expected body
	}{
		"ARO-HCP": {arohcp.New(), week, "'locations/hcpOperationStatuses/" + first + "' under resource group '' was not found"},
		"plain":   {&fakes.Service{Expire: time.Hour}, time.Hour, "operationsStatuses/" + first + "' was not found"},
		"IBM":     {ibmcloud.New(nil), 24 * time.Hour, `"code":"not_found"`},
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
				require.Equal(t, 200, c.get(widget).code, "the resource must remain")

				r = c.do("PUT", widget, "{}")
				time.Sleep(3*week + tt.keep)
				url := r.header.Get("Azure-AsyncOperation") + r.header.Get("Location")
				require.Equal(t, 404, c.get(url).code, "the URL must expire even if no client has ever read it")
			})
		})
	}
}

// If Identity distinguishes clients, a client gets a 404 for another client's operation.
func TestIdentity(t *testing.T) {
	alice, bob := http.Header{"Authorization": {"Bearer a"}}, http.Header{"Authorization": {"Bearer b"}}
	for name, svc := range map[string]*fakes.Service{"ARO-HCP": arohcp.New(), "plain": {}, "IBM": ibmcloud.New(nil)} {
		t.Run(name, func(t *testing.T) {
			svc.Identity = func(r *http.Request) string { return r.Header.Get("Authorization") }
			c := newTester(t, svc)
			r := c.with(alice, "PUT", host+widget+query, "{}")
			url := r.header.Get("Azure-AsyncOperation") + r.header.Get("Location")
			require.Equal(t, 200, c.with(alice, "GET", url, "").code)
			require.Equal(t, 404, c.with(bob, "GET", url, "").code)
			require.Equal(t, 404, c.with(bob, "DELETE", url, "").code)
			require.True(t, svc.Finish(first), "the requests of another identity must neither poll nor cancel the operation")
		})
	}
}
