package ibmcloud_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/house"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
)

const (
	running   = poller.InProgress
	succeeded = poller.Succeeded
	failed    = poller.Failed
	canceled  = poller.Canceled
)

// Each status word from the services' SDKs (quirks, section C.2) leads to the right state for a PUT
// and for a DELETE.
func TestWords(t *testing.T) {
	type meaning struct{ put, del poller.State }
	inProgress, done, broken := meaning{running, running}, meaning{succeeded, running}, meaning{failed, running}
	tests := []struct {
		name     string
		protocol resource.Strategy
		words    map[string]meaning
	}{
		{"Resource", resource.Strategy{}, map[string]meaning{
			"succeeded": done, "Completed": done, "FAILED": broken, "canceled": {canceled, running}, "cancelled": {canceled, running}, "accepted": inProgress, "in_progress": inProgress,
		}},
		{"Resource with spaces in its words", resource.Strategy{Succeeded: []string{" Done "}}, map[string]meaning{"done": done, " DONE ": done, "succeeded": inProgress, "failed": broken}},
		{"ResourceController", ibmcloud.ResourceController(), map[string]meaning{"in progress": inProgress, "succeeded": done, "failed": broken}},
		{"Task", ibmcloud.Task(), map[string]meaning{
			"queued": inProgress, "running": inProgress, "completed": {succeeded, succeeded}, "expired": {failed, failed}, "failed": {failed, failed}, "succeeded": inProgress,
		}},
		{"VPC", ibmcloud.VPC(), map[string]meaning{
			"pending": inProgress, "starting": inProgress, "running": done, "available": done, "active": done, "failed": broken, "unusable": broken, "stopped": inProgress, "deleting": {canceled, running}, "pending_deletion": {canceled, running},
		}},
		{"VPC stopped", ibmcloud.VPC("stopped"), map[string]meaning{"stopped": done, "running": inProgress, "failed": broken}},
		{"VPCLifecycle", ibmcloud.VPCLifecycle(), map[string]meaning{
			"pending": inProgress, "waiting": inProgress, "updating": inProgress, "stable": done, "failed": broken, "suspended": broken, "deleting": {canceled, running},
		}},
		{"VPCProvisioning", ibmcloud.VPCProvisioning(), map[string]meaning{
			"create_pending": inProgress, "update_pending": inProgress, "active": done, "failed": broken, "delete_pending": {canceled, running},
		}},
		{"CodeEngine", ibmcloud.CodeEngine(), map[string]meaning{
			"deploying": inProgress, "pending": inProgress, "ready": done, "warning": done, "succeeded": done, "completed": done, "active": done, "failed": broken,
			"creation_failed": broken, "deletion_failed": {failed, failed}, "hard_deletion_failed": {failed, failed}, "soft_deleted": {running, succeeded}, "hard_deleted": {canceled, succeeded},
		}},
	}
	for _, tt := range tests {
		for word, want := range tt.words {
			require.Equal(t, want.put, step(t, tt.protocol, "PUT", word).Status.State, "%s: PUT, %q", tt.name, word)
			require.Equal(t, want.del, step(t, tt.protocol, "DELETE", word).Status.State, "%s: DELETE, %q", tt.name, word)
			mv := step(t, tt.protocol, "PUT", word)
			require.True(t, mv.Inline, "Inline must be set, because the resource may be large")
			require.Equal(t, strings.TrimSpace(word), mv.Status.Word)
		}
	}
}

// An empty but non-nil Succeeded replaces the usual words, so no word means success.
func TestEmptySucceeded(t *testing.T) {
	require.Equal(t, running, step(t, resource.Strategy{Succeeded: []string{}}, "PUT", "completed").Status.State)
}

// step feeds the strategy a 202, then a 200 with the given word, and returns the Move for the 200.
func step(t *testing.T, r resource.Strategy, method, word string) strategy.Move {
	t.Helper()
	const target = origin + "/v5/ibm/deployments/d"
	mv, err := r.Step(strategy.Answer{First: true, Method: method, Target: target, URL: target, Code: 202, Body: []byte(`{"task":{"id":"t"}}`)})
	require.NoError(t, err)
	require.Equal(t, running, mv.Status.State)
	a := strategy.Answer{Method: method, Target: target, URL: target, Code: 200, Header: http.Header{}, Memo: mv.Memo, Body: bodyWith(r.Status, word)}
	mv, err = r.Step(a)
	require.NoError(t, err)
	return mv
}

