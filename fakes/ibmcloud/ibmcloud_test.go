package ibmcloud_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// ibmOperation is the path of a service's first operation. If a POST to /v1/widgets starts that
// operation, it creates the resource at ibmWidget, whose name is ibmName.
const (
	ibmOperation = "/v1/operations/" + first
	ibmWidget    = "/v1/widgets/a0000000-0000-4000-8000-000000000001"
	ibmName      = "a0000000-0000-4000-8000-000000000001"
)

func (t tester) ask(path string) reply {
	t.Helper()
	return t.do(http.MethodGet, host+path, "")
}

// An operation behaves as the handbook says, from its first response until its resource is
// readable.
func TestOperation(t *testing.T) {
	svc := ibmcloud.New(nil)
	c := newTester(t, svc)
	doc := func(status, more string) string {
		return `{"href":"` + host + ibmOperation + `","id":"` + first + `",` + more + `"status":"` + status + `"}`
	}
	r := c.do("POST", host+"/v1/widgets", `{"size":1}`)
	require.Equal(t, 202, r.code)
	require.Equal(t, host+ibmOperation, r.header.Get("Location"))
	require.NotContains(t, r.header, "Content-Location")
	require.NotContains(t, r.header, "Retry-After")
	require.Equal(t, "f0000000-0000-4000-8000-000000000001", r.header.Get("X-Request-Id"))
	require.Equal(t, doc("not_started", ""), r.body)
	require.Equal(t, 404, c.ask(ibmWidget).code, "the resource must not be readable before the operation has ended")
	for _, want := range []string{
		doc("not_started", ""),
		doc("in_progress", ""),
		doc("succeeded", `"resource":{"href":"`+host+ibmWidget+`"},`),
		doc("succeeded", `"resource":{"href":"`+host+ibmWidget+`"},`),
	} {
		r := c.ask(ibmOperation)
		require.Equal(t, 200, r.code)
		require.Equal(t, want, r.body)
	}
	require.Equal(t, `{"href":"`+host+ibmWidget+`","id":"`+ibmName+`","size":1}`, c.ask(ibmWidget).body)
	stored, _ := svc.Resource(ibmWidget)
	require.Equal(t, `{"href":"`+ibmWidget+`","id":"`+ibmName+`","size":1}`, string(stored))
	r = c.with(http.Header{"X-Correlation-Id": {"mine"}}, "GET", host+ibmWidget, "")
	require.Equal(t, "mine", r.header.Get("X-Correlation-Id"))
	require.Equal(t, `{"total_count":1,"widgets":[{"href":"`+host+ibmWidget+`","id":"`+ibmName+`","size":1}]}`, c.ask("/v1/widgets").body)
}

// A request's path and method determine which resource its operation acts on.
func TestMethodsAndPaths(t *testing.T) {
	tests := []struct {
		method, path string
		code         int
		target       string // "" if no operation starts, or if the operation deletes the resource
	}{
		{"POST", "/v1/widgets", 202, ibmWidget},
		{"POST", "/widgets", 202, "/widgets/" + ibmName},
		{"POST", "/v1x/w1/parts", 404, ""}, // v1x is not a version
		{"POST", "/v1/widgets/w1/parts", 202, "/v1/widgets/w1/parts/" + ibmName},
		{"POST", "/v1/widgets/none/parts", 404, ""},
		{"PUT", "/v1/widgets/w2", 202, "/v1/widgets/w2"},
		{"PUT", "/v1/widgets/w1", 202, "/v1/widgets/w1"},
		{"PATCH", "/v1/widgets/w1", 202, "/v1/widgets/w1"},
		{"PATCH", "/v1/widgets/none", 404, ""},
		{"POST", "/v1/widgets/w1/restart", 202, "/v1/widgets/w1"},
		{"POST", "/v1/widgets/w1/actions", 202, "/v1/widgets/w1"},
		{"POST", "/v1/widgets/w1", 202, "/v1/widgets/w1"},
		{"POST", "/v1/widgets/none/restart", 404, ""},
		{"DELETE", "/v1/widgets/w1", 202, ""},
		{"DELETE", "/v1/widgets/none", 404, ""},
	}
	for _, tt := range tests {
		svc := ibmcloud.New(nil)
		svc.Put("/v1/widgets/w1", map[string]any{"a": 1})
		svc.Default.Polls = -1
		c := newTester(t, svc)
		row := tt.method + " " + tt.path
		r := c.do(tt.method, host+tt.path, `{"b":2}`)
		require.Equal(t, tt.code, r.code, row)
		if tt.code == 404 {
			require.Contains(t, r.body, `"code":"not_found"`, row)
			continue
		}
		r = c.do("GET", r.header.Get("Location"), "")
		require.Contains(t, r.body, `"status":"succeeded"`, row)
		if tt.target == "" {
			require.NotContains(t, r.body, "resource", row)
			require.Equal(t, 404, c.ask(tt.path).code, row)
			continue
		}
		require.Contains(t, r.body, `"resource":{"href":"`+host+tt.target+`"}`, row)
		require.Equal(t, 200, c.ask(tt.target).code, row)
	}
}

