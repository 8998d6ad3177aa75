package checker_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
	"github.com/lro-go/lro/fakes"
)

func TestOptions(t *testing.T) {
	get := requests("GET " + widget)
	for _, o := range []*checker.Options{
		nil,
		{},
		{Spec: "soap", Requests: get},
		{Spec: rules.ARM, Requests: []checker.Request{{Method: "TRACE", URL: origin}}},
		{Spec: rules.ARM, Requests: []checker.Request{{Method: "GET", URL: "/widgets"}}},
		{Spec: rules.ARM, Requests: []checker.Request{{Method: "GET", URL: "ftp://a.test"}}},
	} {
		_, err := checker.Check(t.Context(), o)
		require.Error(t, err)
		_, err = checker.Plan(o)
		require.Error(t, err)
	}
}

func TestPlan(t *testing.T) {
	o := checker.Options{Spec: rules.ARM, Requests: requests(life...), Probe: true, Cancel: true}
	lines, err := checker.Plan(&o)
	require.NoError(t, err)
	text := strings.Join(lines, "\n")
	require.Contains(t, text, "PUT "+origin+widget+"?REDACTED, and invalid requests: unknown-operation, conflict, provisioning-state, malformed-body, and a request to cancel it\n")
	require.Contains(t, text, "DELETE "+origin+widget+"?REDACTED, twice: the second one after the end, and invalid requests: unknown-operation")
	require.Contains(t, text, "\nDELETE of what the check has created")
	require.NotContains(t, text, "2026")
}

// Requests start at least 200 ms apart, and the report contains every request that the service
// received.
func TestPace(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Second}}
	r := check(t, svc, &checker.Options{Requests: requests(life...), Interval: time.Millisecond})
	var last time.Time
	for _, req := range svc.Requests() {
		require.GreaterOrEqual(t, req.Time.Sub(last), checker.Pace)
		last = req.Time
	}
	var sent int
	for _, op := range r.Operations {
		sent += len(op.Exchanges)
	}
	require.Len(t, svc.Requests(), sent)
	require.Empty(t, r.Left)
	writes := 0
	for _, req := range svc.Requests() {
		if req.Method != http.MethodGet {
			writes++
		}
	}
	require.Equal(t, 6, writes, "the check sends the five requests that change something, and the DELETE a second time")
}

// The check deletes what it has created, no matter when it is interrupted.
func TestCleanUp(t *testing.T) {
	for seconds := range 12 {
		synctest.Test(t, func(t *testing.T) {
			svc := &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Second}}
			stop := errors.New("stopped")
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Duration(seconds)*1100*time.Millisecond, stop)
			defer cancel()
			r, err := checker.Check(ctx, &checker.Options{
				Spec: rules.ARM, Requests: requests(life[0]), Client: func() *http.Client { return fakes.Client(svc) },
			})
			require.ErrorIs(t, err, stop)
			require.Empty(t, r.Left)
			_, exists := svc.Resource(widget)
			require.False(t, exists)
		})
	}
}

// The check deletes no preexisting resource, and reports any resource that it created but did not
// delete.
func TestNotDeleted(t *testing.T) {
	svc := &fakes.Service{}
	svc.Put(widget, map[string]any{})
	r := check(t, svc, &checker.Options{Requests: requests(life[0])})
	require.Empty(t, r.Left)
	require.NotContains(t, methodsOf(svc), http.MethodDelete)

	svc = &fakes.Service{}
	svc.Fault(fakes.Fault{Method: http.MethodDelete, Do: fakes.Status(http.StatusForbidden)})
	r = check(t, svc, &checker.Options{Requests: requests(life[0])})
	require.Equal(t, []string{origin + widget + version}, r.Left)

	svc = &fakes.Service{}
	r = check(t, svc, &checker.Options{Requests: requests(life[0]), Keep: true})
	require.Equal(t, []string{origin + widget + version}, r.Left)
	require.NotContains(t, methodsOf(svc), http.MethodDelete)
}

func methodsOf(svc *fakes.Service) (methods []string) {
	for _, req := range svc.Requests() {
		methods = append(methods, req.Method)
	}
	return methods
}

// The check sends invalid requests only if Probe is set, and then one of each kind.
func TestProbes(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Second}}
	r := check(t, svc, &checker.Options{Requests: requests(life[0])})
	probes := func() (names []string) {
		for _, x := range r.Operations[0].Exchanges {
			if x.Role == trace.Probe {
				names = append(names, x.Probe)
			}
		}
		return names
	}
	require.Empty(t, probes())

	svc = &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Second}}
	r = check(t, svc, &checker.Options{Requests: requests(life[0]), Probe: true})
	require.Equal(t, []string{"conflict", "unknown-operation", "provisioning-state", "malformed-body"}, probes())
	for _, id := range []string{"arm-conflict-code", "arm-unknown-operation", "arm-state-readonly", "arm-malformed-body"} {
		require.Positive(t, r.Examined[id], id)
	}
}

// The provisioning-state probe copies the body of the PUT. If that body is null, the probe sends
// only the provisioningState.
func TestProbeAfterNullBody(t *testing.T) {
	s := &scripted{script: script{"GET " + widget: {"404", "404", "200 " + succeeded}, "PUT " + widget: {"200 " + succeeded}}}
	r := check(t, s, &checker.Options{Requests: requests("PUT " + widget + " null"), Probe: true, Keep: true, Timeout: time.Minute, Patience: time.Minute})
	var bodies []string
	for _, x := range r.Operations[0].Exchanges {
		if x.Probe == "provisioning-state" {
			bodies = append(bodies, string(x.RequestBody))
		}
	}
	require.Equal(t, []string{`{"properties":{"provisioningState":"Failed"}}`}, bodies)
}

// The check sends no request, and so no credential, to a status URL on another host.
func TestForeignStatus(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Second, Style: fakes.Location}}
	svc.Fault(fakes.Fault{Do: fakes.Header("Location", "https://evil.test/x?api-version=1"), Kind: fakes.Begin, Method: http.MethodPut})
	r := check(t, svc, &checker.Options{Requests: requests(life[0])})
	require.Equal(t, []string{"arm-location-host"}, r.Broken())
	for _, x := range r.Operations[0].Exchanges {
		require.True(t, strings.HasPrefix(x.URL, origin), x.URL)
	}
}

// If the request that starts the operation gets a 429, the check waits as long as Retry-After says
// and then retries.
func TestThrottled(t *testing.T) {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Kind: fakes.Begin, Times: 2, Do: fakes.Throttle(20 * time.Second)})
	r := check(t, svc, &checker.Options{Requests: requests(life[0])})
	require.Empty(t, findings(r))
	op := r.Operations[0]
	require.Equal(t, trace.Succeeded, op.End)
	starts := op.Reads(trace.Start, trace.Before)
	require.Len(t, starts, 3)
	require.Equal(t, 20*time.Second, starts[1].At.Sub(starts[0].At))
}

// A service that refuses a request breaks no rule. The report says that the request was refused.
func TestRefused(t *testing.T) {
	svc := &fakes.Service{}
	r := check(t, svc, &checker.Options{Requests: requests(life[2])})
	require.Empty(t, findings(r))
	require.Equal(t, trace.Refused, r.Unfinished()[0].End)
}
