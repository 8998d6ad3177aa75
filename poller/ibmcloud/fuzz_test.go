package ibmcloud_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
)

// fuzzed is a strategy under test, with the words that it knows and the paths at which it reads
// them.
type fuzzed struct {
	poller.Strategy
	status, lifecycle                   []string // paths, as lists of member names
	succeeded, failed, canceled         []string
	deleted, removed                    []string // words at the lifecycle path: the first list ends a deletion as Succeeded, the second ends any other operation as Canceled
	isOperation, deletesByWords, isType bool
}

var fuzzedStrategies = []fuzzed{
	{Strategy: ibmcloud.Operation{}, status: at("status"), succeeded: usual("succeeded"), failed: usual("failed"), canceled: usual("canceled"), isOperation: true},
	{Strategy: ibmcloud.Operation{Status: "/a/b", Target: "/c"}, status: at("a", "b"), succeeded: usual("succeeded"), failed: usual("failed"), canceled: usual("canceled"), isOperation: true},
	{Strategy: resource.Strategy{}, status: at("status"), lifecycle: at("status"), succeeded: usual("succeeded"), failed: usual("failed"), canceled: usual("canceled")},
	{
		Strategy: ibmcloud.ResourceController(), status: at("last_operation", "state"), lifecycle: at("state"), isType: true,
		succeeded: usual("succeeded"), failed: usual("failed"), canceled: usual("canceled"), deleted: at("removed", "pending_reclamation"), removed: at("removed"),
	},
	{Strategy: ibmcloud.Task(), status: at("task", "status"), lifecycle: at("task", "status"), succeeded: at("completed"), failed: at("failed", "expired"), canceled: usual("canceled"), deletesByWords: true},
	{Strategy: ibmcloud.VPC(), status: at("status"), lifecycle: at("status"), succeeded: at("running", "available", "active"), failed: at("failed", "unusable"), canceled: usual("canceled"), removed: at("deleting", "pending_deletion")},
	{
		Strategy: ibmcloud.CodeEngine(), status: at("status"), lifecycle: at("status"), succeeded: at("ready", "warning", "succeeded", "completed", "active"),
		failed: at("failed", "creation_failed", "deletion_failed", "hard_deletion_failed"), canceled: usual("canceled"), deleted: at("soft_deleted", "hard_deleted"), removed: at("hard_deleted"),
	},
}

func at(names ...string) []string { return names }

// usual returns the default words for succeeded, failed or canceled.
func usual(word string) []string {
	return map[string][]string{"succeeded": {"succeeded", "completed"}, "failed": {"failed"}, "canceled": {"canceled", "cancelled"}}[word]
}

// FuzzStep checks that a strategy returns the right state for the words in a document, that a token
// can store the Move, and that the strategy reports success only after a word or status code that
// means success.
func FuzzStep(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(2), "", []byte(`{"href":"/o","status":"not_started","poll_after":3}`), 200, []byte(`{"status":"succeeded","resource":{"href":"x"}}`))
	f.Add(uint8(0), uint8(1), uint8(2), "/o", []byte(``), 200, []byte(`{"status":"failed","errors":[{"code":"a","message":"b"},{"code":"c"}]}`))
	f.Add(uint8(1), uint8(2), uint8(2), "/o", []byte(`{"a":{"b":"x"}}`), 202, []byte(`{"a":{"b":"Completed"}}`))
	f.Add(uint8(2), uint8(1), uint8(1), "/o", []byte(`{"status":"pending"}`), 200, []byte(`{"status":"canceled"}`))
	f.Add(uint8(3), uint8(2), uint8(0), "", []byte(`{"url":"%","state":"removed","last_operation":{"state":"failed","cancelable":false}}`), 404, []byte(``))
	f.Add(uint8(3), uint8(3), uint8(2), "", []byte(`{"last_operation":{"state":"succeeded","type":"create"}}`), 200, []byte(`{"last_operation":{"state":"succeeded","type":"update"}}`))
	f.Add(uint8(4), uint8(3), uint8(2), "", []byte(`{"task":{"id":"crn:%/?#","status":"queued","progress_percent":"NaN"}}`), 200, []byte(`{"task":{"status":"expired"}}`))
	f.Add(uint8(5), uint8(0), uint8(1), ":", []byte(`{"href":"::","status":null}`), 200, []byte(`{"status":"Deleting"}`))
	f.Add(uint8(6), uint8(2), uint8(2), "", []byte(`{"status":"ready"}`), 200, []byte(`{"status":"soft_deleted"}`))
	f.Add(uint8(0), uint8(0), uint8(2), "/o", []byte(`{}`), 200, []byte(`{"status":""}`))
	f.Add(uint8(0), uint8(0), uint8(1), "", []byte("0\f"), 200, []byte(``))
	methods := []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodGet, ""}
	codes := []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent} // the status codes that a first response may have
	f.Fuzz(func(t *testing.T, which, method, code uint8, location string, body []byte, nextCode int, nextBody []byte) {
		s := fuzzedStrategies[int(which)%len(fuzzedStrategies)]
		first := strategy.Answer{
			First: true, Method: methods[int(method)%len(methods)], Target: origin + "/v5/ibm/deployments/d?a=1", URL: origin + "/v5/ibm/deployments/d?a=1",
			Code: codes[code%4], Header: http.Header{"Location": {location}}, Body: body,
		}
		mv := requireSound(t, s, first)
		if mv.Status.State.Terminal() || mv.Memo == nil {
			return
		}
		next := first
		next.First, next.Memo, next.Code, next.Body = false, mv.Memo, nextCode, nextBody
		moved, err := s.Step(next)
		requireSound(t, s, next)
		if want, exact := s.reads(first, next); exact {
			require.Equal(t, want == "", err != nil, "%v", err)
			require.Equal(t, want, moved.Status.State)
			require.True(t, err != nil || nextCode == http.StatusNoContent || moved.Status.Word == s.word(next, s.status) || slices.Contains(s.removed, strings.ToLower(moved.Status.Word)))
		}
	})
}

