package arohcp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
)

// The tests in this file cover behavior of the live frontend that is not in the recorded
// conversation in transcript_test.go.

const (
	internal = `{"error":{"code":"InternalServerError","message":"Internal server error."}}`
	lastPool = `{"error":{"code":"InvalidRequestContent","message":"Forbidden: The last node pool can not be deleted from a cluster.","target":"name"}}`
	withCSR  = "?api-version=2026-09-01-preview"
)

func TestLiveFrontend(t *testing.T) {
	otherPool := strings.Replace(hcpPool, "np1", "np2", 1)
	absent := strings.Replace(hcpCluster, "c3", "c4", 1)
	tests := map[string][]exchange{
		"a DELETE of a cluster cancels the operations below it": {
			{method: "PUT", path: hcpPool, body: `{"location":"fake-location"}`, code: 201},
			{method: "POST", path: hcpRequest, code: 202},
			{method: "DELETE", path: hcpCluster, code: 202},
			{method: "GET", path: statuses + first, code: 200, wantBody: superseded(first)},
			{method: "GET", path: results + first, code: 500, wantCode: "InternalServerError", wantBody: internal},
			{method: "GET", path: statuses + second, code: 200, wantBody: superseded(second)},
			{method: "GET", path: statuses + third, code: 200, state: "Deleting"},
			{method: "GET", path: hcpCluster, code: 200, state: "Deleting"},
			{method: "GET", path: statuses + third, code: 200},
			{method: "GET", path: statuses + third, code: 200},
			{method: "GET", path: statuses + third, code: 200, state: "Succeeded"},
			{method: "GET", path: hcpPool, code: 404, wantCode: "ResourceNotFound"},
			{method: "GET", path: statuses + first, code: 200, wantBody: superseded(first)},
		},
		"a DELETE of a cluster deletes its node pools at once": {
			{method: "PUT", path: hcpPool, body: "{}", code: 201},
			{method: "DELETE", path: hcpCluster, code: 202},
			{method: "GET", path: hcpPool, code: 200, state: "Deleting"},
			{method: "DELETE", path: hcpPool, code: 409, wantCode: "Conflict", wantBody: conflict("Resource is already deleting", hcpPool)},
			{method: "PUT", path: hcpPool, body: "{}", code: 409, wantCode: "Conflict", wantBody: conflict(`Cannot update resource while resource is \"deleting\"`, hcpPool)},
			{method: "PATCH", path: hcpPool, body: "{}", code: 409, wantCode: "Conflict", wantBody: conflict(`Cannot update resource while resource is \"deleting\"`, hcpPool)},
		},
		"a node pool of a cluster that does not exist": {
			{method: "PUT", path: absent + "/nodePools/np1", body: "{}", code: 404, wantCode: "ResourceNotFound", wantBody: missing("hcpOpenShiftClusters/c4", absent)},
			{method: "GET", path: absent + "/nodePools/np1", code: 404, wantCode: "ResourceNotFound"},
			{method: "PATCH", path: absent + "/nodePools/np1", body: "{}", code: 404, wantCode: "ResourceNotFound", wantBody: missing("hcpOpenShiftClusters/nodePools/np1", absent+"/nodePools/np1")},
			{method: "DELETE", path: absent + "/nodePools/np1", code: 204},
		},
		"a PUT of an existing resource updates it": {
			{method: "PUT", path: hcpCluster, body: "{}", code: 200, state: "Accepted"},
			{method: "GET", path: statuses + first, code: 200, state: "Accepted"},
			{method: "GET", path: statuses + first, code: 200, state: "Updating"},
			{method: "GET", path: hcpCluster, code: 200, state: "Updating"},
			{method: "PATCH", path: hcpCluster, body: "{}", code: 409, wantCode: "Conflict", wantBody: conflict(`Cannot update resource while resource is \"updating\"`, hcpCluster)},
			{method: "PUT", path: hcpPool, body: "{}", code: 201}, // allowed, because the cluster is neither Provisioning nor Deleting
		},
		"the last node pool is not deleted": {
			{method: "PUT", path: hcpPool, body: "{}", code: 201},
			{method: "DELETE", path: hcpPool, code: 400, wantCode: "InvalidRequestContent", wantBody: lastPool},
			{method: "PUT", path: otherPool, body: "{}", code: 201},
			{method: "DELETE", path: hcpPool, code: 202},
			{method: "DELETE", path: hcpPool, code: 409, wantCode: "Conflict", wantBody: conflict("Resource is already deleting", hcpPool)},
			{method: "GET", path: statuses + third, code: 200},
			{method: "GET", path: statuses + third, code: 200},
			{method: "GET", path: statuses + third, code: 200},
			{method: "DELETE", path: otherPool, code: 400, wantCode: "InvalidRequestContent", wantBody: lastPool},
			{method: "DELETE", path: hcpCluster, code: 202},
		},
		"2026-10-01-preview is not an API version": {
			{method: "GET", path: hcpCluster + "?api-version=2026-09-01-preview", code: 200},
			{method: "GET", path: hcpCluster + "?api-version=2026-10-01-preview", code: 400, wantCode: "InvalidResourceType"},
		},
		"a request for a credential needs a signing request": {
			{method: "POST", path: hcpRequest + withCSR, body: "{}", code: 400, wantCode: "InvalidRequestContent", wantBody: `{"error":{"code":"InvalidRequestContent","message":"Required value","target":"certificateSigningRequest"}}`},
			{method: "POST", path: hcpRequest + withCSR, code: 400, wantCode: "InvalidRequestContent", wantBody: `{"error":{"code":"InvalidRequestContent","message":"The request content was invalid and could not be deserialized: \"unexpected end of JSON input\""}}`},
			{method: "POST", path: hcpRequest + withCSR, body: `{"certificateSigningRequest":"-----BEGIN CERTIFICATE REQUEST-----"}`, code: 202},
			{method: "POST", path: hcpRequest + "?api-version=2026-06-30-preview", body: "{}", code: 202},
			{method: "POST", path: hcpRevoke + withCSR, code: 202},
			{method: "POST", path: hcpRequest + withCSR, body: "{}", code: 409, retryAfter: "10", wantCode: "Conflict"}, // the frontend checks the state before the body
		},
		"only JSON is a media type": {
			{method: "PUT", path: hcpPool, media: "text/plain", body: "{}", code: 415, wantCode: "UnsupportedMediaType", wantBody: `{"error":{"code":"UnsupportedMediaType","message":"The content media type 'text/plain' is not supported. Only 'application/json' is supported."}}`},
			{method: "PATCH", path: hcpCluster, media: "text/plain; charset=utf-8", body: "{}", code: 415, wantCode: "UnsupportedMediaType"},
			{method: "POST", path: hcpCluster + "/start", media: "text/plain", code: 415, wantCode: "UnsupportedMediaType"}, // the frontend checks the media type before the route
			{method: "GET", path: hcpCluster, media: "text/plain", code: 200},
			{method: "PUT", path: hcpPool, media: "Application/JSON; charset=utf-8", body: "{}", code: 201},
		},
		"some bodies make the frontend fail": {
			{method: "PATCH", path: hcpCluster, code: 500, wantCode: "InternalServerError", wantBody: internal},
			{method: "PUT", path: hcpCluster, body: " null\n", code: 500, wantCode: "InternalServerError", wantBody: internal},
			{method: "PUT", path: hcpPool, body: "null", code: 500, wantCode: "InternalServerError", wantBody: internal},
			{method: "PATCH", path: hcpPool, code: 404, wantCode: "ResourceNotFound"}, // the frontend looks up the resource before it reads the body
			{method: "GET", path: hcpCluster, code: 200, state: "Succeeded"},
		},
		"only a POST performs an action": {
			{method: "GET", path: hcpRequest, code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "GET", path: hcpRevoke, code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "PUT", path: hcpRevoke, body: "{}", code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "DELETE", path: hcpRevoke, code: 404, wantCode: "NotFound", wantBody: notRouted},
		},
	}
	for name, exchanges := range tests {
		t.Run(name, func(t *testing.T) { play(t, exchanges) })
	}
}

