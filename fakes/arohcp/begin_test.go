package arohcp_test

import (
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
)

// conflict is the body of a 409 that names target.
func conflict(message, target string) string {
	return `{"error":{"code":"Conflict","message":"` + message + `","target":"` + target + `"}}`
}

// notRouted is the body of the frontend's 404 for a path without a route.
const notRouted = `{"error":{"code":"NotFound","message":"The requested path could not be found."}}`

// Each case is a sequence of requests to a service with one cluster. If a path has no query,
// hcpQuery is added to it.
func TestRefusals(t *testing.T) {
	type exchange struct {
		method, path, body string
		code               int
		retryAfter         string
		wantCode, wantBody string
	}
	const (
		revoking   = "Cannot request credential while credentials are being revoked"
		superseded = `"status":"Canceled","startTime":"*","endTime":"*","error":{"code":"Canceled","message":"This operation was superseded by another"}}`
		badVersion = `{"error":{"code":"InvalidResourceType","message":"The resource type 'Microsoft.RedHatOpenShift/hcpOpenShiftClusters' could not be found API version '*'."}}`
		empty      = `{"error":{"code":"InvalidRequestContent","message":"The request content was invalid and could not be deserialized: \"unexpected end of JSON input\""}}`
		missing    = "00000000-0000-0000-0000-000000000000"
		statuses   = hcpScope + "/locations/fake-location/hcpOperationStatuses/"
		results    = hcpScope + "/locations/fake-location/hcpOperationResults/"
	)
	second := strings.TrimSuffix(first, "1") + "2"
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
			{method: "GET", path: statuses + first, code: 200, wantBody: `{"id":"` + statuses + first + `","name":"` + first + `",` + superseded},
			{method: "GET", path: statuses + second, code: 200, wantBody: `{"id":"` + statuses + second + `","name":"` + second + `",` + superseded},
			{method: "GET", path: results + first, code: 500, wantCode: "InternalServerError"},
		},
		"a request during a revocation": {
			{method: "POST", path: hcpRevoke, code: 202},
			{method: "POST", path: hcpRequest, code: 409, retryAfter: "10", wantCode: "Conflict", wantBody: conflict(revoking, hcpCluster)},
			{method: "POST", path: hcpRevoke, code: 409, retryAfter: "10", wantCode: "Conflict", wantBody: conflict("Credentials are already being revoked", hcpCluster)},
			{method: "GET", path: statuses + first, code: 200}, // after three polls the revocation has ended
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
			{method: "POST", path: strings.Replace(hcpRequest, "c3", "c4", 1), code: 404, wantCode: "ResourceNotFound"},
		},
		"an unknown action": {
			{method: "POST", path: hcpCluster + "/start", code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "POST", path: hcpCluster + "/start?", code: 404, wantCode: "NotFound", wantBody: notRouted}, // the route is checked before the api-version
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
			{method: "DELETE", path: statuses + missing, code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "POST", path: results + missing, code: 404, wantCode: "NotFound", wantBody: notRouted},
			{method: "PATCH", path: hcpCluster, body: "{}", code: 409, wantCode: "Conflict"}, // none of these requests canceled the operation
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
			{method: "PUT", path: hcpPool, body: `{"location":"fake-location"}`, code: 201},
			{method: "GET", path: statuses + first, code: 200},
			{method: "GET", path: statuses + first, code: 200},
			{method: "GET", path: statuses + first, code: 200},
			{method: "PUT", path: hcpCluster, body: `{"location":"fake-location"}`, code: 200}, // now the cluster is Accepted
			{method: "PUT", path: hcpCluster + "/nodePools/np2", body: "{}", code: 201},
			{method: "GET", path: statuses + second, code: 200},
			{method: "GET", path: statuses + second, code: 200}, // now the cluster is Provisioning
			{method: "PUT", path: hcpCluster + "/nodePools/np3", body: "{}", code: 409, wantCode: "Conflict", wantBody: conflict("Cannot create resource while parent resource is provisioning", hcpCluster+"/nodePools/np3")},
			{method: "PATCH", path: hcpCluster + "/nodePools/np3", body: "{}", code: 404, wantCode: "ResourceNotFound"},
			{method: "DELETE", path: hcpCluster + "/nodePools/np3", code: 204},
			{method: "PUT", path: hcpPool, body: "{}", code: 409, wantCode: "Conflict", wantBody: conflict("Cannot update resource while parent resource is provisioning", hcpPool)},
			{method: "PATCH", path: hcpPool, body: "{}", code: 409, wantCode: "Conflict", wantBody: conflict("Cannot update resource while parent resource is provisioning", hcpPool)},
			{method: "DELETE", path: hcpPool, code: 409, wantCode: "Conflict", wantBody: conflict("Cannot delete resource while parent resource is provisioning", hcpPool)},
			{method: "DELETE", path: hcpCluster, code: 202},
			{method: "DELETE", path: hcpPool, code: 409, wantCode: "Conflict", wantBody: conflict("Cannot delete resource while parent resource is deleting", hcpPool)},
		},
	}
	for name, exchanges := range tests {
		t.Run(name, func(t *testing.T) {
			svc := arohcp.New()
			svc.Default.Polls = 3
			svc.Put(hcpCluster, map[string]any{"location": "fake-location"})
			c := newTester(t, svc)
			for i, x := range exchanges {
				url := host + x.path
				if !strings.Contains(x.path, "?") {
					url += hcpQuery
				}
				r := c.do(x.method, url, x.body)
				require.Equal(t, x.code, r.code, "exchange %d: %s %s: %s", i, x.method, x.path, r.body)
				require.Equal(t, x.wantCode, r.header.Get("X-Ms-Error-Code"), "exchange %d", i)
				require.Equal(t, x.retryAfter, r.header.Get("Retry-After"), "exchange %d", i)
				if x.wantBody != "" {
					require.JSONEq(t, x.wantBody, timeless.ReplaceAllString(r.body, `"$1":"*"`), "exchange %d", i)
				}
			}
		})
	}
}

// timeless matches the members of a status document that depend on the clock.
var timeless = regexp.MustCompile(`"(startTime|endTime)":"[^"]*"`)
