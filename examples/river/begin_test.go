package main

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// Killed when the service has accepted a PUT and a POST, and no answer has come:
// both are sent again, and the POST is done once.
func TestABeginnerDiesBeforeItCommits(t *testing.T) {
	t.Parallel()
	accepted, killed := make(chan struct{}, 2), make(chan struct{})
	var requests atomic.Int64
	r := newRig(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodGet || requests.Add(1) > 2 {
				next.ServeHTTP(w, req)
				return
			}
			next.ServeHTTP(httptest.NewRecorder(), req) // nobody is told
			accepted <- struct{}{}
			<-killed
		})
	})
	r.insert(t, r.intent(1), r.intent(9))
	c := r.start(t, "w1")
	<-accepted
	<-accepted
	c.kill()
	close(killed)
	require.Equal(t, 2, one[int](t, r, "SELECT count(*) FROM river_job WHERE kind = 'operation_begin' AND state = 'running'"))

	r.aMinuteLater(t)
	r.start(t, "w2")
	r.ended(t, 2)
	require.Equal(t, 2, one[int](t, r, "SELECT count(*) FROM operation_end WHERE state = 'Succeeded'"))
	require.Equal(t, 2, one[int](t, r, "SELECT count(*) FROM river_job WHERE kind = 'operation_follow'"))
	require.Equal(t, 1, r.sent(http.MethodPost, "/start"), "the service has seen it once")
	require.Equal(t, int64(1), r.svc.repeated.Load())
	require.Positive(t, r.svc.again.Load(), "the PUT")
}

// A beginner that was given up for dead and wakes up stores nothing beside the one
// that took its place.
func TestABeginnerWasFrozen(t *testing.T) {
	t.Parallel()
	var r *rig
	var once sync.Once
	r = newRig(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			once.Do(func() { // the other one has taken it up
				_, err := r.pool.Exec(req.Context(), "UPDATE river_job SET attempt = attempt + 1")
				if err != nil {
					panic(err)
				}
			})
			next.ServeHTTP(w, req)
		})
	})
	r.insert(t, r.intent(0))
	r.start(t, "w1")
	r.ended(t, 1)
	require.Equal(t, errTaken.Error(), one[string](t, r, "SELECT errors[1]->>'error' FROM river_job WHERE kind = 'operation_begin'"))
	require.Equal(t, 1, one[int](t, r, "SELECT count(*) FROM river_job WHERE kind = 'operation_follow'"))
}

// What the service refuses for good is an end, too. What may pass is asked again,
// when the service wants it, and what is wrong with the identity is for a person to
// see to.
func TestRefusedBeginnings(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == widget(4) {
				w.Header().Set("Retry-After", "300")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			next.ServeHTTP(w, req)
		})
	})
	r.svc.fake.Fault(fakes.Fault{Path: widget(1), Do: fakes.Status(http.StatusBadRequest)})
	r.svc.fake.Fault(fakes.Fault{Path: widget(2), Kind: fakes.Begin, Nth: 1, Do: fakes.Status(http.StatusConflict)})
	r.svc.fake.Fault(fakes.Fault{Path: widget(3), Do: fakes.Status(http.StatusForbidden)})
	r.svc.fake.Fault(fakes.Fault{Path: widget(5), Do: fakes.Status(http.StatusNotFound)})
	gone := r.intent(5)
	gone.Method, gone.Body = http.MethodDelete, nil
	r.insert(t, r.intent(1), r.intent(2), r.intent(3), r.intent(4), gone)
	r.start(t, "w1")
	r.until(t, 3, "SELECT count(*) FROM operation_end")
	r.until(t, 1, "SELECT count(*) FROM river_job WHERE state = 'scheduled' AND metadata->>'trouble' LIKE '%403%'")
	r.until(t, 1, "SELECT count(*) FROM river_job WHERE state = 'scheduled' AND metadata->>'trouble' = '' AND scheduled_at > now() + interval '4 minutes'")
	require.Contains(t, one[string](t, r, "SELECT error FROM operation_end WHERE operation = 'op-000001' AND state = 'Refused'"), "400")
	require.Equal(t, "Succeeded", one[string](t, r, "SELECT state FROM operation_end WHERE operation = 'op-000002'"))
	require.Equal(t, "Succeeded", one[string](t, r, "SELECT state FROM operation_end WHERE operation = 'op-000005' AND error = ''"))
	require.Equal(t, int64(1), r.svc.again.Load())
}

// A process that is told to stop waits for the answer to what it has sent, for
// longer than it waits for a read.
func TestAStopDoesNotCutABeginningShort(t *testing.T) {
	t.Parallel()
	accepted, cut := make(chan struct{}), make(chan bool, 1)
	var r *rig
	r = newRig(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			close(accepted) // once: nobody follows it
			select {
			case <-req.Context().Done():
				cut <- true
			case <-time.After(r.cfg.timeout / 5 * 3 / 2): // SoftStopTimeout is over
				cut <- false
			}
			next.ServeHTTP(w, req)
		})
	}, "-timeout=15s", "-pause=1m")
	r.insert(t, r.intent(0))
	c := r.start(t, "w1")
	<-accepted
	c.stop()
	require.False(t, <-cut)
	require.Equal(t, 1, one[int](t, r, "SELECT count(*) FROM river_job WHERE kind = 'operation_begin' AND state = 'completed'"))
	require.Equal(t, 1, one[int](t, r, "SELECT count(*) FROM river_job WHERE kind = 'operation_follow'"))
}

// What the service has accepted is not lost, also where nobody knows how to follow
// it yet.
func TestAnAcceptedOperationThatCannotBeFollowed(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.svc.fake.Fault(fakes.Fault{Path: widget(9), Kind: fakes.Begin, Do: fakes.Respond(http.StatusAccepted, "{}")})
	r.insert(t, r.intent(9))
	r.start(t, "w1")
	const stuck = "FROM river_job WHERE kind = 'operation_follow' AND state = 'scheduled'"
	r.until(t, 1, "SELECT count(*) "+stuck+" AND metadata->>'trouble' <> ''")
	require.Contains(t, one[string](t, r, "SELECT metadata->>'trouble' "+stuck), "nothing to poll")
	require.Contains(t, one[string](t, r, "SELECT args->>'token' "+stuck), `"first"`)
}

// A row that somebody has forged sends nothing to another origin.
func TestABeginningElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.insert(t, BeginArgs{Operation: "a", Method: http.MethodPut, URL: r.cfg.origin + ".evil.test/widgets/w"})
	r.start(t, "w1")
	r.until(t, 1, "SELECT count(*) FROM river_job WHERE state = 'cancelled' AND errors[1]->>'error' LIKE '%foreign origin%'")
}
