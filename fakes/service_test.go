package fakes_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// seeded returns a service that contains the widget, or an empty service for a PUT, which creates
// the widget.
func seeded(method string) *fakes.Service {
	svc := &fakes.Service{}
	if method != "PUT" {
		svc.Put(widget, map[string]any{"tags": map[string]string{"a": "1"}, "location": "west"})
	}
	return svc
}

var verbs = map[string]string{"PUT": widget, "PATCH": widget, "DELETE": widget, "POST": widget + "/start"}

// In each style, each method gets the expected first response and poll responses.
func TestStyles(t *testing.T) {
	const both = fakes.AzureAsyncOperation | fakes.Location
	tests := []struct {
		method string
		style  fakes.Style
		begin  string // the first response: its status code and the names of its URLs
		polls  string // three polls of the first URL in begin, or of the widget if there is none: status codes and states
	}{
		{"PUT", 0, "201 status", "200 Accepted 200 Provisioning 200 Succeeded"},
		{"PUT", fakes.AzureAsyncOperation, "201 status", "200 Accepted 200 Provisioning 200 Succeeded"},
		{"PUT", fakes.OperationLocation, "201 monitor", "200 Accepted 200 Provisioning 200 Succeeded"},
		{"PUT", fakes.Location, "202 result", "202  202  201 Succeeded"},
		{"PUT", both, "201 status result", "200 Accepted 200 Provisioning 200 Succeeded"},
		{"PUT", fakes.ProvisioningState, "201", "200 Accepted 200 Provisioning 200 Succeeded"},
		{"PUT", fakes.Synchronous, "201", "200 Succeeded 200 Succeeded 200 Succeeded"},
		{"PATCH", 0, "202 status result", "200 Accepted 200 Updating 200 Succeeded"},
		{"PATCH", fakes.AzureAsyncOperation, "202 status", "200 Accepted 200 Updating 200 Succeeded"},
		{"PATCH", fakes.OperationLocation, "202 monitor", "200 Accepted 200 Updating 200 Succeeded"},
		{"PATCH", fakes.Location, "202 result", "202  202  200 Succeeded"},
		{"PATCH", fakes.ProvisioningState, "200", "200 Accepted 200 Updating 200 Succeeded"},
		{"PATCH", fakes.Synchronous, "200", "200 Succeeded 200 Succeeded 200 Succeeded"},
		{"DELETE", 0, "202 status result", "200 Deleting 200 Deleting 200 Succeeded"},
		{"DELETE", fakes.AzureAsyncOperation, "202 status", "200 Deleting 200 Deleting 200 Succeeded"},
		{"DELETE", fakes.OperationLocation, "202 monitor", "200 Deleting 200 Deleting 200 Succeeded"},
		{"DELETE", fakes.Location, "202 result", "202  202  204 "},
		{"DELETE", fakes.ProvisioningState, "202", "200 Deleting 200 Deleting 404 "},
		{"DELETE", fakes.Synchronous, "204", "404  404  404 "},
		{"POST", 0, "202 status result", "200 Accepted 200 Running 200 Succeeded"},
		{"POST", fakes.AzureAsyncOperation, "202 status", "200 Accepted 200 Running 200 Succeeded"},
		{"POST", fakes.OperationLocation, "202 monitor", "200 Accepted 200 Running 200 Succeeded"},
		{"POST", fakes.Location, "202 result", "202  202  204 "},
		{"POST", fakes.Synchronous, "204", "200 Succeeded 200 Succeeded 200 Succeeded"},
	}
	urls := []struct{ name, header, url string }{
		{"status", "Azure-AsyncOperation", statusURL},
		{"monitor", "Operation-Location", monitorURL},
		{"result", "Location", resultURL},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.method, tt.style), func(t *testing.T) {
			svc := seeded(tt.method)
			svc.Plan(fakes.Plan{Method: tt.method, Style: tt.style})
			c := newTester(t, svc)
			r := c.do(tt.method, verbs[tt.method], `{"tags":{"b":"2"}}`)
			begin, ask := fmt.Sprint(r.code), ""
			for _, u := range urls {
				if got := r.header.Get(u.header); got != "" {
					require.Equal(t, u.url, got)
					begin += " " + u.name
					if ask == "" {
						ask = u.url
					}
				}
			}
			require.Equal(t, tt.begin, begin)
			if r.code == http.StatusAccepted {
				require.Empty(t, r.body, "a 202 must have no body")
			}
			if ask == "" {
				ask = widget
			}
			var polls []string
			for range 3 {
				r := c.get(ask)
				polls = append(polls, fmt.Sprint(r.code, " ", r.status()))
				if r.code == http.StatusAccepted {
					require.Equal(t, resultURL, r.header.Get("Location"))
				}
			}
			require.Equal(t, tt.polls, strings.Join(polls, " "))
			_, there := svc.Resource(widget)
			require.Equal(t, tt.method != "DELETE", there)
		})
	}
}

