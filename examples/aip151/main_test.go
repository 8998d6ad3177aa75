package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	require.Equal(t, `Three operations of AIP-151, offline. This takes less than a second.

Middlemarch
  InProgress 0%
  InProgress 25%
  InProgress 50%
  Succeeded
  result: Middlemarch
lost
  InProgress 0%
  InProgress 25%
  InProgress 50%
  Failed: 5: the manuscript is lost
  error: lro: operation Failed: 5: the manuscript is lost
endless
  InProgress 0%
  Canceled: 1: canceled by the caller
  error: lro: operation Canceled: 1: canceled by the caller
`, out.String())
}

func TestStep(t *testing.T) {
	tests := []struct {
		name  string
		a     strategy.Answer
		state strategy.State
		err   error
	}{
		{"begun", strategy.Answer{First: true, Code: 200, Body: []byte(`{"name":"operations/1"}`)}, strategy.InProgress, nil},
		{"done", strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","done":true,"response":{}}`)}, strategy.Succeeded, nil},
		{"failed", strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","done":true,"error":{"code":13}}`)}, strategy.Failed, nil},
		{"canceled", strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","done":true,"error":{"code":1}}`)}, strategy.Canceled, nil},
		{"an error does not end the operation before it is done", strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","error":{"code":13}}`)}, strategy.InProgress, nil},
		{"metadata of another form", strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","metadata":{"progressPercent":"50"},"done":true,"error":{"code":13}}`)}, strategy.Failed, nil},
		{"another protocol", strategy.Answer{First: true, Code: 200, Body: []byte(`{"id":"w1"}`)}, "", strategy.ErrNotApplicable},
		{"a refusal", strategy.Answer{Code: 404, Body: []byte(`{"error":{"code":404}}`)}, "", strategy.ErrNoStatus},
	}
	for _, tt := range tests {
		mv, err := Operation{Base: "/v1/"}.Step(tt.a)
		require.ErrorIs(t, err, tt.err, tt.name)
		require.Equal(t, tt.state, mv.Status.State, tt.name)
	}
}

// The details of an error become the InnerError, unchanged.
func TestDetails(t *testing.T) {
	mv, err := Operation{}.Step(strategy.Answer{Code: 200, Body: []byte(`{"name":"o","done":true,"error":{"code":8,"message":"quota","details":[{"@type":"x"}]}}`)})
	require.NoError(t, err)
	require.Equal(t, &lroerrors.Detail{Code: "8", Message: "quota", InnerError: []byte(`[{"@type":"x"}]`)}, mv.Status.Error)
}
