package arohcp_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes/arohcp"
)

const (
	hcpRequest = hcpCluster + "/requestAdminCredential"
	hcpRevoke  = hcpCluster + "/revokeCredentials"
	hcpPool    = hcpCluster + "/nodePools/np1"
	newCluster = hcpCluster + "-new"
)

// conflict returns the body of a 409 with this message and target.
func conflict(message, target string) string {
	return `{"error":{"code":"Conflict","message":"` + message + `","target":"` + target + `"}}`
}

// missing returns the body of the frontend's 404 for a missing resource.
func missing(what, target string) string {
	return `{"error":{"code":"ResourceNotFound","message":"The resource '` + what + `' under resource group 'rg1' was not found.","target":"` + target + `"}}`
}

// notRouted is the body of the frontend's 404 for a path without a route.
const notRouted = `{"error":{"code":"NotFound","message":"The requested path could not be found."}}`

// An exchange is a request and its expected response. If the path has no query, play appends
// hcpQuery.
type exchange struct {
	media              string // the Content-Type of the request
	method, path, body string
	code               int
	retryAfter         string
	state              string // the expected status or provisioningState; not checked if empty
	wantCode, wantBody string // wantBody is the whole body with "*" instead of times; not checked if empty
}

// play sends requests to a service that has one cluster, and checks the responses. Operations stay
// in progress for three polls.
func play(t *testing.T, exchanges []exchange) {
	svc := arohcp.New()
	svc.Default.Polls = 3
	svc.Put(hcpCluster, map[string]any{"location": "fake-location"})
	c := newTester(t, svc)
	for i, x := range exchanges {
		url := host + x.path
		if !strings.Contains(x.path, "?") {
			url += hcpQuery
		}
		header := http.Header{}
		if x.media != "" {
			header.Set("Content-Type", x.media)
		}
		r := c.with(header, x.method, url, x.body)
		require.Equal(t, x.code, r.code, "exchange %d: %s %s: %s", i, x.method, x.path, r.body)
		require.Equal(t, x.wantCode, r.header.Get("X-Ms-Error-Code"), "exchange %d", i)
		require.Equal(t, x.retryAfter, r.header.Get("Retry-After"), "exchange %d", i)
		if x.state != "" {
			require.Equal(t, x.state, r.status(), "exchange %d", i)
		}
		if x.wantBody != "" {
			require.JSONEq(t, x.wantBody, timeless.ReplaceAllString(r.body, `"$1":"*"`), "exchange %d", i)
		}
	}
}

const (
	statuses = hcpScope + "/locations/fake-location/hcpOperationStatuses/"
	results  = hcpScope + "/locations/fake-location/hcpOperationResults/"
)

// second and third are the IDs of the second and third operations.
var second, third = strings.TrimSuffix(first, "1") + "2", strings.TrimSuffix(first, "1") + "3"

// superseded returns the status document of a superseded operation.
func superseded(id string) string {
	return `{"id":"` + statuses + id + `","name":"` + id + `","status":"Canceled","startTime":"*","endTime":"*","error":{"code":"Canceled","message":"This operation was superseded by another"}}`
}

