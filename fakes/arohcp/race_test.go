package arohcp_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
)

// After LostRace refuses a request, the service accepts the repeated request.
func TestLostRace(t *testing.T) {
	svc := arohcp.New()
	svc.Put(hcpCluster, map[string]any{})
	svc.Fault(fakes.Fault{Kind: fakes.Begin, Method: "PATCH", Times: 1, Do: arohcp.LostRace()})
	c := newTester(t, svc)
	r := c.do("PATCH", host+hcpCluster+hcpQuery, "{}")
	require.Equal(t, http.StatusTooManyRequests, r.code)
	require.Equal(t, "1", r.header.Get("Retry-After"))
	require.Equal(t, "Conflict", r.header.Get("X-Ms-Error-Code"))
	require.JSONEq(t, `{"error":{"code":"Conflict","message":"The resource was modified by another request. Please retry. (transaction step 2 of 2)"}}`, r.body)
	require.Equal(t, 202, c.do("PATCH", host+hcpCluster+hcpQuery, "{}").code)
}