// Resources and status documents have exactly the expected members.
func TestDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Plan(fakes.Plan{Polls: 1, Duration: time.Hour, Percent: true, Operations: []fakes.Nested{{Name: "disk", Status: "Succeeded"}}})
		c := newTester(t, svc)

		r := c.do("PUT", widget, `{"location":"west","properties":{"size":1.0}}`)
		require.Equal(t, "application/json", r.header.Get("Content-Type"))
		require.Equal(t, "f0000000-0000-4000-8000-000000000001", r.header.Get("X-Ms-Request-Id"))
		require.Equal(t, `{"id":"`+widget+`","location":"west","name":"w1",`+
			`"properties":{"provisioningState":"Accepted","size":1.0},"type":"Microsoft.Contoso/widgets"}`, r.body)

		const id = `{"id":"` + scope + "/operationsStatuses/" + first + `","name":"` + first + `",`
		require.Equal(t, id+`"status":"Accepted","startTime":"2000-01-01T00:00:00Z","percentComplete":0,`+
			`"operations":[{"name":"disk","status":"Succeeded"}]}`, c.get(statusURL).body)
		time.Sleep(2 * time.Hour)
		require.Equal(t, id+`"status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T01:00:00Z","percentComplete":100,`+
			`"operations":[{"name":"disk","status":"Succeeded"}]}`, c.get(statusURL).body)
		require.Equal(t, `{"id":"`+first+`","status":"Succeeded","percentComplete":100,`+
			`"operations":[{"name":"disk","status":"Succeeded"}],"resourceLocation":"`+host+widget+query+`"}`,
			c.get(monitorURL).body)
	})
}

func TestActionResult(t *testing.T) {
	svc := seeded("POST")
	svc.Plan(fakes.Plan{Method: "POST", Polls: -1, Result: map[string]int{"n": 1}})
	c := newTester(t, svc)
	require.Equal(t, 202, c.do("POST", widget+"/start", "").code)
	require.Contains(t, c.get(statusURL).body, `"status":"Succeeded","startTime":`)
	require.Contains(t, c.get(statusURL).body, `"properties":{"n":1}`)
	require.Contains(t, c.get(monitorURL).body, `"result":{"n":1}`)
	r := c.get(resultURL)
	require.Equal(t, 200, r.code)
	require.Equal(t, `{"n":1}`, r.body)
}

func TestEndings(t *testing.T) {
	quota := fakes.Error{Code: "Quota", Message: "no more", Target: "w1", Details: []fakes.Error{{Code: "Cores", Message: "0 left"}}}
	const quotaJSON = `{"code":"Quota","message":"no more","target":"w1","details":[{"code":"Cores","message":"0 left"}]}`
	tests := map[string]struct {
		plan     fakes.Plan
		status   string
		error    string
		location int
	}{
		"failed":           {fakes.Plan{Ending: fakes.Failed, Error: quota}, "Failed", quotaJSON, 409},
		"failed, 422":      {fakes.Plan{Ending: fakes.Failed, Error: quota, FailureCode: 422}, "Failed", quotaJSON, 422},
		"failed, no error": {fakes.Plan{Ending: fakes.Failed}, "Failed", `{"code":"OperationFailed","message":"The operation failed."}`, 409},
		"failed, no code":  {fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{Message: "x"}}, "Failed", `{"message":"x"}`, 409},
		"canceled":         {fakes.Plan{Ending: fakes.Canceled}, "Canceled", `{"code":"Canceled","message":"The operation was canceled."}`, 409},
		"EndWord":          {fakes.Plan{Ending: fakes.Canceled, EndWord: "Cancelled"}, "Cancelled", `{"code":"Canceled","message":"The operation was canceled."}`, 409},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			svc := &fakes.Service{}
			svc.Put(widget, map[string]any{"tags": 1})
			tt.plan.Polls = -1
			svc.Default = tt.plan
			c := newTester(t, svc)
			require.Equal(t, 200, c.do("PUT", widget, `{"tags":2}`).code)
			r := c.get(statusURL)
			require.Equal(t, 200, r.code, "the status code of a status document must be 200, even after a failure")
			require.Equal(t, tt.status, r.status())
			require.Contains(t, r.body, `"error":`+tt.error)
			r = c.get(resultURL)
			require.Equal(t, tt.location, r.code)
			require.Equal(t, `{"error":`+tt.error+`}`, r.body)
			// An update that fails or is canceled changes only the resource's provisioningState.
			body, there := svc.Resource(widget)
			require.True(t, there)
			require.Contains(t, string(body), `"provisioningState":"`+tt.status+`"},"tags":1`)
		})
	}
}

func TestFailedSynchronously(t *testing.T) {
	svc := &fakes.Service{}
	svc.Plan(fakes.Plan{Style: fakes.Synchronous, Ending: fakes.Failed, FailureCode: 400, Error: fakes.Error{Code: "BadName"}})
	c := newTester(t, svc)
	r := c.do("PUT", widget, "{}")
	require.Equal(t, 400, r.code)
	require.Equal(t, "BadName", r.header.Get("X-Ms-Error-Code"))
	require.Equal(t, 404, c.get(widget).code)
}

