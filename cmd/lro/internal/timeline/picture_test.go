package timeline

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

var update = flag.Bool("update", false, "write docs/wait.svg")

const machine = "/subscriptions/demo/resourceGroups/demo/providers/Microsoft.Contoso/machines/m1"

// faultyService returns a service for a single operation, which takes about ten minutes. During the
// operation, faults of several kinds occur, but they do not end the wait.
func faultyService() http.Handler {
	svc := &fakes.Service{Default: fakes.Plan{
		Polls: 6,
		Words: []string{"Accepted", "Allocating", "Allocating", "Allocating", "Configuring"},
	}}
	retryAfter := func(seconds string) func(http.Handler) http.Handler { return fakes.Header("Retry-After", seconds) }
	both := func(outer, inner func(http.Handler) http.Handler) func(http.Handler) http.Handler {
		return func(h http.Handler) http.Handler { return outer(inner(h)) }
	}
	svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: retryAfter("30")})
	for i, do := range []func(http.Handler) http.Handler{
		retryAfter("30"),
		retryAfter("60"),
		retryAfter("2"), // shorter than Cadence.Min, so the client waits longer
		both(retryAfter("60"), fakes.Slow(12*time.Second)),
		both(retryAfter("120"), fakes.Status(http.StatusTooManyRequests)),
		fakes.Drop(),
		fakes.Status(http.StatusServiceUnavailable),
		fakes.HTML(http.StatusOK), // an HTML page, such as a proxy's login page
		fakes.Header("Retry-After", ""),
		retryAfter("90"),
	} {
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: i + 1, Do: do})
	}
	svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 1, Do: fakes.Status(http.StatusNotFound)}) // the first read of the result does not find the resource yet
	return svc
}

// follow starts an operation on svc and follows it until it ends or the timeout expires. The client
// does not retry requests, so every fault reaches the poller.
func follow(t *testing.T, svc http.Handler, timeout time.Duration) *Recorder {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	r := NewRecorder(&fakes.Transport{Handler: svc})
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://a.test"+machine+"?sig=SECRET", strings.NewReader(`{"properties":{}}`))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer SECRET")
	p, err := poller.Begin[json.RawMessage](req, &http.Client{Transport: r}, nil)
	if err != nil {
		r.End(err)
		return r
	}
	for status, err := range p.Updates(ctx) {
		if err != nil {
			r.End(err)
			return r
		}
		r.Status(status)
	}
	_, err = p.PollUntilDone(ctx)
	r.End(err)
	return r
}

func draw(t *testing.T, r *Recorder) string {
	t.Helper()
	var svg bytes.Buffer
	require.NoError(t, r.Draw(&svg))
	require.NotContains(t, svg.String(), "SECRET")
	return svg.String()
}

// TestPicture checks that docs/wait.svg shows a wait for faultyService's operation.
func TestPicture(t *testing.T) {
	name := filepath.FromSlash("../../../../docs/wait.svg")
	if _, err := os.Stat(name); err != nil {
		t.Skip("docs/wait.svg is not part of this module:", err)
	}
	var got string
	synctest.Test(t, func(t *testing.T) { got = draw(t, follow(t, faultyService(), time.Hour)) })
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run go test ./internal/timeline -update and look at docs/wait.svg")
}

func TestPictureOfFaultyService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := follow(t, faultyService(), time.Hour).wait
		require.Equal(t, "PUT "+machine, w.name)
		require.Equal(t, "Succeeded after 10 min 22 s, 11 status reads (4 failed) and 2 attempts to read the result", w.summary())
		const s = time.Second
		require.Equal(t, []span{
			{0, 60 * s, "Accepted", 0},
			{60 * s, 202 * s, "Allocating", 0},
			{202 * s, 462 * s, "Allocating", 4},
			{462 * s, 612 * s, "Configuring", 0},
		}, w.spans())
		var answers, pauses []string
		for _, r := range w.readings {
			answers = append(answers, r.answer())
		}
		for _, p := range w.pauses() {
			pauses = append(pauses, p.why)
		}
		require.Equal(t, "201,200,200,200,200,429,no response,503,200, unreadable,200,200,200,404,200", strings.Join(answers, ","))
		require.Equal(t, []string{
			"30 s", "30 s", "1 min", "asked 2 s, waited 10 s", "1 min", "2 min", "back-off 20 s", "back-off 40 s", "back-off 1 min 20 s",
			"1 min as before", "1 min 30 s", "back-off 10 s",
		}, pauses)
	})
}

// The picture shows how the wait ended.
func TestEndings(t *testing.T) {
	for name, tt := range map[string]struct {
		fault   fakes.Fault
		plan    fakes.Plan
		timeout time.Duration
		summary string
		label   string
	}{
		"not ended":   {plan: fakes.Plan{Duration: fakes.Forever}, timeout: 130 * time.Second, summary: "Still in progress after 2 min, 2 status reads", label: "not ended"},
		"failed":      {plan: fakes.Plan{Ending: fakes.Failed, Duration: time.Minute}, timeout: time.Hour, summary: "Failed after 1 min, 1 status read", label: "Failed"},
		"refused":     {fault: fakes.Fault{Kind: fakes.Begin, Do: fakes.Status(http.StatusForbidden)}, timeout: time.Hour, summary: "Not started after 0, 1 attempt", label: "not started"},
		"no response": {fault: fakes.Fault{Kind: fakes.Begin, Do: fakes.Drop()}, timeout: time.Hour, summary: "Not started after 0, 1 attempt", label: "not started"},
		"lost":        {plan: fakes.Plan{Duration: time.Hour}, fault: fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(http.StatusForbidden)}, timeout: time.Hour, summary: "Still in progress after 1 min, 1 status read (1 failed)", label: "not ended"},
		"no result":   {plan: fakes.Plan{Duration: time.Minute}, fault: fakes.Fault{Kind: fakes.Read, Do: fakes.Status(http.StatusBadRequest)}, timeout: time.Hour, summary: "Succeeded after 1 min, 1 status read, and the result could not be read", label: "Succeeded"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := &fakes.Service{Default: tt.plan}
				svc.Fault(tt.fault)
				r := follow(t, svc, tt.timeout)
				require.Equal(t, tt.summary, r.wait.summary())
				require.Contains(t, draw(t, r), ">"+tt.label+"</text>")
			})
		})
	}
	require.ErrorContains(t, NewRecorder(nil).Draw(&bytes.Buffer{}), "no request was sent")
}
