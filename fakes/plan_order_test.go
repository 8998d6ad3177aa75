package fakes_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// The service uses the most specific plan, regardless of the order of the plans. The first
// response's status code identifies the plan.
func TestMostSpecificPlan(t *testing.T) {
	plans := []fakes.Plan{
		{StatusCode: 271},
		{StatusCode: 272, Method: http.MethodPut},
		{StatusCode: 273, Path: "/Widgets/"},
		{StatusCode: 274, Path: "/widgets", Method: http.MethodPut},
		{StatusCode: 275, Path: "/widgets/w1"},
	}
	for range 2 {
		svc := &fakes.Service{}
		for _, p := range plans {
			svc.Plan(p)
		}
		svc.Plan(fakes.Plan{StatusCode: 276, Path: "/widgets/w1"}) // never used, because an earlier plan has the same path
		svc.Put("/gadgets/g1", map[string]any{})
		svc.Put("/widgets/w2", map[string]any{})
		require.Equal(t, 271, codeOf(t, svc, http.MethodDelete, "/gadgets/g1"))
		require.Equal(t, 272, codeOf(t, svc, http.MethodPut, "/gadgets/g2"))
		require.Equal(t, 273, codeOf(t, svc, http.MethodDelete, "/widgets/w2"))
		require.Equal(t, 274, codeOf(t, svc, http.MethodPut, "/widgets/w3"))
		require.Equal(t, 275, codeOf(t, svc, http.MethodPut, "/widgets/w1"))
		slices.Reverse(plans)
	}
}

// Once a plan has matched as many operations as its Times allows, the service uses the most
// specific of the other plans.
func TestPlanTimes(t *testing.T) {
	svc := &fakes.Service{}
	svc.Plan(fakes.Plan{StatusCode: 271})
	svc.Plan(fakes.Plan{StatusCode: 272, Path: "/widgets", Times: 1})
	require.Equal(t, 272, codeOf(t, svc, http.MethodPut, "/widgets/w1"))
	require.Equal(t, 271, codeOf(t, svc, http.MethodPut, "/widgets/w2"))
}

// codeOf sends a request and returns the status code of the response.
func codeOf(t *testing.T, svc *fakes.Service, method, path string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "https://a.test"+path, http.NoBody)
	require.NoError(t, err)
	resp, err := fakes.Client(svc).Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}
