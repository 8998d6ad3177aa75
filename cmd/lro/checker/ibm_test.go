package checker_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

var lifeIBM = requests(
	`POST /v1/widgets {"name":"a"}`, `PUT /v1/widgets/w1 {"name":"b"}`, `PATCH /v1/widgets/w1 {"name":"c"}`,
	"POST /v1/widgets/w1/restart", "DELETE /v1/widgets/w1",
)

// A service breaks no rule if its style follows the handbook. In any other style, it breaks exactly
// the rules listed in the table.
func TestIBM(t *testing.T) {
	const (
		noLocation = "ibm-operation-location"   // "the value of the Location header in the response to the original request"
		ownName    = "ibm-resource-status-name" // the status member has another name: "this field SHOULD be named status"
	)
	for _, tt := range []struct {
		name, spec string
		style      fakes.Style
		breaks     string
		gone       string // further rules that the service breaks if a DELETE succeeds
	}{
		{name: "Location", spec: rules.IBMOperation},
		{name: "Content-Location", spec: rules.IBMOperation, style: ibmcloud.ContentLocation, breaks: noLocation},
		{name: "href", spec: rules.IBMOperation, style: ibmcloud.Href, breaks: noLocation},
		{name: "status", spec: rules.IBMResource, style: ibmcloud.ResourceStatus},
		{name: "Code Engine", spec: rules.IBMResource, style: ibmcloud.AppStatus},
		{name: "lifecycle_state", spec: rules.IBMResource, style: ibmcloud.LifecycleState, breaks: ownName},
		{name: "provisioning_status", spec: rules.IBMResource, style: ibmcloud.ProvisioningStatus, breaks: ownName},
		// Resource Controller sends the polling delay in the body instead of Retry-After, keeps
		// deleted instances, and reports the status in the member "state".
		{name: "last_operation", spec: rules.IBMResource, style: ibmcloud.LastOperation, breaks: ownName + " ibm-resource-retry-after", gone: "ibm-resource-deleted"},
	} {
		for _, ending := range []fakes.Ending{fakes.Succeeded, fakes.Failed} {
			t.Run(fmt.Sprint(tt.name, "/", ending), func(t *testing.T) {
				svc := ibmcloud.New(nil)
				svc.Default = fakes.Plan{Style: tt.style, StatusCode: http.StatusAccepted, Duration: 30 * time.Second, Ending: ending, RetryAfter: 10 * time.Second}
				r := check(t, svc, &checker.Options{Spec: tt.spec, Requests: lifeIBM, Probe: true, Interval: 5 * time.Second})
				want := strings.Fields(tt.breaks)
				if ending == fakes.Succeeded {
					want = append(want, strings.Fields(tt.gone)...)
				}
				require.ElementsMatch(t, want, r.Broken(), strings.Join(findings(r), "\n"))
			})
		}
	}
}

// The check cancels an operation with a DELETE of the operation resource. The service breaks no
// rule.
func TestIBMCancel(t *testing.T) {
	svc := ibmcloud.New(nil)
	svc.Default = fakes.Plan{Duration: time.Hour, RetryAfter: 10 * time.Second}
	r := check(t, svc, &checker.Options{Spec: rules.IBMOperation, Requests: lifeIBM[:1], Cancel: true, Interval: 5 * time.Second})
	require.Empty(t, findings(r))
	require.Equal(t, trace.Canceled, r.Operations[0].End)
	require.Positive(t, r.Examined["ibm-operation-cancel"])
	require.Positive(t, r.Examined["ibm-operation-cancel-status"])
}

// The check deletes what a POST has created.
func TestIBMCleanUp(t *testing.T) {
	for _, tt := range []struct {
		spec  string
		style fakes.Style
	}{{rules.IBMOperation, fakes.Location}, {rules.IBMResource, ibmcloud.ResourceStatus}} {
		svc := ibmcloud.New(nil)
		svc.Default = fakes.Plan{Style: tt.style, Duration: 30 * time.Second}
		r := check(t, svc, &checker.Options{Spec: tt.spec, Requests: lifeIBM[:1]})
		require.Empty(t, r.Left)
		require.Contains(t, methodsOf(svc), http.MethodDelete, tt.spec)
	}
}