// The frontend refuses to delete a cluster's last node pool, even if another cluster has a node
// pool. It accepts a DELETE of a cluster's last externalAuth.
func TestLastPoolOfEachCluster(t *testing.T) {
	svc := arohcp.New()
	svc.Put(hcpPool, map[string]any{})
	svc.Put(newCluster+"/nodePools/np1", map[string]any{})
	svc.Put(hcpCluster+"/externalAuths/e1", map[string]any{})
	c := newTester(t, svc)
	require.JSONEq(t, lastPool, c.do("DELETE", host+hcpPool+hcpQuery, "").body)
	require.Equal(t, 202, c.do("DELETE", host+hcpCluster+"/externalAuths/e1"+hcpQuery, "").code)
}

// A new cluster becomes Provisioning after ten seconds, even if no client polls. From then on, the
// frontend refuses changes.
func TestStateWithoutPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := arohcp.New()
		svc.Default.Duration = fakes.Forever
		c := newTester(t, svc)
		send := func(method, path string) reply { return c.do(method, host+path+hcpQuery, "{}") }
		created := send("PUT", hcpCluster)
		require.Equal(t, 201, created.code)
		time.Sleep(10*time.Second - 1)
		require.Equal(t, 201, send("PUT", hcpPool).code, "the frontend must allow a new node pool while the cluster is Accepted")
		require.Equal(t, "Accepted", send("GET", hcpCluster).status())

		time.Sleep(time.Nanosecond)
		require.Equal(t, "Provisioning", send("GET", hcpCluster).status())
		require.Equal(t, "Provisioning", svc.Operations()[0].Status)
		r := send("PUT", hcpCluster+"/nodePools/np2")
		require.Equal(t, 409, r.code)
		require.JSONEq(t, conflict("Cannot create resource while parent resource is provisioning", hcpCluster+"/nodePools/np2"), r.body)
		require.JSONEq(t, conflict(`Cannot update resource while resource is \"provisioning\"`, hcpCluster), send("PATCH", hcpCluster).body)
		require.JSONEq(t, conflict(`Cannot request credential while resource is \"provisioning\"`, hcpCluster), send("POST", hcpRequest).body)
		require.Equal(t, "Provisioning", c.get(created.header.Get("Azure-AsyncOperation")).status(), "the first poll must report the second status")
	})
}