// reads returns the state that a later response should lead to, or "" if the strategy should return
// an error. If exact is false, the state is unknown, because the words in the response may be older
// than the deletion.
func (s fuzzed) reads(first, a strategy.Answer) (state poller.State, exact bool) {
	if !s.isOperation && !s.deletesByWords && a.Method == http.MethodDelete {
		return "", false
	}
	word := s.word(a, s.status)
	good := a.Code >= 200 && a.Code <= 299
	switch {
	case s.isOperation && a.Code == http.StatusNoContent && a.Method == http.MethodDelete:
		return poller.Succeeded, true
	case !s.isOperation && (a.Code == http.StatusAccepted || s.isOld(a) && (first.Code == http.StatusAccepted || !s.isOld(first))):
		return poller.InProgress, true
	case !good, word == "" && a.Code != http.StatusAccepted:
		return "", true
	}
	state = s.means(word)
	if state == poller.InProgress && s.holds(s.removed, s.word(a, s.lifecycle)) {
		state = poller.Canceled
	}
	return state, true
}

// isOld reports whether last_operation describes an earlier operation, that is, whether its type
// differs from the request's.
func (s fuzzed) isOld(a strategy.Answer) bool {
	about := s.word(a, at("last_operation", "type"))
	ours := map[string]string{http.MethodPatch: "update", http.MethodDelete: "delete"}[a.Method]
	return s.isType && about != "" && ours != "" && !strings.EqualFold(about, ours)
}

func (s fuzzed) means(word string) poller.State {
	switch {
	case s.holds(s.succeeded, word):
		return poller.Succeeded
	case s.holds(s.failed, word):
		return poller.Failed
	case s.holds(s.canceled, word):
		return poller.Canceled
	}
	return poller.InProgress
}

// word uses encoding/json to find the string at a path of member names.
func (s fuzzed) word(a strategy.Answer, names []string) string {
	var v any
	dec := json.NewDecoder(bytes.NewReader(a.Body))
	dec.UseNumber()
	if !json.Valid(a.Body) || dec.Decode(&v) != nil {
		return ""
	}
	for _, name := range names {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	word, _ := v.(string)
	return strings.TrimSpace(word)
}

// holds reports whether a list contains a word, ignoring case. For an Operation, it converts the
// word to lower case, as Answer.State does, without Unicode case folding.
func (s fuzzed) holds(words []string, word string) bool {
	if s.isOperation {
		return slices.Contains(words, strings.ToLower(word))
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) })
}

// requireSound returns the strategy's Move for the answer. It fails the test if a token cannot
// store the Move, or if the Move ends the operation without a reason in the response.
func requireSound(t *testing.T, s fuzzed, a strategy.Answer) strategy.Move {
	t.Helper()
	mv, err := s.Step(a)
	if err != nil {
		readsResource := s.isOperation && a.Method == http.MethodDelete && a.Code == http.StatusGone
		if readsResource { // the resource shows whether the deletion has ended
			require.Equal(t, a.Target, mv.Poll)
			require.False(t, mv.Status.State.Terminal())
			require.Zero(t, mv.Result)
			return mv
		}
		require.Zero(t, mv, "the Move next to an error must be empty")
		return mv
	}
	require.True(t, mv.Memo == nil || json.Valid(mv.Memo))
	require.GreaterOrEqual(t, mv.After, mv.After.Abs())
	word, lifecycle := s.word(a, s.status), s.word(a, s.lifecycle)
	switch mv.Status.State {
	case poller.Succeeded:
		require.True(t, s.isSuccess(a, word, lifecycle), "%d %q", a.Code, a.Body)
	case poller.Failed:
		require.True(t, s.holds(s.failed, word), "%q", a.Body)
	case poller.Canceled:
		require.True(t, s.holds(s.canceled, word) || s.holds(s.removed, lifecycle), "%q", a.Body)
	}
	return mv
}

// isSuccess reports whether the response is a 204, contains a word for success, shows that the
// resource is gone, or shows that the request started no operation.
func (s fuzzed) isSuccess(a strategy.Answer, word, lifecycle string) bool {
	isDelete := a.Method == http.MethodDelete
	switch {
	case s.holds(s.succeeded, word), a.Code == http.StatusNoContent:
		return true
	case isDelete && (a.Code == http.StatusNotFound || a.Code == http.StatusGone):
		return !a.First
	case isDelete && s.holds(s.deleted, lifecycle):
		return true
	}
	readable := json.Valid(a.Body) || len(bytes.TrimSpace(a.Body)) == 0 || isDelete
	return s.isOperation && a.First && a.Code != http.StatusAccepted && readable && !slices.Contains(at("not_started", "in_progress", "failed"), strings.ToLower(word))
}