// The service must refuse the same requests as the frontend. Each case sends a sequence of
// requests.
func TestRefusals(t *testing.T) {
	const (
		revoking   = "Cannot request credential while credentials are being revoked"
		badVersion = `{"error":{"code":"InvalidResourceType","message":"The resource type 'Microsoft.RedHatOpenShift/hcpOpenShiftClusters' could not be found API version '*'."}}`
		empty      = `{"error":{"code":"InvalidRequestContent","message":"The request content was invalid and could not be deserialized: \"unexpected end of JSON input\""}}`
		unknown    = "00000000-0000-0000-0000-000000000000"
	)
	tests := map[string][]exchange{
		"two credential requests at once": {
			{method: "POST", path: hcpRequest, code: 202},
			{method: "POST", path: hcpRequest, code: 202},
			{method: "GET", path: results + first, code: 202},
			{method: "GET", path: results + second, code: 202},
		},
		"a revocation cancels the requests that run": {
			{method: "POST", path: hcpRequest, code: 202},
			{method: "POST", path: hcpCluster + "/REQUESTADMINCREDENTIAL", code: 202},
			{method: "POST", path: hcpRevoke, code: 202},
			{method: "GET", path: statuses + first, code: 200, wantBody: superseded(first)},
			{method: "GET", path: statuses + second, code: 200, wantBody: superseded(second)},
			{method: "GET", path: results + first, code: 500, wantCode: "InternalServerError"},
		},
		"a request during a revocation": {
			{method: "POST", path: hcpRevoke, code: 202},
			{method: "POST", path: hcpRequest, code: 409, retryAfter: "10", wantCode: "Conflict", wantBody: conflict(revoking, hcpCluster)},
			{method: "POST", path: hcpRevoke, code: 409, retryAfter: "10", wantCode: "Conflict", wantBody: conflict("Credentials are already being revoked", hcpCluster)},
			{method: "GET", path: statuses + first, code: 200}, // the revocation ends after three polls
			{method: "GET", path: statuses + first, code: 200},
			{method: "GET", path: statuses + first, code: 200},
			{method: "POST", path: hcpRequest, code: 202},
		},
		"a POST while the cluster changes names the cluster": {
			{method: "PATCH", path: hcpCluster, body: "{}", code: 202},
			{method: "POST", path: hcpRequest, code: 409, wantCode: "Conflict", wantBody: conflict(`Cannot request credential while resource is \"accepted\"`, hcpCluster)},
			{method: "DELETE", path: hcpCluster, code: 202},
			{method: "POST", path: hcpRevoke, code: 409, wantCode: "Conflict", wantBody: conflict(`Cannot revoke credentials while resource is \"deleting\"`, hcpCluster)},
		},
		"a POST of a cluster that does not exist": {
			{method: "POST", path: strings.Replace(hcpRequest, "c3", "c4", 1), code: 404, wantCode: "ResourceNotFound", wantBody: missing("hcpOpenShiftClusters/requestAdminCredential/", strings.Replace(hcpRequest, "c3", "c4", 1))},
			{method: "POST", path: strings.Replace(hcpRevoke, "c3", "c4", 1), code: 404, wantCode: "ResourceNotFound", wantBody: missing("hcpOpenShiftClusters/revokeCredentials/", strings.Replace(hcpRevoke, "c3", "c4", 1))},
		},
		"an unknown action": {
			{method: "POST", path: hcpCluster + "/start", code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "POST", path: hcpCluster + "/start?", code: 404, wantCode: "NotFound", wantBody: notRouted}, // the frontend checks the route before the api-version
			{method: "POST", path: hcpCluster, code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "PUT", path: hcpPool, body: "{}", code: 201},
			{method: "POST", path: hcpPool + "/revokeCredentials", code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "OPTIONS", path: hcpCluster, code: 404, wantCode: "NotFound", wantBody: notRouted},
		},
		"a status URL can only be read": {
			{method: "PATCH", path: hcpCluster, body: "{}", code: 202},
			{method: "POST", path: statuses + first, code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "POST", path: statuses + first + "/cancel", code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "DELETE", path: statuses + first, code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "DELETE", path: strings.ToUpper(results + first), code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "PUT", path: statuses + first, code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "DELETE", path: statuses + unknown, code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "POST", path: results + unknown, code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "PATCH", path: hcpCluster, body: "{}", code: 409, wantCode: "Conflict"}, // the operation still runs, because no request has canceled it
		},
		"a wrong api-version": {
			{method: "GET", path: hcpCluster + "?api-version=2020-01-01", code: 400, wantCode: "InvalidResourceType", wantBody: strings.Replace(badVersion, "*", "2020-01-01", 1)},
			{method: "PUT", path: hcpPool + "?api-version=2024-06-10", body: "{}", code: 400, wantCode: "InvalidResourceType", wantBody: strings.Replace(badVersion, "*", "2024-06-10", 1)},
			{method: "GET", path: hcpCluster + "?api-version=2025-12-23-preview", code: 200},
			{method: "GET", path: hcpCluster + "?", code: 400, wantCode: "InvalidParameter"},
		},
		"an empty PUT": {
			{method: "PUT", path: hcpPool, code: 400, wantCode: "InvalidRequestContent", wantBody: empty},
			{method: "PUT", path: hcpCluster, body: " \n", code: 400, wantCode: "InvalidRequestContent", wantBody: empty},
			{method: "GET", path: hcpPool, code: 404, wantCode: "ResourceNotFound"},
			{method: "DELETE", path: hcpCluster, code: 202},
			{method: "PUT", path: hcpCluster, code: 409, wantCode: "Conflict"}, // the frontend checks the state before the body
		},
		"a node pool while the cluster is Provisioning": {
			{method: "PUT", path: newCluster, body: `{"location":"fake-location"}`, code: 201}, // the new cluster is Accepted, so the next PUT succeeds
			{method: "PUT", path: newCluster + "/nodePools/np2", body: "{}", code: 201},
			{method: "GET", path: statuses + second, code: 200},
			{method: "GET", path: statuses + second, code: 200},
			{method: "GET", path: statuses + second, code: 200},
			{method: "GET", path: statuses + first, code: 200},
			{method: "GET", path: statuses + first, code: 200, state: "Provisioning"},
			{method: "PUT", path: newCluster + "/nodePools/np3", body: "{}", code: 409, wantCode: "Conflict", wantBody: conflict("Cannot create resource while parent resource is provisioning", newCluster+"/nodePools/np3")},
			{method: "PATCH", path: newCluster + "/nodePools/np3", body: "{}", code: 404, wantCode: "ResourceNotFound"},
			{method: "DELETE", path: newCluster + "/nodePools/np3", code: 204},
			{method: "PUT", path: newCluster + "/nodePools/np2", body: "{}", code: 409, wantCode: "Conflict", wantBody: conflict("Cannot update resource while parent resource is provisioning", newCluster+"/nodePools/np2")},
			{method: "PATCH", path: newCluster + "/nodePools/np2", body: "{}", code: 409, wantCode: "Conflict", wantBody: conflict("Cannot update resource while parent resource is provisioning", newCluster+"/nodePools/np2")},
			{method: "DELETE", path: newCluster + "/nodePools/np2", code: 409, wantCode: "Conflict", wantBody: conflict("Cannot delete resource while parent resource is provisioning", newCluster+"/nodePools/np2")},
			{method: "DELETE", path: newCluster, code: 202},
			{method: "PUT", path: newCluster + "/nodePools/np3", body: "{}", code: 409, wantCode: "Conflict", wantBody: conflict("Cannot create resource while parent resource is deleting", newCluster+"/nodePools/np3")},
		},
	}
	for name, exchanges := range tests {
		t.Run(name, func(t *testing.T) { play(t, exchanges) })
	}
}

// timeless matches the times in a status document.
var timeless = regexp.MustCompile(`"(startTime|endTime)":"[^"]*"`)