// The frontend refuses a change to a resource whose state is not terminal, even if no operation on
// the resource is in progress.
func TestStateWithoutOperation(t *testing.T) {
	in := func(state string) map[string]any {
		return map[string]any{"properties": map[string]any{"provisioningState": state}}
	}
	tests := []struct{ state, method, path, want string }{
		{"Provisioning", "PUT", hcpPool, conflict("Cannot create resource while parent resource is provisioning", hcpPool)},
		{"Provisioning", "PATCH", hcpCluster, conflict(`Cannot update resource while resource is \"provisioning\"`, hcpCluster)},
		{"Updating", "POST", hcpRevoke, conflict(`Cannot revoke credentials while resource is \"updating\"`, hcpCluster)},
		{"AwaitingSecret", "PUT", hcpCluster, conflict(`Cannot update resource while resource is \"awaitingsecret\"`, hcpCluster)},
		{"Deleting", "DELETE", hcpCluster, conflict("Resource is already deleting", hcpCluster)},
		{"Deleting", "PUT", hcpPool, conflict("Cannot create resource while parent resource is deleting", hcpPool)},
	}
	for _, tt := range tests {
		svc := arohcp.New()
		svc.Put(hcpCluster, in(tt.state))
		r := newTester(t, svc).do(tt.method, host+tt.path+hcpQuery, "{}")
		require.Equal(t, 409, r.code, "%s in %s", tt.method, tt.state)
		require.JSONEq(t, tt.want, r.body, "%s in %s", tt.method, tt.state)
	}
	for _, state := range []string{"Succeeded", "Failed", "Canceled"} {
		svc := arohcp.New()
		svc.Put(hcpCluster, in(state))
		require.Equal(t, 202, newTester(t, svc).do("PATCH", host+hcpCluster+hcpQuery, "{}").code, state)
	}
}