// The plan and the options determine which headers and members a response has, and whether its URLs
// are relative.
func TestLinks(t *testing.T) {
	tests := map[string]struct {
		plan                      fakes.Plan
		opts                      ibmcloud.Options
		location, content, target string
		href                      string
	}{
		"by default":       {fakes.Plan{}, ibmcloud.Options{}, host + ibmOperation, "", `"resource":{"href":"` + host + ibmWidget + `"}`, host + ibmOperation},
		"Content-Location": {fakes.Plan{Style: ibmcloud.ContentLocation}, ibmcloud.Options{}, "", host + ibmOperation, `"resource":{"href":"` + host + ibmWidget + `"}`, host + ibmOperation},
		"both":             {fakes.Plan{Style: fakes.Location | ibmcloud.ContentLocation}, ibmcloud.Options{}, host + ibmOperation, host + ibmOperation, `"resource":{"href":"` + host + ibmWidget + `"}`, host + ibmOperation},
		"href":             {fakes.Plan{Style: ibmcloud.Href}, ibmcloud.Options{}, "", "", `"resource":{"href":"` + host + ibmWidget + `"}`, host + ibmOperation},
		"relative":         {fakes.Plan{}, ibmcloud.Options{Relative: true}, ibmOperation, "", `"resource":{"href":"` + ibmWidget + `"}`, ibmOperation},
		"relative href":    {fakes.Plan{Style: ibmcloud.Href}, ibmcloud.Options{Relative: true}, "", "", `"resource":{"href":"` + ibmWidget + `"}`, ibmOperation},
		"another member":   {fakes.Plan{}, ibmcloud.Options{Target: "/target/href"}, host + ibmOperation, "", `"target":{"href":"` + host + ibmWidget + `"}`, host + ibmOperation},
		"top-level target": {fakes.Plan{}, ibmcloud.Options{Target: "/resource_href"}, host + ibmOperation, "", `"resource_href":"` + host + ibmWidget + `"`, host + ibmOperation},
		"result":           {fakes.Plan{Result: map[string]int{"n": 1}}, ibmcloud.Options{}, host + ibmOperation, "", `"result":{"n":1}`, host + ibmOperation},
		"percent complete": {fakes.Plan{Percent: true}, ibmcloud.Options{}, host + ibmOperation, "", `"percent_complete":100`, host + ibmOperation},
	}
	for name, tt := range tests {
		svc := ibmcloud.New(&tt.opts)
		tt.plan.Polls = -1
		svc.Plan(tt.plan)
		c := newTester(t, svc)
		r := c.do("POST", host+"/v1/widgets", "{}")
		require.Equal(t, 202, r.code, name)
		require.Equal(t, tt.location, r.header.Get("Location"), name)
		require.Equal(t, tt.content, r.header.Get("Content-Location"), name)
		require.Contains(t, r.body, `"href":"`+tt.href+`"`, name)
		require.Contains(t, c.ask(ibmOperation).body, tt.target, name)
	}
}

// If an operation has its own URL, a GET of the resource is not a poll.
func TestReadIsNotPoll(t *testing.T) {
	for _, style := range []fakes.Style{fakes.Location, ibmcloud.ContentLocation, ibmcloud.Href, ibmcloud.Task} {
		svc := ibmcloud.New(nil)
		svc.Put("/v1/widgets/w1", map[string]any{})
		svc.Default.Style = style
		c := newTester(t, svc)
		require.Equal(t, 202, c.do("PATCH", host+"/v1/widgets/w1", "{}").code)
		require.Equal(t, 200, c.ask("/v1/widgets/w1").code)
		require.Equal(t, fakes.Read, svc.Requests()[1].Kind)
	}
}

