package ibmcloud_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
)

// A first response without an operation is the result, which may be empty. A response that seems to
// come from a gateway is an error.
func TestSynchronousResponses(t *testing.T) {
	for _, tt := range []struct{ method, body, result, err string }{
		{http.MethodPost, `{"a":1}`, `{"a":1}`, ""},
		{http.MethodPost, " \r\n5", " \r\n5", ""},
		{http.MethodPost, "", "", ""},
		{http.MethodPost, " \n", "", ""},
		{http.MethodPost, "0\f", "", "the body is not JSON"},
		{http.MethodPost, "\u00a0{}", "", "the body is not JSON"},
		{http.MethodPut, "<html>", "", "the body is not JSON"},
		{http.MethodDelete, "<html>", "", "the body is not JSON"},
		{http.MethodDelete, "deleted", "", ""},
		{http.MethodDelete, "", "", ""},
	} {
		mv, err := ibmcloud.Operation{}.Step(strategy.Answer{First: true, Method: tt.method, Target: origin + "/w", URL: origin + "/w", Code: 200, Body: []byte(tt.body)})
		if tt.err != "" {
			require.EqualError(t, err, tt.err, "%s %q", tt.method, tt.body)
			continue
		}
		require.NoError(t, err, "%s %q", tt.method, tt.body)
		require.Equal(t, poller.Succeeded, mv.Status.State, "%s %q", tt.method, tt.body)
		require.Equal(t, tt.result, string(mv.Result.Body), "%s %q", tt.method, tt.body)
	}
}

// If the first request is a GET whose response has no status, the poller repeats the GET.
func TestGetWithoutStatus(t *testing.T) {
	mv, err := resource.Strategy{}.Step(strategy.Answer{First: true, Method: http.MethodGet, Target: origin + "/w", URL: origin + "/w", Code: 200, Body: []byte("<html>")})
	require.NoError(t, err)
	require.Equal(t, poller.InProgress, mv.Status.State)
}

// An Operation compares words in lower case, without Unicode case folding: the long s is not an s.
func TestOperationWords(t *testing.T) {
	for word, want := range map[string]poller.State{"succeeded": poller.Succeeded, "ſucceeded": poller.InProgress} {
		mv, err := ibmcloud.Operation{}.Step(strategy.Answer{First: true, Method: http.MethodGet, Target: origin + "/o", URL: origin + "/o", Code: 200, Body: []byte(`{"status":"` + word + `"}`)})
		require.NoError(t, err)
		require.Equal(t, want, mv.Status.State)
		require.Equal(t, want == poller.Succeeded, len(mv.Result.Body) > 0)
	}
}
