package arohcp_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
)

// member returns the named member of the JSON object in the body.
func (r reply) member(t *testing.T, name string) string {
	t.Helper()
	var o map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(r.body), &o))
	return string(o[name])
}

// A resource's systemData comes from ARM's header. Without the header, the service uses the time of
// the change and an unknown caller.
func TestSystemData(t *testing.T) {
	const (
		unknown = `"createdBy":"Unknown-ARO-HCP-frontend","createdByType":"Application",`
		since   = `{"createdAt":"2000-01-01T00:00:00Z",` + unknown
	)
	changed := func(at, by, kind string) string {
		return `"lastModifiedAt":"` + at + `","lastModifiedBy":"` + by + `","lastModifiedByType":"` + kind + `"}`
	}
	synctest.Test(t, func(t *testing.T) {
		svc := arohcp.New()
		svc.Put(hcpCluster, map[string]any{})
		c := newTester(t, svc)
		send := func(method, path, header string) string {
			t.Helper()
			h := http.Header{}
			if header != "" {
				h.Set("X-Ms-Arm-Resource-System-Data", header)
			}
			return c.with(h, method, host+path+hcpQuery, `{"systemData":{"createdBy":"the client"}}`).member(t, "systemData")
		}
		time.Sleep(time.Minute)
		byNobody := changed("2000-01-01T00:01:00Z", "Unknown-ARO-HCP-frontend", "Application")
		require.JSONEq(t, since+changed("2000-01-01T00:00:00Z", "Unknown-ARO-HCP-frontend", "Application"), send("GET", hcpCluster, ""), "systemData of a resource that the test has stored")
		require.JSONEq(t, since+byNobody, send("PATCH", hcpCluster, "not JSON"))
		require.JSONEq(t, `{"createdAt":"2000-01-01T00:01:00Z",`+unknown+byNobody, send("PUT", hcpPool, ""))

		said := `{"createdBy":"ann","createdByType":"User","createdAt":"1999-12-31T00:00:00Z",` + changed("1999-12-31T00:00:00Z", "ann", "User")
		require.JSONEq(t, said, send("PUT", newCluster, said))
		require.True(t, svc.Finish(newCluster))
		require.JSONEq(t, said, send("GET", newCluster, ""))
		require.JSONEq(t, `{"createdBy":"ann","createdByType":"User","createdAt":"1999-12-31T00:00:00Z",`+changed("2000-01-01T00:01:00Z", "bob", "Application"),
			send("PUT", newCluster, `{"createdBy":"bob","lastModifiedBy":"bob"}`))
		body, ok := svc.Resource(newCluster)
		require.True(t, ok)
		require.Contains(t, string(body), `"createdBy":"ann"`)
	})
}

// A failed update changes only the tags, systemData and provisioningState. The frontend stores the
// tags and systemData before the operation runs.
func TestTagsAfterFailure(t *testing.T) {
	tests := []struct{ method, body, tags string }{
		{"PATCH", `{"tags":{"b":"2"},"properties":{"size":2}}`, `{"a":"1","b":"2"}`},
		{"PATCH", `{"tags":{"a":null},"properties":{"size":2}}`, `{}`},
		{"PATCH", `{"properties":{"size":2}}`, `{"a":"1"}`},
		{"PUT", `{"tags":{"b":"2"},"properties":{"size":2}}`, `{"b":"2"}`},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			svc := arohcp.New()
			svc.Default = fakes.Plan{Polls: 1, Ending: fakes.Failed}
			svc.Put(hcpCluster, map[string]any{"tags": map[string]string{"a": "1"}, "properties": map[string]int{"size": 1}})
			c := newTester(t, svc)
			time.Sleep(time.Minute)
			status := c.do(tt.method, host+hcpCluster+hcpQuery, tt.body).header.Get("Azure-AsyncOperation")
			require.Equal(t, "Accepted", c.get(status).status())
			require.Equal(t, "Failed", c.get(status).status())
			r := c.get(host + hcpCluster + hcpQuery)
			require.JSONEq(t, tt.tags, r.member(t, "tags"), "%s %s", tt.method, tt.body)
			require.JSONEq(t, `{"size":1,"provisioningState":"Failed"}`, r.member(t, "properties"), "%s %s", tt.method, tt.body)
			require.Contains(t, r.member(t, "systemData"), `"lastModifiedAt":"2000-01-01T00:01:00Z"`)
		})
	}
}

// A refused request changes neither the tags nor systemData.
func TestTagsAfterRefusal(t *testing.T) {
	svc := arohcp.New()
	svc.Plan(fakes.Plan{Method: "PATCH", Style: fakes.Synchronous, Ending: fakes.Failed, FailureCode: 400})
	svc.Put(hcpCluster, map[string]any{"tags": map[string]string{"a": "1"}})
	before, _ := svc.Resource(hcpCluster)
	c := newTester(t, svc)
	require.Equal(t, 400, c.do("PATCH", host+hcpCluster+hcpQuery, `{"tags":{"b":"2"}}`).code)
	require.Equal(t, 400, c.do("PUT", host+hcpCluster+hcpQuery, `{"tags":{},"properties":{"provisioningState":"Updating"}}`).code)
	require.Equal(t, 400, c.do("PUT", host+hcpCluster+hcpQuery, `[]`).code)
	after, _ := svc.Resource(hcpCluster)
	require.JSONEq(t, string(before), string(after))
}