func TestOperationEndings(t *testing.T) {
	several := fakes.Error{
		Code: "missing_field", Message: "The `name` field is required.", Target: "name",
		Details: []fakes.Error{{Code: "reserved_value", Message: "taken", Target: "limit"}, {Code: "last", Message: "x"}},
	}
	const severalJSON = `[{"code":"missing_field","message":"The ` + "`name`" + ` field is required.","more_info":"https://docs.test/#missing_field","target":{"type":"field","name":"name"}},` +
		`{"code":"reserved_value","message":"taken","more_info":"https://docs.test/#reserved_value","target":{"type":"field","name":"limit"}},{"code":"last","message":"x","more_info":"https://docs.test/#last"}]`
	tests := map[string]struct {
		plan         fakes.Plan
		status, more string
	}{
		"failed":                {fakes.Plan{Ending: fakes.Failed, Error: several}, "failed", `"errors":` + severalJSON + `,"href":`},
		"no error":              {fakes.Plan{Ending: fakes.Failed}, "failed", `"errors":[{"code":"operation_failed","message":"The operation failed.","more_info":"https://docs.test/#operation_failed"}]`},
		"canceled":              {fakes.Plan{Ending: fakes.Canceled}, "canceled", ""},
		"canceled with EndWord": {fakes.Plan{Ending: fakes.Canceled, EndWord: "cancelled"}, "cancelled", ""},
		"success with EndWord":  {fakes.Plan{EndWord: "done"}, "done", `"resource":`},
	}
	for name, tt := range tests {
		svc := ibmcloud.New(&ibmcloud.Options{MoreInfo: "https://docs.test/#"})
		tt.plan.Polls, tt.plan.Words = 2, []string{"creating"}
		svc.Plan(tt.plan)
		c := newTester(t, svc)
		c.do("POST", host+"/v1/widgets", "{}")
		require.Equal(t, "not_started", c.ask(ibmOperation).status(), name)
		require.Equal(t, "creating", c.ask(ibmOperation).status(), name)
		r := c.ask(ibmOperation)
		require.Equal(t, 200, r.code, name)
		require.Equal(t, tt.status, r.status(), name)
		require.Contains(t, r.body, tt.more, name)
		_, there := svc.Resource(ibmWidget)
		require.Equal(t, name == "success with EndWord", there, name)
		if tt.status == "failed" {
			require.Contains(t, r.body, `"trace":"f0000000-0000-4000-8000-000000000001"`, name)
		}
	}
}

// A DELETE of an operation's URL cancels the operation and is idempotent, as the handbook says.
func TestCancel(t *testing.T) {
	svc := ibmcloud.New(nil)
	svc.Default.EndWord = "done" // EndWord applies only if the operation ends as planned
	c := newTester(t, svc)
	c.do("POST", host+"/v1/widgets", "{}")
	for range 2 {
		require.Equal(t, 204, c.do("DELETE", host+ibmOperation, "").code)
		r := c.ask(ibmOperation)
		require.Equal(t, "canceled", r.status())
		require.NotContains(t, r.body, "errors")
	}
	require.Equal(t, 404, c.ask(ibmWidget).code)
	require.Equal(t, 404, c.do("POST", host+ibmOperation+"/cancel", "").code, "only Azure cancels an operation with a POST to /cancel")
	requests := svc.Requests()
	require.Equal(t, fakes.Cancel, requests[1].Kind)
	require.Equal(t, first, requests[1].Operation)

	ended := ibmcloud.New(nil)
	ended.Default.Polls = -1
	c = newTester(t, ended)
	c.do("POST", host+"/v1/widgets", "{}")
	require.Equal(t, 204, c.do("DELETE", host+ibmOperation, "").code, "a DELETE of an operation that has ended must also get a 204")
	require.Equal(t, "succeeded", c.ask(ibmOperation).status())
}

func TestRefusals(t *testing.T) {
	svc := ibmcloud.New(nil)
	svc.Put("/v1/widgets/w1", map[string]any{})
	svc.Plan(fakes.Plan{
		Path: "/v1/bad", Style: fakes.Synchronous, Ending: fakes.Failed, FailureCode: 400,
		Error: fakes.Error{Code: "missing_field", Message: "name?", Target: "name", Details: []fakes.Error{{Code: "b", Message: "two"}}},
	})
	c := newTester(t, svc)
	require.Equal(t, 202, c.do("PATCH", host+"/v1/widgets/w1", "{}").code)
	tests := []struct {
		method, path, body string
		code               int
		errors             string
	}{
		{"GET", "/v1/widgets/none", "", 404, `[{"code":"not_found","message":"The resource '/v1/widgets/none' was not found."}]`},
		{"PATCH", "/v1/widgets/w1", "{}", 409, `[{"code":"conflict","message":"The resource '/v1/widgets/w1' is busy: not_started"}]`},
		{"DELETE", "/v1/widgets/w1", "", 409, `[{"code":"conflict","message":"The resource '/v1/widgets/w1' is busy: not_started"}]`},
		{"POST", "/v1/widgets/w1/restart", "", 409, `[{"code":"conflict","message":"The resource '/v1/widgets/w1' is busy: not_started"}]`},
		{"POST", "/v1/widgets", "[]", 400, `[{"code":"invalid_request_content","message":"The request content is not a JSON object: not a JSON object"}]`},
		{"POST", "/v1/bad", "{}", 400, `[{"code":"missing_field","message":"name?","target":{"type":"field","name":"name"}},{"code":"b","message":"two"}]`},
	}
	for i, tt := range tests {
		r := c.do(tt.method, host+tt.path, tt.body)
		require.Equal(t, tt.code, r.code, tt.path)
		want := fmt.Sprintf(`{"trace":"f0000000-0000-4000-8000-%012d","errors":%s,"status_code":%d}`, i+2, tt.errors, tt.code)
		require.Equal(t, want, r.body, "%s %s", tt.method, tt.path)
	}
}