// The frontend ignores the location in an operation's URL. It shows an operation only to the tenant
// and client that started it, and ignores the case of their IDs.
func TestOperationIdentity(t *testing.T) {
	svc := arohcp.New()
	svc.Default.Duration = fakes.Forever
	svc.Put(hcpCluster, map[string]any{"location": "fake-location"})
	c := newTester(t, svc)
	require.Equal(t, 202, c.as("tenant1/client1", "PATCH", hcpCluster, "{}").code)
	status, result := statuses+first, results+first
	tests := []struct {
		who, path string
		code      int
	}{
		{"tenant1/client1", status, 200},
		{"TENANT1/Client1", status, 200},
		{"Tenant1/CLIENT1", result, 202},
		{"tenant1/client2", status, 404},
		{"tenant1/client1", strings.Replace(status, "fake-location", "elsewhere", 1), 200},
		{"tenant1/client1", strings.Replace(result, "fake-location", "elsewhere", 1), 202},
		{"tenant1/client2", strings.Replace(status, "fake-location", "elsewhere", 1), 404},
		{"tenant1/client1", strings.Replace(status, "6b69", "another", 1), 404},
		{"tenant1/client1", strings.Replace(status, "locations", "regions", 1), 404},
	}
	for _, tt := range tests {
		require.Equal(t, tt.code, c.as(tt.who, "GET", tt.path, "").code, "%s %s", tt.who, tt.path)
	}
	require.Contains(t, c.as("tenant1/client1", "GET", strings.Replace(status, "fake-location", "elsewhere", 1), "").body, `"id":"`+status+`"`)
}

// A listing by subscription returns the clusters in all resource groups of the subscription.
func TestListBySubscription(t *testing.T) {
	const list = hcpScope + "/hcpOpenShiftClusters"
	svc := arohcp.New()
	svc.PageSize = 2
	svc.Default = fakes.Plan{Style: fakes.Location, Duration: fakes.Forever}
	for _, path := range []string{hcpCluster, hcpPool, newCluster, strings.Replace(hcpCluster, "rg1", "rg2", 1), strings.Replace(hcpCluster, "6b69", "6b6", 1), strings.Replace(hcpCluster, "hcpOpenShiftClusters", "others", 1)} {
		svc.Put(path, map[string]any{})
	}
	c := newTester(t, svc)
	require.Equal(t, 202, c.do("PUT", host+hcpCluster+"-hidden"+hcpQuery, "{}").code)
	var got []string
	for url := host + list + hcpQuery; url != ""; {
		r := c.get(url)
		require.Equal(t, 200, r.code)
		var page struct {
			Value    []struct{ ID string }
			NextLink string
		}
		require.NoError(t, json.Unmarshal([]byte(r.body), &page))
		require.LessOrEqual(t, len(page.Value), 2)
		for _, cluster := range page.Value {
			got = append(got, cluster.ID)
		}
		url = page.NextLink
	}
	require.Equal(t, []string{hcpCluster, newCluster, strings.Replace(hcpCluster, "rg1", "rg2", 1)}, got)

	svc.Pages(list, []int{1})
	require.JSONEq(t, `{"value":[1]}`, c.get(host+list+hcpQuery).body)
	require.JSONEq(t, `{"value":[]}`, c.get(host+strings.Replace(list, "6b69", "6b", 1)+hcpQuery).body)
}

