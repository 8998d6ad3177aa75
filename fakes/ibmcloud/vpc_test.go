package ibmcloud_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// A VPC collection determines the status member and the statuses of its resources.
func TestVPC(t *testing.T) {
	tests := []struct{ path, member, create, remove string }{
		{"/v1/instances", "status", "201 pending pending starting running", "204 deleting deleting 404"},
		{"/v1/volumes", "status", "201 pending pending pending available", "204 deleting deleting 404"},
		{"/v1/load_balancers", "provisioning_status", "201 create_pending create_pending create_pending active", "204 delete_pending delete_pending 404"},
		{"/v1/shares", "lifecycle_state", "201 pending pending pending stable", "204 deleting deleting 404"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			c := newTester(t, ibmcloud.NewVPC())
			r := c.do(http.MethodPost, host+tt.path, `{"name":"x"}`)
			path := strings.TrimPrefix(r.member("href"), host)
			words := []string{"201", r.member(tt.member)}
			require.Equal(t, tt.create, c.words(words, path, tt.member))
			r = c.do(http.MethodDelete, host+path, "")
			require.Equal(t, http.StatusNoContent, r.code)
			require.Equal(t, tt.remove, c.words([]string{"204"}, path, tt.member))
		})
	}
}

// words reads a resource's status three times. It returns the given words and the three statuses as
// one string, separated by spaces. The status of a missing resource is 404.
func (t tester) words(words []string, path, member string) string {
	t.Helper()
	for range 3 {
		r := t.ask(path)
		word := r.member(member)
		if r.code == http.StatusNotFound {
			word = "404"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Each action on an instance has its own statuses.
func TestVPCActions(t *testing.T) {
	svc := ibmcloud.NewVPC()
	svc.Put("/v1/instances/i1", map[string]any{"status": "running"})
	c := newTester(t, svc)
	for _, tt := range []struct{ action, want string }{
		{"stop", "stopping stopping stopped"},
		{"start", "starting starting running"},
		{"reboot", "restarting restarting running"},
	} {
		r := c.do(http.MethodPost, host+"/v1/instances/i1/actions", `{"type":"`+tt.action+`"}`)
		require.Equal(t, http.StatusAccepted, r.code)
		require.Equal(t, tt.want, c.words(nil, "/v1/instances/i1", "status"))
	}
}

// A plan's statuses take precedence over VPC's. By default, a failed operation ends with VPC's
// status for a failure.
func TestVPCPlan(t *testing.T) {
	svc := ibmcloud.NewVPC()
	svc.Plan(fakes.Plan{Times: 1, Words: []string{"waiting"}, EndWord: "unusable", Ending: fakes.Failed})
	svc.Plan(fakes.Plan{Ending: fakes.Failed})
	c := newTester(t, svc)
	require.Equal(t, "waiting waiting unusable", c.words(nil, c.created("/v1/volumes"), "status"))
	require.Equal(t, "pending pending failed", c.words(nil, c.created("/v1/volumes"), "status"))
}

// created sends a POST to the collection, and returns the path of the new resource.
func (t tester) created(collection string) string {
	t.Helper()
	r := t.do(http.MethodPost, host+collection, "{}")
	return strings.TrimPrefix(r.member("href"), host)
}

// A listing has VPC's page format by default.
func TestVPCListing(t *testing.T) {
	svc := ibmcloud.NewVPC()
	svc.PageSize = 1
	svc.Put("/v1/vpcs/a", map[string]any{"name": "a"})
	svc.Put("/v1/vpcs/b", map[string]any{"name": "b"})
	c := newTester(t, svc)
	var page struct {
		VPCs []struct{ Name string }
		Next struct{ Href string }
		All  int `json:"total_count"`
	}
	require.NoError(t, json.Unmarshal([]byte(c.ask("/v1/vpcs").body), &page))
	require.Equal(t, "a", page.VPCs[0].Name)
	require.Equal(t, 2, page.All)
	require.NoError(t, json.Unmarshal([]byte(c.get(page.Next.Href).body), &page))
	require.Equal(t, "b", page.VPCs[0].Name)
}