// Responses contain the plan's RetryAfter, rounded up to whole seconds, as a number of seconds or
// as a date.
func TestRetryAfter(t *testing.T) {
	tests := map[string]struct {
		plan       fakes.Plan
		begin, ask string
	}{
		"seconds":  {fakes.Plan{RetryAfter: 1500 * time.Millisecond}, "2", "2"},
		"date":     {fakes.Plan{RetryAfter: 90 * time.Second, RetryAfterDate: true}, "Sat, 01 Jan 2000 00:01:30 GMT", "Sat, 01 Jan 2000 00:02:00 GMT"},
		"rounded":  {fakes.Plan{RetryAfter: 1500 * time.Millisecond, RetryAfterDate: true}, "Sat, 01 Jan 2000 00:00:02 GMT", "Sat, 01 Jan 2000 00:00:32 GMT"},
		"none":     {fakes.Plan{}, "", ""},
		"no delay": {fakes.Plan{RetryAfterDate: true}, "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := ibmcloud.New(nil)
				svc.Plan(tt.plan)
				c := newTester(t, svc)
				require.Equal(t, tt.begin, c.do("POST", host+"/v1/widgets", "{}").header.Get("Retry-After"))
				time.Sleep(30 * time.Second)
				require.Equal(t, tt.ask, c.ask(ibmOperation).header.Get("Retry-After"))
			})
		})
	}
}

func TestSynchronous(t *testing.T) {
	svc := ibmcloud.New(nil)
	svc.Default.Style = fakes.Synchronous
	svc.Plan(fakes.Plan{Style: fakes.Synchronous, Path: "/v1/widgets/w1/peek", Result: "r"})
	c := newTester(t, svc)
	tests := []struct {
		method, path, want string
	}{
		{"POST", "/v1/widgets", `201 {"href":"` + host + ibmWidget + `","id":"` + ibmName + `","n":1}`},
		{"PUT", "/v1/widgets/w1", `201 {"href":"` + host + `/v1/widgets/w1","id":"w1","n":1}`},
		{"PATCH", "/v1/widgets/w1", `200 {"href":"` + host + `/v1/widgets/w1","id":"w1","n":1}`},
		{"POST", "/v1/widgets/w1/restart", "204 "},
		{"POST", "/v1/widgets/w1/peek", `200 "r"`},
		{"DELETE", "/v1/widgets/w1", "204 "},
	}
	for _, tt := range tests {
		r := c.do(tt.method, host+tt.path, `{"n":1}`)
		require.Equal(t, tt.want, fmt.Sprint(r.code, " ", r.body), "%s %s", tt.method, tt.path)
	}
}

// A client can poll a task over a real connection, even though the slash in the task's ID must stay
// escaped in the URL.
func TestOverSocket(t *testing.T) {
	ibm := ibmcloud.New(nil)
	ibm.Put("/v5/ibm/deployments/d1", map[string]any{})
	srv := httptest.NewServer(ibm)
	defer srv.Close()
	c := tester{t, srv.Client()}
	r := c.do("PATCH", srv.URL+"/v5/ibm/deployments/d1/groups/member", "{}")
	var doc struct{ Task struct{ ID, Status string } }
	require.NoError(t, json.Unmarshal([]byte(r.body), &doc))
	require.Contains(t, doc.Task.ID, "/")
	r = c.get(srv.URL + "/v5/ibm/tasks/" + url.PathEscape(doc.Task.ID))
	require.NoError(t, json.Unmarshal([]byte(r.body), &doc))
	require.Equal(t, "queued", doc.Task.Status)
}

// A GET starts an operation if a plan with the Method GET matches the request. The first response
// then contains no resource.
func TestGETStartsOperation(t *testing.T) {
	svc := ibmcloud.New(nil)
	svc.Plan(fakes.Plan{Method: "GET", Path: "/v1/report", Polls: -1, Result: "r"})
	svc.Plan(fakes.Plan{Method: "GET", Path: "/v1/none", Style: ibmcloud.ResourceStatus})
	c := newTester(t, svc)
	require.Equal(t, 202, c.ask("/v1/report").code)
	require.Contains(t, c.ask(ibmOperation).body, `"result":"r"`)
	r := c.ask("/v1/none")
	require.Equal(t, 202, r.code)
	require.Empty(t, r.body, "a GET that starts an operation must not return a resource")
}
