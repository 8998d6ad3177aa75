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

// If a worker is killed before it gets the responses to a PUT and a POST, the next worker repeats
// both, but the POST takes effect only once.
func TestStarterDiesBeforeCommit(t *testing.T) {
	t.Parallel()
	accepted, killed := make(chan struct{}, 2), make(chan struct{})
	var requests atomic.Int64
	r := newRig(t, quick(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodGet || requests.Add(1) > 2 {
				next.ServeHTTP(w, req)
				return
			}
			next.ServeHTTP(httptest.NewRecorder(), req) // the response is lost
			accepted <- struct{}{}
			<-killed
		})
	})
	r.insert(t, r.put(1), r.post(9))
	c := r.start(t, "w1")
	<-accepted
	<-accepted
	c.kill()
	close(killed)
	require.Equal(t, 2, one[int](t, r, "SELECT count(*) FROM river_job WHERE kind = 'operation_begin' AND state = 'running'"))

	r.advanceMinute(t)
	r.start(t, "w2")
	r.ended(t, 2)
	require.Equal(t, 2, one[int](t, r, "SELECT count(*) FROM operation WHERE state = 'Succeeded'"))
	require.Equal(t, 2, one[int](t, r, "SELECT count(*) FROM operation"))
	require.Equal(t, 1, r.sent(http.MethodPost, "/start"), "only one POST takes effect")
	require.Equal(t, int64(1), r.svc.repeated.Load())
	require.Positive(t, r.svc.again.Load(), "the PUT")
}

// If a starter freezes, another worker takes over its job. When the frozen starter wakes up, it
// stores nothing.
func TestFrozenStarter(t *testing.T) {
	t.Parallel()
	var r *rig
	var once sync.Once
	r = newRig(t, quick(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			once.Do(func() { // as if another worker had taken over the job
				_, err := r.pool.Exec(req.Context(), "UPDATE river_job SET attempt = attempt + 1 WHERE kind = 'operation_begin'")
				if err != nil {
					panic(err)
				}
			})
			next.ServeHTTP(w, req)
		})
	})
	r.insert(t, r.put(0))
	r.start(t, "w1")
	r.ended(t, 1)
	require.Equal(t, errTaken.Error(), one[string](t, r, "SELECT errors[1]->>'error' FROM river_job WHERE kind = 'operation_begin'"))
	require.Equal(t, 1, one[int](t, r, "SELECT count(*) FROM operation"))
}

// A worker gives up only after a permanent refusal. If a refusal is temporary or a permission is
// missing, the worker tries again later. A DELETE that gets a 404 has succeeded.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	const throttled = "/subscriptions/another/widgets/w" // in its own subscription, because a 429 delays all requests to the same subscription
	r := newRig(t, quick(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == throttled {
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
	later, gone := r.put(4), r.put(5)
	later.URL = r.cfg.Origin + throttled
	gone.Method, gone.Body = http.MethodDelete, nil
	r.insert(t, r.put(1), r.put(2), r.put(3), later, gone)
	r.start(t, "w1")
	r.until(t, 3, "SELECT count(state) FROM operation")
	r.until(t, 1, "SELECT count(*) FROM river_job WHERE state = 'scheduled' AND metadata->>'trouble' LIKE '%403%'")
	r.until(t, 1, "SELECT count(*) FROM river_job WHERE state = 'scheduled' AND metadata->>'trouble' = '' AND scheduled_at > now() + interval '4 minutes'")
	require.Contains(t, one[string](t, r, "SELECT error FROM operation WHERE name = 'op-000001' AND state = 'Refused'"), "400")
	require.Equal(t, "Succeeded", one[string](t, r, "SELECT state FROM operation WHERE name = 'op-000002'"))
	require.Equal(t, "Succeeded", one[string](t, r, "SELECT state FROM operation WHERE name = 'op-000005' AND error = ''"))
	require.Equal(t, int64(1), r.svc.again.Load())
}

// If the service asks for a short pause, the worker waits instead of postponing the job.
func TestShortThrottle(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	r := newRig(t, quick(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if requests.Add(1) == 1 {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			next.ServeHTTP(w, req)
		})
	})
	r.insert(t, r.put(0))
	r.start(t, "w1")
	r.ended(t, 1)
	require.Equal(t, 1, r.sent(http.MethodPut, widget(0)), "the service refuses one PUT and accepts the other")
	require.True(t, one[bool](t, r, "SELECT NOT metadata ? 'snoozes' AND attempt = 1 FROM river_job WHERE kind = 'operation_begin'"))
}

// If a POST without a RequestID gets a 502, the worker does not repeat it, because it may have
// taken effect. After a 409, the worker repeats it.
func TestUnrepeatableRequest(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), nil)
	r.svc.fake.Fault(fakes.Fault{Path: widget(9) + "/start", Kind: fakes.Begin, Do: fakes.Status(http.StatusBadGateway)})
	r.svc.fake.Fault(fakes.Fault{Path: widget(8) + "/start", Kind: fakes.Begin, Nth: 1, Do: fakes.Status(http.StatusConflict)})
	lost, refused := r.post(9), r.post(8)
	lost.RequestID, refused.RequestID = "", ""
	r.insert(t, lost, refused)
	r.start(t, "w1")
	r.ended(t, 2)
	require.Equal(t, "Unknown", one[string](t, r, "SELECT state FROM operation WHERE name = 'op-000009' AND error LIKE '%502%'"))
	require.Equal(t, 1, r.sent(http.MethodPost, widget(9)))
	require.Equal(t, "Succeeded", one[string](t, r, "SELECT state FROM operation WHERE name = 'op-000008'"))
	require.Equal(t, 2, r.sent(http.MethodPost, widget(8)), "a request that got a 409 is sent again")
}