// bodyWith returns a document with the word at the pointer.
func bodyWith(pointer, word string) []byte {
	if pointer == "" {
		pointer = "/status"
	}
	body, _ := json.Marshal(word)
	for _, name := range slices.Backward(strings.Split(pointer[1:], "/")) {
		body = fmt.Appendf(nil, `{%q:%s}`, name, body)
	}
	return body
}

// A response with a code such as 304 or 409 reports no status, even if its body contains a status
// word.
func TestCodesWithoutStatus(t *testing.T) {
	const target = origin + "/w"
	for _, protocol := range []poller.Strategy{ibmcloud.Operation{}, resource.Strategy{}} {
		for _, method := range []string{"PUT", "DELETE"} {
			first, err := protocol.Step(strategy.Answer{First: true, Method: method, Target: target, URL: target, Code: 202, Body: []byte(`{"href":"/o"}`)})
			require.NoError(t, err)
			for _, code := range []int{300, 304, 400, 409, 422} {
				_, err := protocol.Step(strategy.Answer{Method: method, Target: target, URL: target, Code: code, Memo: first.Memo, Body: []byte(`{"status":"succeeded"}`)})
				require.ErrorIs(t, err, strategy.ErrNoStatus, "%T %s %d", protocol, method, code)
			}
		}
	}
}

// Each strategy takes the progress from its usual member or from the one that Percent names, and
// ignores an invalid value.
func TestPercent(t *testing.T) {
	const target = origin + "/v5/ibm/deployments/d"
	for _, tt := range []struct {
		protocol poller.Strategy
		body     string
		want     any
	}{
		{ibmcloud.Task(), `{"task":{"id":"t","status":"running","progress_percent":15}}`, 15.0},
		{resource.Strategy{}, `{"status":"x","progress_percent":"15.5"}`, 15.5},
		{resource.Strategy{Percent: "/done"}, `{"status":"x","done":99,"progress_percent":1}`, 99.0},
		{ibmcloud.Operation{Percent: "/done"}, `{"href":"/o","status":"x","done":1}`, 1.0},
		{resource.Strategy{}, `{"status":"x","progress_percent":500}`, nil},
		{resource.Strategy{}, `{"status":"x","progress_percent":-4}`, nil},
		{resource.Strategy{}, `{"status":"x","progress_percent":"0x10"}`, nil},
		{resource.Strategy{}, `{"status":"x","progress_percent":1e999}`, nil},
	} {
		mv, err := tt.protocol.Step(strategy.Answer{First: true, Method: "PUT", Target: target, URL: target, Code: 202, Body: []byte(tt.body)})
		require.NoError(t, err)
		if tt.want == nil {
			require.Nil(t, mv.Status.PercentComplete, tt.body)
			continue
		}
		require.Equal(t, tt.want, *mv.Status.PercentComplete, tt.body)
	}
}

// A field that is set to its documented default behaves like an unset field.
func TestDefaults(t *testing.T) {
	step := func(o ibmcloud.Operation) strategy.Move {
		body := []byte(`{"href":"/o","status":"running","progress_percent":40,"poll_after":5}`)
		mv, err := o.Step(strategy.Answer{First: true, Method: "PUT", Target: origin + "/w", URL: origin + "/w", Code: 202, Body: body})
		require.NoError(t, err)
		return mv
	}
	var fields []string
	house.EachDefault(t, ".", func(name string, o *ibmcloud.Operation) {
		require.Equal(t, step(ibmcloud.Operation{}), step(*o), name)
		fields = append(fields, name)
	})
	require.Equal(t, []string{"Operation.Status", "Operation.Percent", "Operation.After"}, fields)
}

// The Detail of a failed operation includes both the error that the caller's Error function returns
// and the errors in the document.
func TestErrorHooks(t *testing.T) {
	own := func(a strategy.Answer) *lroerrors.Detail { return &lroerrors.Detail{Code: a.Text("/why")} }
	for _, protocol := range []poller.Strategy{ibmcloud.Operation{Error: own}, resource.Strategy{Error: own}} {
		mv, err := protocol.Step(strategy.Answer{First: true, Method: "PUT", Target: origin, URL: origin, Code: 200, Body: []byte(`{"status":"failed","why":"w","trace":"t","errors":[{"code":"a"},{"code":"b"}]}`)})
		require.NoError(t, err)
		require.Equal(t, &lroerrors.Detail{Message: "3 errors", Trace: "t", Details: []lroerrors.Detail{{Code: "w"}, {Code: "a"}, {Code: "b"}}}, mv.Status.Detail)
	}
}
