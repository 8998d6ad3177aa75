package arohcp_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
)

const (
	hcpScope   = "/subscriptions/6b69/providers/Microsoft.RedHatOpenShift"
	hcpCluster = "/subscriptions/6b69/resourceGroups/rg1/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/c3"
	hcpQuery   = "?api-version=2024-06-10-preview"
)

// hcp expands abbreviations such as {status1}, which stands for the path of the first operation's
// status document.
var hcp = func() *strings.Replacer {
	pairs := []string{
		"{cluster}", hcpCluster,
		"{fail}", strings.Replace(hcpCluster, "c3", "fail-c3", 1),
		"{bad}", strings.Replace(hcpCluster, "c3", "bad", 1),
		"{type}", "Microsoft.RedHatOpenShift/hcpOpenShiftClusters",
		"{op0}", "00000000-0000-0000-0000-000000000000",
		"{status0}", hcpScope + "/locations/fake-location/hcpOperationStatuses/00000000-0000-0000-0000-000000000000",
	}
	for i := 1; i < 10; i++ {
		id := strings.TrimSuffix(first, "1") + fmt.Sprint(i)
		at := hcpScope + "/locations/fake-location/hcpOperation"
		pairs = append(pairs,
			fmt.Sprintf("{op%d}", i), id,
			fmt.Sprintf("{status%d}", i), at+"Statuses/"+id,
			fmt.Sprintf("{STATUS%d}", i), strings.ToUpper(at+"Statuses/"+id),
			fmt.Sprintf("{result%d}", i), at+"Results/"+id)
	}
	return strings.NewReplacer(pairs...)
}()

// hcpService returns a service with plans for the recorded conversation. An operation in progress
// ends only when the test calls Finish or a DELETE supersedes it.
func hcpService() *fakes.Service {
	svc := arohcp.New()
	svc.Plan(fakes.Plan{Path: hcp.Replace("{fail}"), Duration: fakes.Forever, Ending: fakes.Failed, Error: fakes.Error{
		Code: "InternalServerError", Message: "cluster install failed", Target: hcp.Replace("{fail}"),
		Details: []fakes.Error{{Code: "OCM4001", Message: "quota"}},
	}})
	svc.Plan(fakes.Plan{
		Path: hcp.Replace("{bad}"), Style: fakes.Synchronous, Ending: fakes.Failed, FailureCode: http.StatusBadRequest,
		Error: fakes.Error{Code: "MultipleErrorsOccurred", Message: "2 errors occurred", Details: []fakes.Error{
			{Code: "InvalidRequestContent", Message: `Invalid value: "nope": invalid CIDR address: nope`, Target: "properties.network.podCidr"},
			{Code: "InvalidRequestContent", Message: "Invalid value: 999: must be less than or equal to 26", Target: "properties.network.hostPrefix"},
		}},
	})
	svc.Plan(fakes.Plan{Method: "PUT", Duration: fakes.Forever, Words: []string{"Accepted"}})
	svc.Default = fakes.Plan{Duration: fakes.Forever}
	return svc
}

