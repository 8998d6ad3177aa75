package redfish_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/redfish"
	"github.com/lro-go/lro/poller/strategy"
)

var (
	_ strategy.Canceler          = redfish.TaskMonitor{}
	_ strategy.ServerErrorReader = redfish.TaskMonitor{}
)

const (
	origin  = "https://bmc.example.test"
	monitor = "/redfish/v1/TaskService/TaskMonitors/1"
)

// task returns a response from the task monitor.
func task(code int, body string) strategy.Answer {
	return strategy.Answer{Method: http.MethodPost, Code: code, URL: origin + monitor, Poll: origin + monitor, Header: http.Header{}, Body: []byte(body)}
}

func TestStep(t *testing.T) {
	const failure = `{"error":{"code":"Base.1.8.GeneralError","message":"broken"}}`
	tests := []struct {
		name  string
		a     strategy.Answer
		state strategy.State
		err   error
	}{
		{"a task in progress", task(202, `{"@odata.type":"#Task.v1_7_0.Task","TaskState":"Running"}`), strategy.InProgress, nil},
		{"a 202 is in progress, whatever its body", task(202, `{"@odata.type":"#Task.v1_7_0.Task","TaskState":"Completed"}`), strategy.InProgress, nil},
		{"a 202 without a body", task(202, ""), strategy.InProgress, nil},
		{"a 202 with another body", task(202, "<html>"), strategy.InProgress, nil},

		{"a result", task(200, `{"@odata.type":"#Volume.v1_6_0.Volume"}`), strategy.Succeeded, nil},
		{"a result whose members have other types", task(200, `{"Name":1,"Messages":{},"PercentComplete":"x","error":[]}`), strategy.Succeeded, nil},
		{"an action that reports its success as an error", task(200, `{"error":{"code":"Base.1.8.Success","message":"Successfully Completed Request"}}`), strategy.Succeeded, nil},
		{"no content", task(204, ""), strategy.Succeeded, nil},
		{"only white space", task(200, "\r\n"), strategy.Succeeded, nil},
		{"a gateway's error page", task(200, "<html>"), "", strategy.ErrNotJSON},

		{"a Task that is running, with a 200", task(200, `{"@odata.type":"#Task.v1_4_3.Task","TaskState":"Running"}`), strategy.InProgress, nil},
		{"a Task that is stopping", task(200, `{"@odata.type":"#Task.v1_4_3.Task","TaskState":"Cancelling"}`), strategy.InProgress, nil},
		{"a Task that is completed", task(200, `{"@odata.type":"#Task.v1_4_3.Task","TaskState":"Completed"}`), strategy.Succeeded, nil},
		{"a Task that failed", task(200, `{"@odata.type":"#Task.v1_4_3.Task","TaskState":"Exception"}`), strategy.Failed, nil},
		{"a Task that was killed", task(200, `{"@odata.type":"#Task.v1_4_3.Task","TaskState":"Killed"}`), strategy.Canceled, nil},
		{"a Task that was canceled", task(200, `{"@odata.type":"#Task.v1_4_3.Task","TaskState":"Cancelled"}`), strategy.Canceled, nil},
		{"a Task whose messages have another type", task(200, `{"@odata.type":"#Task.v1_4_3.Task","Messages":"none","TaskState":"Exception"}`), strategy.Failed, nil},
		{"the task service is not a Task", task(200, `{"@odata.type":"#TaskService.v1_1_2.TaskService","TaskState":"Exception"}`), strategy.Succeeded, nil},

		{"a failure", task(400, failure), strategy.Failed, nil},
		{"a failure of the service", task(500, failure), strategy.Failed, nil},
		{"a failure that the message explains", task(500, `{"error":{"code":"Base.1.8.GeneralError","@Message.ExtendedInfo":{}}}`), strategy.Failed, nil},
		{"a task that is gone", task(404, failure), "", strategy.ErrNoStatus},
		{"a task that is gone for good", task(410, failure), "", strategy.ErrNoStatus},
		{"a code without Redfish's error", task(500, `{"error":"broken"}`), "", strategy.ErrNoStatus},
		{"a code without a body", task(500, ""), "", strategy.ErrNoStatus},
		{"a gateway's refusal", task(400, "<html>"), "", strategy.ErrNotJSON},
		{"a gateway's failure", task(500, "<html>"), "", strategy.ErrNotJSON},
	}
	for _, tt := range tests {
		mv, err := redfish.TaskMonitor{}.Step(tt.a)
		require.ErrorIs(t, err, tt.err, tt.name)
		require.Equal(t, tt.state, mv.Status.State, tt.name)
	}
}

// The caller's Words take precedence over the usual meaning of a TaskState.
func TestWords(t *testing.T) {
	a := task(200, `{"@odata.type":"#Task.v1_4_3.Task","TaskState":"Exception"}`)
	a.Words = map[string]strategy.State{"exception": strategy.Succeeded}
	mv, err := redfish.TaskMonitor{}.Step(a)
	require.NoError(t, err)
	require.Equal(t, strategy.Succeeded, mv.Status.State)
}

