package ibmcloud_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
)

// Whatever a service answers, a strategy gives a move that a token can carry, or an
// error; and what is no JSON ends nothing.
func FuzzStep(f *testing.F) {
	strategies := []poller.Strategy{
		ibmcloud.Operation{},
		ibmcloud.Operation{Status: "/a/b", Target: "/c"},
		ibmcloud.Resource{},
		ibmcloud.ResourceController(), ibmcloud.Task(), ibmcloud.VPC(), ibmcloud.CodeEngine(),
	}
	f.Add(uint8(0), uint8(0), 202, "", []byte(`{"href":"/o","status":"not_started","poll_after":3}`))
	f.Add(uint8(0), uint8(1), 200, "/o", []byte(`{"status":"succeeded","resource":{"href":"x"}}`))
	f.Add(uint8(3), uint8(2), 200, "", []byte(`{"url":"%","state":"removed","last_operation":{"state":"failed","cancelable":false}}`))
	f.Add(uint8(4), uint8(3), 202, "", []byte(`{"task":{"id":"crn:%/?#","status":"queued","progress_percent":"NaN"}}`))
	f.Add(uint8(5), uint8(0), 201, ":", []byte(`{"href":"::","status":null}`))
	methods := []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, ""}
	f.Fuzz(func(t *testing.T, which, method uint8, code int, location string, body []byte) {
		strategy := strategies[int(which)%len(strategies)]
		first := poller.Answer{
			First: true, Method: methods[int(method)%len(methods)], Target: origin + "/v5/ibm/deployments/d?a=1", URL: origin + "/v5/ibm/deployments/d?a=1",
			Code: code, Header: http.Header{"Location": {location}}, Body: body,
		}
		mv := requireSound(t, strategy, first)
		if mv.Status.State.Terminal() || mv.Memo == nil {
			return
		}
		next := first
		next.First, next.Memo = false, mv.Memo
		requireSound(t, strategy, next)
	})
}

func requireSound(t *testing.T, strategy poller.Strategy, a poller.Answer) poller.Move {
	t.Helper()
	mv, err := strategy.Step(a)
	if err != nil {
		require.Zero(t, mv, "an error tells nothing")
		return mv
	}
	require.True(t, mv.Memo == nil || json.Valid(mv.Memo))
	require.GreaterOrEqual(t, mv.After, mv.After.Abs())
	ended := mv.Status.State == poller.Failed || mv.Status.State == poller.Canceled
	require.False(t, ended && !json.Valid(a.Body), "an ending needs a document")
	require.False(t, mv.Status.State == poller.Succeeded && a.Method != http.MethodDelete && len(bytes.TrimSpace(a.Body)) > 0 && a.Code != http.StatusNoContent && !json.Valid(a.Body))
	return mv
}