// If the program does not trust the service's certificate, the job waits, because the service has
// not refused the operation.
func TestUntrustedService(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), nil)
	untrusted := httptest.NewTLSServer(r.svc)
	t.Cleanup(untrusted.Close)
	r.cfg.Origin = untrusted.URL
	r.insert(t, r.put(0))
	r.start(t, "w1")
	r.until(t, 1, "SELECT count(*) FROM river_job WHERE state = 'scheduled' AND metadata->>'trouble' <> '' AND scheduled_at > now() + interval '9 minutes'")
	require.Zero(t, one[int](t, r, "SELECT count(*) FROM operation"))
}

// A stopping process waits for the response to a PUT, even after SoftStopTimeout.
func TestStopWaitsForWrite(t *testing.T) {
	t.Parallel()
	accepted, cut := make(chan struct{}), make(chan bool, 1)
	var r *rig
	r = newRig(t, config{Pause: time.Minute, Duration: time.Second, Timeout: 15 * time.Second}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			close(accepted) // called only once, because the first poll is due a minute later
			select {
			case <-req.Context().Done():
				cut <- true
			case <-time.After(r.cfg.Timeout / 5 * 3 / 2): // longer than SoftStopTimeout
				cut <- false
			}
			next.ServeHTTP(w, req)
		})
	})
	r.insert(t, r.put(0))
	c := r.start(t, "w1")
	<-accepted
	c.stop()
	require.False(t, <-cut)
	require.Equal(t, 1, one[int](t, r, "SELECT count(*) FROM river_job WHERE kind = 'operation_begin' AND state = 'completed'"))
	require.Equal(t, 1, one[int](t, r, "SELECT count(*) FROM operation"))
}

// A worker stores the token of an accepted operation that it cannot follow.
func TestUnfollowableOperation(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), nil)
	r.svc.fake.Fault(fakes.Fault{Path: widget(9), Kind: fakes.Begin, Do: fakes.Respond(http.StatusAccepted, "{}")})
	r.insert(t, r.post(9))
	r.start(t, "w1")
	r.until(t, 1, "SELECT count(*) FROM operation WHERE state IS NULL AND error <> ''")
	require.Contains(t, one[string](t, r, "SELECT error FROM operation"), "no usable URL to poll")
	require.Contains(t, one[string](t, r, "SELECT token FROM operation"), `"first"`)
}

// A worker cancels a forged job whose URL has a foreign origin.
func TestForgedRow(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), nil)
	r.insert(t, BeginArgs{Operation: "a", Method: http.MethodPut, URL: r.cfg.Origin + ".evil.test/widgets/w"})
	r.start(t, "w1")
	r.until(t, 1, "SELECT count(*) FROM river_job WHERE state = 'cancelled' AND errors[1]->>'error' LIKE '%foreign origin%'")
}