// The poller polls the Location of a 202, or else the URL in the Task, or else the Task itself, but
// never a resource in the body.
func TestTaskMonitor(t *testing.T) {
	const body = `{"@odata.type":"#Task.v1_7_0.Task","@odata.id":"/redfish/v1/TaskService/Tasks/1"`
	for _, tt := range []struct {
		name, location, body string
		code                 int
		want                 string
	}{
		{"Location", monitor, body + `,"TaskMonitor":"/other"}`, 202, monitor},
		{"TaskMonitor", "", body + `,"TaskMonitor":"` + monitor + `"}`, 202, monitor},
		{"the Task", "", body + "}", 202, "/redfish/v1/TaskService/Tasks/1"},
		{"the Task of a 200, whose Location is a resource", "/redfish/v1/Systems/1", body + "}", 200, "/redfish/v1/TaskService/Tasks/1"},
		{"a resource", "", `{"@odata.type":"#Volume.v1_6_0.Volume","@odata.id":"/redfish/v1/Volumes/1"}`, 202, ""},
		{"nothing", "", "", 202, ""},
	} {
		a := task(tt.code, tt.body)
		a.First = true
		a.Header.Set("Location", tt.location)
		mv, err := redfish.TaskMonitor{}.Step(a)
		require.Equal(t, tt.want, mv.Poll, tt.name)
		if tt.want == "" {
			require.ErrorIs(t, err, lroerrors.ErrNoOperation, tt.name)
			continue
		}
		require.NoError(t, err, tt.name)
		require.True(t, mv.Inline, "Inline must be set, because the next response may be a large result")
	}
}

// After a 201 without a body, the result is the new resource at the Location (DSP0266, "POST
// (create)"). If a response has a body, the body is the result.
func TestCreated(t *testing.T) {
	a := task(201, "\n")
	a.Header.Set("Location", "/redfish/v1/Volumes/1")
	mv, err := redfish.TaskMonitor{}.Step(a)
	require.NoError(t, err)
	require.Equal(t, strategy.Result{URL: "/redfish/v1/Volumes/1"}, mv.Result)

	a = task(200, `{"@odata.type":"#Task.v1_4_3.Task","TaskState":"Completed"}`)
	mv, err = redfish.TaskMonitor{}.Step(a)
	require.NoError(t, err)
	require.Equal(t, string(a.Body), string(mv.Result.Body), "a 200 with a Task must have the Task as its result")

	a = task(200, `{"Id":"1"}`)
	a.Header.Set("Location", "/redfish/v1/Volumes/1")
	mv, err = redfish.TaskMonitor{}.Step(a)
	require.NoError(t, err)
	require.Equal(t, `{"Id":"1"}`, string(mv.Result.Body))
	require.Empty(t, mv.Result.URL)
}

// begin starts a firmware update.
func begin(t *testing.T, s *service) *poller.Poller[map[string]any] {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, origin+update, strings.NewReader(`{"ImageURI": "https://images.example.test/bmc.bin"}`))
	require.NoError(t, err)
	p, err := poller.Begin[map[string]any](req, fakes.Client(s), &poller.Options{Strategy: redfish.TaskMonitor{}})
	require.NoError(t, err)
	return p
}

// A 500 with a Redfish error ends the operation with all of the service's messages. A 500 from a
// gateway, or any 502, 503 or 504, does not end it.
func TestServerErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{failure: 500}
		s.gateway = []int{500, 502, 503, 504}
		start := time.Now()
		_, err := begin(t, s).PollUntilDone(t.Context())
		failed, ok := errors.AsType[*lroerrors.OperationError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, 500, failed.StatusCode)
		require.Equal(t, &lroerrors.Detail{
			Code: "Base.1.8.GeneralError", Message: "See @Message.ExtendedInfo.",
			Details: []lroerrors.Detail{{Code: "Update.1.0.VerificationFailed", Message: "The image is damaged."}},
		}, failed.Detail)
		pauses := time.Minute + (10+20+40+80)*time.Second // the first pause, and the back-off after each failed read
		require.Equal(t, pauses, time.Since(start))
		read := "GET " + monitor
		require.Equal(t, []string{"POST " + update, read, read, read, read, read}, s.asked)
	})
}

// Cancel sends a DELETE to the task monitor, which the service then deletes (DSP0266,
// "Asynchronous operations").
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{}
		p := begin(t, s)
		require.NoError(t, p.Cancel(t.Context()))
		require.NoError(t, p.Cancel(t.Context()), "Cancel must accept a 404, which means that the task has ended")
		require.False(t, p.Done())
		_, err := p.PollUntilDone(t.Context())
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, lroerrors.ReasonGone, wait.Reason)
		require.Equal(t, []string{"POST " + update, "DELETE " + monitor, "DELETE " + monitor, "GET " + monitor}, s.asked[:4])
	})
}

// Cancel sends a DELETE only to a URL below TaskService, because the service chooses the URL.
func TestCancelOnlyTasks(t *testing.T) {
	for url, want := range map[string]bool{
		origin + "/redfish/v1/TaskService/TaskMonitors/1":       true,
		origin + "/redfish/v1/TaskService/Tasks/1/Monitor?x=1":  true,
		origin + "/redfish/v1/Systems/1":                        false,
		origin + "/redfish/v1/TaskService":                      false,
		origin + "/redfish/v1/TaskService/":                     false,
		origin + "/redfish/v1/TaskService/../Systems/1":         false,
		origin + "/redfish/v1/TaskService/%2e%2e/Systems/1":     false,
		origin + "/redfish/v1/Systems/1?x=/TaskService/Tasks/1": false,
		origin + "/redfish/v1/Systems/1#/TaskService/Tasks/1":   false,
		"%": false,
	} {
		req, err := redfish.TaskMonitor{}.Cancel(strategy.Answer{Poll: url})
		require.NoError(t, err)
		require.Equal(t, want, req != nil, url)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &service{monitor: "/redfish/v1/Systems/1"}
		p := begin(t, s)
		require.ErrorIs(t, p.Cancel(t.Context()), errors.ErrUnsupported)
		require.Equal(t, []string{"POST " + update}, s.asked)
	})
}
