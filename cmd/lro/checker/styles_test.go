package checker_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
	"github.com/lro-go/lro/fakes"
)

// In most styles, a fakes.Service breaks no rule, however its operations end. In three styles, it
// breaks the rules listed in the table.
func TestFakesBreakNoRule(t *testing.T) {
	t.Parallel()
	const (
		noLocation = "arm-accepted-location"                // "Return HTTP code 202 (Accepted) with a Location header"
		resource   = "arm-patch-code arm-accepted-location" // also: "Respond to the initial PATCH request with a 202 Accepted"
	)
	for _, tt := range []struct {
		style  fakes.Style
		breaks string
	}{
		{style: 0}, // the style that the Resource Provider Contract defines for each method
		{style: fakes.Location},
		{style: fakes.Location | fakes.AzureAsyncOperation},
		{style: fakes.Location | fakes.OperationLocation},
		{style: fakes.Synchronous},
		{style: fakes.AzureAsyncOperation, breaks: noLocation},
		{style: fakes.OperationLocation, breaks: noLocation},
		{style: fakes.ProvisioningState, breaks: resource},
	} {
		for _, plan := range []fakes.Plan{
			{Duration: 30 * time.Second, Percent: true, RetryAfter: 10 * time.Second},
			{}, // the default: two polls
			{Polls: -1},
			{Duration: 30 * time.Second, Ending: fakes.Failed},
			{Duration: 30 * time.Second, Ending: fakes.Canceled},
		} {
			plan.Style = tt.style
			t.Run(fmt.Sprintf("%d/%s/%s/%d", plan.Style, plan.Duration, plan.Ending, plan.Polls), func(t *testing.T) {
				svc := &fakes.Service{Default: plan, PageSize: 1}
				svc.Put(widgets+"/w0", map[string]any{})
				svc.Put(widgets+"/w2", map[string]any{})
				r := check(t, svc, &checker.Options{Requests: requests(life...), Probe: true, Interval: 5 * time.Second})
				require.Equal(t, strings.Fields(tt.breaks), append([]string{}, r.Broken()...), strings.Join(findings(r), "\n"))
			})
		}
	}
}

// The service breaks no rule when the check cancels an operation.
func TestCancel(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Duration: time.Hour}}
	r := check(t, svc, &checker.Options{Requests: requests(life[0]), Cancel: true, Interval: 5 * time.Second})
	require.Empty(t, findings(r))
	require.Equal(t, trace.Canceled, r.Operations[0].End)
	require.Positive(t, r.Examined["arm-cancel-code"])
	require.Positive(t, r.Examined["arm-cancel-ends"])
}

// A service that does not support cancellation breaks no rule.
func TestNoCancel(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Style: fakes.AzureAsyncOperation | fakes.Location, Duration: 30 * time.Second}}
	withoutCancel := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/cancel") {
			http.NotFound(w, r)
			return
		}
		svc.ServeHTTP(w, r)
	})
	r := check(t, withoutCancel, &checker.Options{Requests: requests("PUT " + widget + " {}"), Cancel: true})
	require.Empty(t, findings(r))
	require.Zero(t, r.Examined["arm-cancel-code"])
}