func TestFailedCreationRemains(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Ending: fakes.Failed, Polls: -1}}
	c := newTester(t, svc)
	c.do("PUT", widget, "{}")
	require.Equal(t, "Failed", c.get(widget).status())
	require.Equal(t, 200, c.do("PUT", widget, "{}").code, "a PUT must replace the resource of a failed creation")
}

// If a creation returns a 202 with only a Location, the resource stays hidden until the creation
// succeeds. The Resource Provider Contract says: "The resource should not be visible until the
// async operation completes."
func TestHiddenUntilCreated(t *testing.T) {
	for _, ending := range []fakes.Ending{fakes.Succeeded, fakes.Failed} {
		svc := &fakes.Service{Default: fakes.Plan{Style: fakes.Location, Ending: ending}}
		c := newTester(t, svc)
		require.Equal(t, 202, c.do("PUT", widget, "{}").code)
		require.Equal(t, 404, c.get(widget).code)
		collection := strings.TrimSuffix(widget, "/w1")
		require.Equal(t, `{"value":[]}`, c.get(collection).body)
		require.True(t, svc.Finish(widget))
		_, there := svc.Resource(widget)
		require.Equal(t, ending == fakes.Succeeded, there)
	}
}

func TestDurationAndRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := seeded("DELETE")
		svc.Plan(fakes.Plan{Duration: 72 * time.Hour, RetryAfter: 1500 * time.Millisecond})
		c := newTester(t, svc)
		require.Equal(t, "2", c.do("DELETE", widget, "").header.Get("Retry-After"))
		for range 71 {
			time.Sleep(time.Hour)
			for _, url := range []string{statusURL, resultURL} {
				require.Equal(t, "2", c.get(url).header.Get("Retry-After"))
			}
		}
		require.Equal(t, "Deleting", c.get(widget).status())
		time.Sleep(time.Hour)
		require.Equal(t, 404, c.get(widget).code)
		r := c.get(statusURL)
		require.Equal(t, "Succeeded", r.status())
		require.NotContains(t, r.header, "Retry-After")
		require.Equal(t, 204, c.get(resultURL).code)
	})
}

func TestForeverAndFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever, Words: []string{"Queued", "Working"}}}
		c := newTester(t, svc)
		c.do("PUT", widget, "{}")
		time.Sleep(100 * 24 * time.Hour)
		require.Equal(t, "Queued", c.get(statusURL).status())
		require.Equal(t, "Working", c.get(statusURL).status())
		require.Equal(t, "Working", c.get(statusURL).status())
		require.True(t, svc.Finish(first))
		require.Equal(t, "Succeeded", c.get(statusURL).status())
		require.False(t, svc.Finish(widget))
		require.False(t, svc.Cancel("/nothing"))
	})
}

func TestPlansInOrder(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Style: fakes.Synchronous}}
	svc.Plan(fakes.Plan{Method: "PUT", Path: "/widgets/W1", Times: 1, StatusCode: 299})
	svc.Plan(fakes.Plan{Path: "/widgets", StatusCode: 298})
	c := newTester(t, svc)
	require.Equal(t, 299, c.do("PUT", "/widgets/w1", "{}").code)
	require.True(t, svc.Finish("/widgets/w1"))
	require.Equal(t, 298, c.do("PUT", "/widgets/w1", "{}").code)
	require.Equal(t, 298, c.do("PUT", "/widgets/w1/parts/p", "{}").code)
	require.Equal(t, 201, c.do("PUT", "/widgetsets/w1", "{}").code)
}

func TestGETStartsOperation(t *testing.T) {
	svc := &fakes.Service{}
	svc.Plan(fakes.Plan{Method: "GET", Path: "/report", Polls: -1, Result: "r"})
	c := newTester(t, svc)
	r := c.get("/report")
	require.Equal(t, 202, r.code)
	require.Equal(t, `"r"`, c.get(r.header.Get("Location")).body)
}

// KeepRequests limits the log to the most recent requests.
func TestKeepRequests(t *testing.T) {
	svc := &fakes.Service{KeepRequests: 2}
	client := fakes.Client(svc)
	require.Empty(t, svc.Requests())
	for n := range 5 {
		ask(t, client, "GET", fmt.Sprintf("https://a.test/widgets/w%d", n), "")
		var got []string
		for _, r := range svc.Requests() {
			got = append(got, fmt.Sprintf("%s %d", r.Path, r.StatusCode))
		}
		want := []string{fmt.Sprintf("/widgets/w%d 404", n-1), fmt.Sprintf("/widgets/w%d 404", n)}
		if n == 0 {
			want = want[1:]
		}
		require.Equal(t, want, got)
	}
}