// The service reproduces a conversation with the real frontend, exchange by exchange. The "done"
// column names an operation that ends just before the request. The rows also have systemData, which
// newer frontends return but the recording lacks.
func TestTranscript(t *testing.T) {
	const (
		created   = `{"location":"fake-location","tags":{"one":"apple"}}`
		generic   = `{"error":{"code":"InternalServerError","message":"Internal server error."}}`
		bothLinks = "Azure-Asyncoperation Location"
	)
	// The two numbers are the seconds at which the cluster was created and last changed.
	cluster := func(state, tags string, created, changed int) string {
		return `{"id":"{cluster}","location":"fake-location","name":"c3","properties":{"provisioningState":"` + state + `"},"tags":` + tags + `,"type":"{type}",` +
			fmt.Sprintf(`"systemData":{"createdAt":"2000-01-01T00:00:%02dZ",`, created) + `"createdBy":"Unknown-ARO-HCP-frontend","createdByType":"Application",` +
			fmt.Sprintf(`"lastModifiedAt":"2000-01-01T00:00:%02dZ",`, changed) + `"lastModifiedBy":"Unknown-ARO-HCP-frontend","lastModifiedByType":"Application"}}`
	}
	running := func(n, second int, state string) string {
		return fmt.Sprintf(`{"id":"{status%d}","name":"{op%d}","status":"%s","startTime":"2000-01-01T00:00:%02dZ"}`, n, n, state, second)
	}
	ended := func(n, second, end int, state, more string) string {
		return strings.TrimSuffix(running(n, second, state), "}") + fmt.Sprintf(`,"endTime":"2000-01-01T00:00:%02dZ"%s}`, end, more)
	}
	failed := func(code, message, target string) string {
		return `{"error":{"code":"` + code + `","message":"` + message + `","target":"` + target + `"}}`
	}
	tests := []struct {
		who, done            string
		method, path, body   string
		code                 int
		headers, wantBody    string // headers lists the expected headers except Content-Type and X-Ms-Request-Id; "Error" means X-Ms-Error-Code
		wantHeader, wantLink string
	}{
		{method: "PUT", path: "{cluster}", body: created, code: 201, headers: "Azure-Asyncoperation", wantBody: cluster("Accepted", `{"one":"apple"}`, 0, 0), wantHeader: "Azure-AsyncOperation", wantLink: "{status1}"},
		{method: "GET", path: "{status1}", code: 200, wantBody: running(1, 0, "Accepted")},
		{method: "GET", path: "{result1}", code: 202, headers: "Location", wantHeader: "Location", wantLink: "{result1}"},
		{method: "PATCH", path: "{cluster}", body: `{}`, code: 409, headers: "Error", wantBody: failed("Conflict", `Cannot update resource while resource is \"accepted\"`, "{cluster}")},
		{who: "tenant2/client1", method: "GET", path: "{status1}", code: 404},
		{who: "tenant2/client1", method: "GET", path: "{result1}", code: 404, headers: "Error", wantBody: failed("ResourceNotFound", "The resource 'locations/hcpOperationResults/{op1}' under resource group '' was not found.", "{result1}")},
		{who: "tenant1/client2", method: "GET", path: "{status1}", code: 404},
		{method: "GET", path: "{status0}", code: 404, headers: "Error", wantBody: failed("ResourceNotFound", "The resource 'locations/hcpOperationStatuses/{op0}' under resource group '' was not found.", "{status0}")},
		{method: "GET", path: "{status1}?", code: 400, headers: "Error", wantBody: `{"error":{"code":"InvalidParameter","message":"The request is missing required parameter 'api-version'."}}`},
		{method: "GET", path: "{STATUS1}", code: 200, wantBody: running(1, 0, "Accepted")},
		{done: "{op1}", method: "GET", path: "{status1}", code: 200, wantBody: ended(1, 0, 10, "Succeeded", "")},
		{method: "GET", path: "{result1}", code: 201, wantBody: cluster("Succeeded", `{"one":"apple"}`, 0, 0)},
		{method: "GET", path: "{cluster}", code: 200, wantBody: cluster("Succeeded", `{"one":"apple"}`, 0, 0)},

		{method: "PUT", path: "{cluster}", body: `{"location":"fake-location","tags":{"one":"pear"}}`, code: 200, headers: "Azure-Asyncoperation", wantBody: cluster("Accepted", `{"one":"pear"}`, 0, 13), wantHeader: "Azure-AsyncOperation", wantLink: "{status2}"},
		{done: "{op2}", method: "GET", path: "{status2}", code: 200, wantBody: ended(2, 13, 14, "Succeeded", "")},
		{method: "GET", path: "{result2}", code: 200, wantBody: cluster("Succeeded", `{"one":"pear"}`, 0, 13)},

		{method: "PATCH", path: "{cluster}", body: `{"tags":{"x":"y"}}`, code: 202, headers: bothLinks, wantBody: cluster("Accepted", `{"one":"pear","x":"y"}`, 0, 16), wantHeader: "Location", wantLink: "{result3}"},
		{method: "GET", path: "{result3}", code: 202, headers: "Location", wantHeader: "Location", wantLink: "{result3}"},
		{done: "{op3}", method: "GET", path: "{status3}", code: 200, wantBody: ended(3, 16, 18, "Succeeded", "")},
		{method: "GET", path: "{result3}", code: 200, wantBody: cluster("Succeeded", `{"one":"pear","x":"y"}`, 0, 16)},

		{method: "POST", path: "{cluster}/revokeCredentials", code: 202, headers: bothLinks, wantHeader: "Azure-AsyncOperation", wantLink: "{status4}"},
		{method: "POST", path: "{cluster}/revokeCredentials", code: 409, headers: "Retry-After Error", wantBody: failed("Conflict", "Credentials are already being revoked", "{cluster}")},
		{method: "GET", path: "{result4}", code: 202, headers: "Location", wantHeader: "Location", wantLink: "{result4}"},
		{done: "{op4}", method: "GET", path: "{status4}", code: 200, wantBody: ended(4, 20, 23, "Succeeded", "")},
		{method: "GET", path: "{result4}", code: 204},

		{method: "DELETE", path: "{cluster}", code: 202, headers: bothLinks, wantHeader: "Location", wantLink: "{result5}"},
		{method: "GET", path: "{status5}", code: 200, wantBody: running(5, 25, "Deleting")},
		{method: "GET", path: "{result5}", code: 202, headers: "Location"},
		{method: "GET", path: "{cluster}", code: 200, wantBody: cluster("Deleting", `{"one":"pear","x":"y"}`, 0, 16)},
		{method: "DELETE", path: "{cluster}", code: 409, headers: "Error", wantBody: failed("Conflict", "Resource is already deleting", "{cluster}")},
		{done: "{op5}", method: "GET", path: "{status5}", code: 200, wantBody: ended(5, 25, 30, "Succeeded", "")},
		{method: "GET", path: "{result5}", code: 204},
		{method: "GET", path: "{cluster}", code: 404, headers: "Error", wantBody: failed("ResourceNotFound", "The resource 'hcpOpenShiftClusters/c3' under resource group 'rg1' was not found.", "{cluster}")},
		{method: "DELETE", path: "{cluster}", code: 204},

		{method: "PUT", path: "{cluster}", body: created, code: 201, headers: "Azure-Asyncoperation", wantBody: cluster("Accepted", `{"one":"apple"}`, 34, 34)},
		{method: "DELETE", path: "{cluster}", code: 202, headers: bothLinks},
		{method: "GET", path: "{status6}", code: 200, wantBody: ended(6, 34, 35, "Canceled", `,"error":{"code":"Canceled","message":"This operation was superseded by another"}`)},
		{method: "GET", path: "{result6}", code: 500, headers: "Error", wantBody: generic},

		{method: "PUT", path: "{fail}", body: created, code: 201, headers: "Azure-Asyncoperation", wantBody: strings.ReplaceAll(strings.Replace(cluster("Accepted", `{"one":"apple"}`, 38, 38), "{cluster}", "{fail}", 1), `"c3"`, `"fail-c3"`)},
		{done: "{op8}", method: "GET", path: "{status8}", code: 200, wantBody: ended(8, 38, 39, "Failed", `,"error":{"code":"InternalServerError","message":"cluster install failed","target":"{fail}","details":[{"code":"OCM4001","message":"quota"}]}`)},
		{method: "GET", path: "{result8}", code: 500, headers: "Error", wantBody: generic},
		{method: "GET", path: "{fail}", code: 200, wantBody: strings.ReplaceAll(strings.Replace(cluster("Failed", `{"one":"apple"}`, 38, 38), "{cluster}", "{fail}", 1), `"c3"`, `"fail-c3"`)},

		{method: "PUT", path: "{bad}", body: created, code: 400, headers: "Error", wantBody: `{"error":{"code":"MultipleErrorsOccurred","message":"2 errors occurred","details":[` +
			`{"code":"InvalidRequestContent","message":"Invalid value: \"nope\": invalid CIDR address: nope","target":"properties.network.podCidr"},` +
			`{"code":"InvalidRequestContent","message":"Invalid value: 999: must be less than or equal to 26","target":"properties.network.hostPrefix"}]}}`},
	}
	synctest.Test(t, func(t *testing.T) {
		svc := hcpService()
		c := newTester(t, svc)
		for i, tt := range tests {
			row := fmt.Sprintf("row %d: %s %s", i, tt.method, tt.path)
			if tt.done != "" {
				require.True(t, svc.Finish(hcp.Replace(tt.done)), row)
			}
			if tt.who == "" {
				tt.who = "tenant1/client1"
			}
			r := c.as(tt.who, tt.method, hcp.Replace(tt.path), tt.body)
			require.Equal(t, tt.code, r.code, row)
			headers := strings.Replace(tt.headers, "Error", "X-Ms-Error-Code", 1) + " X-Ms-Request-Id"
			if tt.wantBody == "" {
				require.Empty(t, r.body, row)
			} else {
				headers += " Content-Type"
				require.JSONEq(t, hcp.Replace(tt.wantBody), r.body, row)
			}
			delete(r.header, "Content-Length") // fakes.Transport adds Content-Length and Date
			delete(r.header, "Date")
			require.ElementsMatch(t, strings.Fields(headers), slices.Collect(maps.Keys(r.header)), row)
			if tt.wantLink != "" {
				require.Equal(t, host+hcp.Replace(tt.wantLink)+hcpQuery, r.header.Get(tt.wantHeader), row)
			}
			if strings.Contains(headers, "Retry-After") {
				require.Equal(t, "10", r.header.Get("Retry-After"), row)
			}
			time.Sleep(time.Second)
		}
	})
}

// as sends a request with an identity of the form tenant/client. It appends hcpQuery to the path
// unless the path ends in a question mark.
func (t tester) as(who, method, path, body string) reply {
	t.Helper()
	url := host + path + hcpQuery
	if before, ok := strings.CutSuffix(path, "?"); ok {
		url = host + before
	}
	tenant, client, _ := strings.Cut(who, "/")
	return t.with(http.Header{"X-Ms-Home-Tenant-Id": {tenant}, "X-Ms-Client-Object-Id": {client}}, method, url, body)
}
