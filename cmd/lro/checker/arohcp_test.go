package checker_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
)

// The ARO-HCP frontend breaks two rules: its 202 response to a PATCH has a body, and its result URL
// returns a 500 after a failure or cancellation.
func TestAROHCP(t *testing.T) {
	const (
		clusters = "/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters"
		cluster  = "/subscriptions/s/resourceGroups/g" + clusters + "/c1"
	)
	for ending, want := range map[fakes.Ending][]string{
		fakes.Succeeded: {"arm-accepted-body"},
		fakes.Failed:    {"arm-accepted-body", "arm-location-readable"},
		fakes.Canceled:  {"arm-accepted-body", "arm-location-readable"},
	} {
		t.Run(string(ending), func(t *testing.T) {
			svc := arohcp.New()
			svc.Default = fakes.Plan{Duration: 30 * time.Second, Ending: ending}
			all := requests(
				"PUT "+cluster+` {"location":"eastus","properties":{"x":1}}`, "PATCH "+cluster+` {"properties":{"x":2}}`,
				"POST "+cluster+"/requestAdminCredential {}", "GET "+cluster, "GET /subscriptions/s"+clusters, "DELETE "+cluster,
			)
			for i := range all {
				all[i].URL = strings.Replace(all[i].URL, version, "?api-version=2024-06-10-preview", 1)
			}
			r := check(t, svc, &checker.Options{Requests: all, Probe: true, Interval: 5 * time.Second})
			require.Equal(t, want, r.Broken(), strings.Join(findings(r), "\n"))
			require.Empty(t, r.Unfinished())
		})
	}
}
