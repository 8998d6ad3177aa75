package fakes_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// A request whose conditions are not met gets a 412 and changes nothing (the contract, "ETags for
// Resources"). In the table, CURRENT represents the resource's ETag.
func TestConditionalWrites(t *testing.T) {
	tests := []struct {
		method, header, value string
		missing, existing     int // the status codes
	}{
		{"PUT", "If-Match", "", 201, 200},
		{"PUT", "If-Match", "*", 412, 200},
		{"PUT", "If-Match", "CURRENT", 412, 200},
		{"PUT", "If-Match", `"other", CURRENT`, 412, 200},
		{"PUT", "If-Match", `"other"`, 412, 412},
		{"PUT", "If-Match", "W/CURRENT", 412, 412}, // If-Match never matches a weak tag (RFC 9110, section 13.1.1)
		{"PUT", "If-None-Match", "", 201, 200},
		{"PUT", "If-None-Match", "*", 201, 412},
		{"PUT", "If-None-Match", "CURRENT", 201, 412},
		{"PUT", "If-None-Match", `"other"`, 201, 200},
		{"PATCH", "If-Match", "*", 404, 202},
		{"PATCH", "If-Match", "CURRENT", 404, 202},
		{"PATCH", "If-Match", `"other"`, 404, 412},
		{"DELETE", "If-Match", "*", 204, 202},
		{"DELETE", "If-Match", "CURRENT", 204, 202},
		{"DELETE", "If-Match", `"other"`, 204, 412},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.header+" "+tt.value, func(t *testing.T) {
			svc := &fakes.Service{}
			svc.Put(widget, map[string]any{"tags": map[string]string{"a": "b"}})
			c := newTester(t, svc)
			before := c.get(widget)
			current := before.header.Get("ETag")
			require.Regexp(t, `^"[0-9a-f]{16}"$`, current)
			header := http.Header{}
			header.Set(tt.header, strings.ReplaceAll(tt.value, "CURRENT", current))

			missing := c.with(header, tt.method, widget+"-missing", `{"tags":{"c":"d"}}`)
			require.Equal(t, tt.missing, missing.code)
			existing := c.with(header, tt.method, widget, `{"tags":{"c":"d"}}`)
			require.Equal(t, tt.existing, existing.code)
			after := c.get(widget)
			if tt.existing == 412 {
				require.Equal(t, "PreconditionFailed", existing.header.Get("X-Ms-Error-Code"))
				require.Equal(t, before.body, after.body)
				require.Equal(t, current, after.header.Get("ETag"))
				return
			}
			require.NotEqual(t, current, after.header.Get("ETag"))
		})
	}
}

// The ETag changes whenever the response to a GET changes, such as when an operation starts or
// ends.
func TestETagChanges(t *testing.T) {
	svc := &fakes.Service{}
	c := newTester(t, svc)
	created := c.do("PUT", widget, `{"location":"west"}`)
	require.Equal(t, created.header.Get("ETag"), c.get(widget).header.Get("ETag"))
	require.True(t, svc.Finish(widget))
	ended := c.get(widget).header.Get("ETag")
	require.NotEqual(t, created.header.Get("ETag"), ended)
	require.Equal(t, ended, c.get(widget).header.Get("ETag"))
	require.Equal(t, 412, c.with(http.Header{"If-Match": {created.header.Get("ETag")}}, "PUT", widget, `{"location":"east"}`).code)
	require.Equal(t, 200, c.with(http.Header{"If-Match": {ended}}, "PUT", widget, `{"location":"east"}`).code)

	svc.Plan(fakes.Plan{Path: "/widgets/sync", Style: fakes.Synchronous})
	sync := c.do("PUT", "/widgets/sync", "{}")
	require.Equal(t, sync.header.Get("ETag"), c.get("/widgets/sync").header.Get("ETag"))
	require.Empty(t, c.do("POST", "/widgets/sync/start", "").header.Get("ETag"), "a response without a resource must not have an ETag")
}

// A GET, even a poll of the resource, gets a 304 without a body if the client has the current
// version (RFC 9110, section 15.4.5).
func TestConditionalGet(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Style: fakes.ProvisioningState, Polls: 3, Words: []string{"Accepted", "Accepted", "Creating"}}}
	c := newTester(t, svc)
	get := func(header string, values ...string) reply {
		return c.with(http.Header{header: values}, "GET", widget, "")
	}
	tag := c.do("PUT", widget, "{}").header.Get("ETag")
	for range 2 {
		r := get("If-None-Match", `"other", W/`+tag)
		require.Equal(t, 304, r.code)
		require.Empty(t, r.body)
		require.Equal(t, tag, r.header.Get("ETag"))
	}
	require.Equal(t, "Creating", get("If-None-Match", tag).status())
	r := get("If-None-Match", tag)
	require.Equal(t, "Succeeded", r.status())

	tag = r.header.Get("ETag")
	require.Equal(t, 304, get("If-None-Match", `"other"`, tag).code)
	require.Equal(t, 304, get("If-None-Match", "*").code)
	require.Equal(t, 200, get("If-None-Match", `"other"`).code)
	require.Equal(t, 200, get("If-Match", tag).code)
	require.Equal(t, 412, get("If-Match", `"other"`).code)
	require.Equal(t, 404, c.with(http.Header{"If-None-Match": {"*"}}, "GET", widget+"-missing", "").code)
}

// The service checks a request's conditions only if the request would otherwise succeed (RFC 9110,
// section 13.2.1).
func TestConditionsCheckedLast(t *testing.T) {
	svc := &fakes.Service{}
	c := newTester(t, svc)
	require.Equal(t, 201, c.with(http.Header{"If-None-Match": {"*"}}, "PUT", widget, "{}").code)
	require.Equal(t, 409, c.with(http.Header{"If-None-Match": {"*"}}, "PUT", widget, "{}").code)
	require.Equal(t, 412, c.with(http.Header{"If-Match": {`"other"`}}, "DELETE", widget, "").code)
	require.Equal(t, "Accepted", c.get(statusURL).status(), "a refused DELETE must not end the operation")
}

// IBM Cloud services and the ARO-HCP frontend send no ETags and ignore conditions.
func TestServicesWithoutETags(t *testing.T) {
	for path, svc := range map[string]*fakes.Service{hcpCluster: arohcp.New(), "/v1/widgets/w1": ibmcloud.New(nil)} {
		svc.Put(path, map[string]any{"location": "west"})
		c := newTester(t, svc)
		require.NotContains(t, c.get(path).header, "Etag")
		require.Less(t, c.with(http.Header{"If-None-Match": {"*"}}, "PUT", path, `{"location":"west"}`).code, 300)
	}
}
