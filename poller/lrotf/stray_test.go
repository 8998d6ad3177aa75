package lrotf_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// Between the two times in its fields, a stale client returns the old widget, with size 1 and the
// state Succeeded. Some services do the same, because their resources do not show an operation in
// progress.
type stale struct {
	poller.Doer
	from, until time.Time
}

func (s stale) Do(req *http.Request) (*http.Response, error) {
	isWidget := req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, "/widgets/w1")
	now := time.Now()
	if !isWidget || now.Before(s.from) || !now.Before(s.until) {
		return s.Doer.Do(req)
	}
	body := `{"id":"` + widgetPath + `w1","name":"w1","properties":{"size":1,"provisioningState":"Succeeded"}}`
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1, Request: req}, nil
}

// showOld makes reads of the widget return the old widget for 71 hours, and the next n reads of the
// status return 404. Both start after the given delay. Tests call showOld at least an hour after
// the start of an operation that takes 72 hours, so the widget looks old until the operation ends.
func (r *rig) showOld(n int, after time.Duration) {
	from := time.Now().Add(after)
	r.c.Doer = stale{r.c.Doer, from, from.Add(days - time.Hour)}
	hide := func() {
		if n > 0 {
			r.svc.Fault(fakes.Fault{Kind: fakes.Poll, Times: n, Do: fakes.Status(http.StatusNotFound)})
		}
	}
	if after == 0 {
		hide()
		return
	}
	time.AfterFunc(after, hide)
}

// Update waits for a deletion to end before it creates the widget again, even if a few reads of the
// status get a 404.
func TestStray404WhileDeleting(t *testing.T) {
	t.Parallel()
	for strays := range 3 {
		for _, pause := range []time.Duration{0, 24 * time.Hour} {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.apply(w1(1))
				r.interrupted(nil)
				r.showOld(strays, 0)
				time.Sleep(pause)
				start := time.Now()
				result, _ := r.apply(w1(1))
				require.False(t, result.Failed(), "%s", texts(result))
				require.Equal(t, 2, r.started(put))
				requests := r.svc.Requests()
				for i := range requests {
					if requests[i].Kind == fakes.Begin && !requests[i].Time.Before(start) {
						require.GreaterOrEqual(t, requests[i].Time.Sub(start), days-time.Hour-pause)
					}
				}
				require.True(t, r.HasState())
				require.Empty(t, r.Private())
			})
		}
	}
}

// The provider never reports a failed creation as a success, even if the widget looks ready after
// some 404s for the status.
func TestStray404WhileCreating(t *testing.T) {
	t.Parallel()
	for strays := range 4 {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, fakes.Plan{Method: put, Duration: days, RetryAfter: 5 * time.Minute, Ending: fakes.Failed})
			r.interrupted(w1(1))
			r.showOld(strays, 0)
			time.Sleep(10 * time.Minute)
			result, took := r.apply(w1(1))
			require.Equal(t, "update", result.Action)
			require.True(t, result.Failed())
			require.Contains(t, texts(result), `ERROR: Creating widget "w1": failed`)
			require.GreaterOrEqual(t, took, days-70*time.Minute)
			require.Less(t, took, days-60*time.Minute)
		})
	}
}

// If the configuration is changed back after an interrupted update, the next apply still follows
// that update to its end, even if two reads of the status get a 404. The widget proves nothing,
// because it has the old size throughout.
func TestStray404AfterRevert(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{0, 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.apply(w1(1))
			r.interrupted(w1(2))
			r.showOld(2, 0)
			time.Sleep(pause)
			result, took := r.apply(w1(1))
			require.False(t, result.Failed(), "%s", texts(result))
			require.GreaterOrEqual(t, took, 2*days-time.Hour-pause)
			require.Equal(t, "1", r.Attribute("size"))
			require.Equal(t, 3, r.started(put), "there must be one creation and two updates")
		})
	}
}

// If no run has read the status for 12 hours, a single 404 means that the service has deleted the
// status. A run that reads the status restarts the 12 hours.
func TestStray404AfterSecondRun(t *testing.T) {
	t.Parallel()
	for pause, want := range map[time.Duration]string{11 * time.Hour: "update", 13 * time.Hour: "no-op"} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.interrupted(w1(1))
			time.Sleep(11 * time.Hour)
			r.interrupted(w1(1))
			time.Sleep(pause)
			r.showOld(1, 0)
			require.Equal(t, want, r.plan(w1(1)).Action)
		})
	}
}

// A single 404 a day after the interrupt does not end an apply whose refresh has just read the
// status.
func TestStray404AfterRefresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		time.Sleep(24 * time.Hour)
		r.showOld(1, time.Minute)
		result, took := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.GreaterOrEqual(t, took, days-25*time.Hour)
	})
}