// The frontend refuses every request in a subscription that is not registered.
func TestUnknownSubscription(t *testing.T) {
	const want = `{"error":{"code":"InvalidSubscriptionState","message":"Request is not allowed in unregistered subscription '6b69'."}}`
	svc := arohcp.New()
	svc.Put("/subscriptions/s", map[string]any{"state": "Registered"})
	requireUnknown(t, svc, want)
	svc.Put("/subscriptions/6b69", map[string]any{"state": "Unregistered"})
	requireUnknown(t, svc, want)
}

// requireUnknown requires that the service refuses requests in the subscription 6b69 with the given
// body, and accepts requests outside that subscription.
func requireUnknown(t *testing.T, svc *fakes.Service, want string) {
	t.Helper()
	c := newTester(t, svc)
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
		r := c.do(method, host+hcpCluster+hcpQuery, "{}")
		require.Equal(t, 400, r.code, method)
		require.Equal(t, "InvalidSubscriptionState", r.header.Get("X-Ms-Error-Code"), method)
		require.JSONEq(t, want, r.body, method)
	}
	require.JSONEq(t, want, c.get(host+hcpScope+"/hcpOpenShiftClusters"+hcpQuery).body)
	require.Equal(t, 400, c.get(statuses+first).code)
	require.Contains(t, c.do("PUT", host+hcpCluster, "{}").body, "InvalidParameter", "the frontend must check the api-version first")
	require.NotEqual(t, 400, c.do("PUT", widget, "{}").code, "the service must accept a request in another subscription")
	require.Equal(t, 200, c.get("/widgets").code, "the service must accept a request outside all subscriptions")
}

// A refused deletion of a cluster cancels no operation. An accepted one cancels the operations in
// the cluster, and the frontend then refuses changes even if the cluster's status is not Deleting.
func TestDeletionWithPlan(t *testing.T) {
	svc := arohcp.New()
	svc.Default.Duration = fakes.Forever
	svc.Plan(fakes.Plan{Method: "DELETE", Times: 1, Style: fakes.Synchronous, Ending: fakes.Failed, FailureCode: 403})
	svc.Plan(fakes.Plan{Method: "DELETE", Duration: fakes.Forever, Words: []string{"Removing"}})
	svc.Put(hcpCluster, map[string]any{})
	c := newTester(t, svc)
	send := func(method, path string) reply { return c.do(method, host+path+hcpQuery, "{}") }
	require.Equal(t, 201, send("PUT", hcpPool).code)
	require.Equal(t, 403, send("DELETE", hcpCluster).code)
	require.Equal(t, "Accepted", send("GET", hcpPool).status())
	require.Equal(t, 202, send("DELETE", hcpCluster).code)
	require.Equal(t, "Deleting", send("GET", hcpPool).status())
	require.Equal(t, "Removing", send("GET", hcpCluster).status())
	require.JSONEq(t, conflict("Resource is already deleting", hcpCluster), send("DELETE", hcpCluster).body)
	require.JSONEq(t, conflict(`Cannot update resource while resource is \"removing\"`, hcpCluster), send("PATCH", hcpCluster).body)
	require.True(t, svc.End(hcpCluster, fakes.Failed, fakes.Error{}))
	require.Equal(t, "Canceled", send("GET", hcpPool).status(), "the node pool must remain after the failed deletion, with its canceled operation")
}

// A GET starts an operation if a plan has the method GET.
func TestGETWithPlan(t *testing.T) {
	svc := arohcp.New()
	svc.Plan(fakes.Plan{Method: "GET", Path: hcpCluster})
	require.Equal(t, 202, newTester(t, svc).get(host+hcpCluster+hcpQuery).code)
}
