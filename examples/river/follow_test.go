package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// A movingService moves the status to another URL after every read. Earlier URLs return 404.
type movingService struct {
	mu    sync.Mutex
	asked []string
}

func (m *movingService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	here := fmt.Sprintf("/status/%d", len(m.asked))
	next := fmt.Sprintf("http://%s/status/%d", r.Host, len(m.asked)+1)
	w.Header().Set("Retry-After-Ms", "200")
	switch {
	case r.Method == http.MethodPut:
		w.Header().Set("Azure-AsyncOperation", "http://"+r.Host+here)
		w.WriteHeader(http.StatusCreated)
	case r.URL.Path == here && len(m.asked) == 4:
		m.asked = append(m.asked, here)
		_, _ = w.Write([]byte(`{"status": "Succeeded"}`))
	case r.URL.Path == here:
		m.asked = append(m.asked, here)
		w.Header().Set("Azure-AsyncOperation", next)
		_, _ = w.Write([]byte(`{"status": "Running"}`))
	case strings.HasPrefix(r.URL.Path, "/status/"):
		m.asked = append(m.asked, "old: "+r.URL.Path)
		w.WriteHeader(http.StatusNotFound)
	default:
		_, _ = w.Write([]byte(`{"name": "w"}`))
	}
}

// Each run resumes from the token that the previous run stored.
func TestTokensAreCurrent(t *testing.T) {
	t.Parallel()
	m := &movingService{}
	r := newRig(t, quick(), func(http.Handler) http.Handler { return m })
	r.insert(t, BeginArgs{Operation: "a", Method: http.MethodPut, URL: r.cfg.Origin + "/widgets/w"})
	r.start(t, "w1")
	r.ended(t, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	require.Equal(t, []string{"/status/0", "/status/1", "/status/2", "/status/3", "/status/4"}, m.asked)
	require.JSONEq(t, `{"name": "w"}`, one[string](t, r, "SELECT result FROM operation"))
	require.Zero(t, one[int](t, r, "SELECT count(*) FROM river_job WHERE kind = 'operation_follow' AND (attempt > 1 OR errors IS NOT NULL)"), "a snooze uses up no attempt")
}

// If a follower is killed after reading the final status but before storing the outcome, another
// follower reads the status again.
func TestFollowerDiesBeforeCommit(t *testing.T) {
	t.Parallel()
	cfg := quick()
	cfg.Duration = time.Millisecond
	polled, locked := make(chan struct{}), make(chan struct{})
	var once sync.Once
	r := newRig(t, cfg, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodGet {
				once.Do(func() { close(polled) })
				<-locked
			}
			next.ServeHTTP(w, req)
		})
	})
	r.insert(t, r.put(0))
	c := r.start(t, "w1")
	<-polled
	lock, err := r.pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), "LOCK TABLE operation IN SHARE MODE") // blocks every UPDATE
	require.NoError(t, err)
	close(locked)
	r.until(t, 1, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE operation SET next = NULL%' AND datname = current_database()")
	polls := r.svc.polls.Load()
	c.kill()
	require.NoError(t, lock.Rollback(t.Context()))
	require.Zero(t, one[int](t, r, "SELECT count(state) FROM operation"))

	r.advanceMinute(t)
	r.start(t, "w2")
	r.ended(t, 1)
	require.Equal(t, "Succeeded", one[string](t, r, "SELECT state FROM operation"))
	require.Greater(t, r.svc.polls.Load(), polls)
}

// If the service refuses a read, the follower records the problem and postpones the next read by
// ten minutes. A successful read clears the problem.
func TestFollowRecordsProblem(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), nil)
	r.svc.fake.Fault(fakes.Fault{Path: widget(0), Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusForbidden)})
	r.insert(t, r.put(0))
	r.start(t, "w1")
	r.until(t, 1, "SELECT count(*) FROM operation WHERE error LIKE '%403%'")
	require.True(t, one[bool](t, r, "SELECT state IS NULL AND next > now() + interval '9 minutes' FROM operation"))

	_, err := r.pool.Exec(t.Context(), "UPDATE operation SET next = now()")
	require.NoError(t, err)
	r.ended(t, 1)
	require.True(t, one[bool](t, r, "SELECT state = 'Succeeded' AND error = '' FROM operation"))
}

// If the result cannot be read yet, a later run reads it.
func TestLateResult(t *testing.T) {
	t.Parallel()
	cfg := quick()
	cfg.Pause = time.Second
	r := newRig(t, cfg, nil)
	r.svc.fake.Fault(fakes.Fault{Path: widget(0), Kind: fakes.Read, Times: 3, Do: fakes.Status(http.StatusNotFound)})
	r.insert(t, r.put(0))
	r.start(t, "w1")
	r.ended(t, 1)
	require.Contains(t, one[string](t, r, "SELECT result FROM operation WHERE state = 'Succeeded' AND error = ''"), `"size"`)
	require.GreaterOrEqual(t, r.sent(http.MethodGet, widget(0)), 4)
}

// A stopping process releases the jobs that it cannot finish, without using up an attempt.
func TestStopReleasesJobs(t *testing.T) {
	t.Parallel()
	var polls atomic.Int64
	polled, over := make(chan struct{}), make(chan struct{})
	r := newRig(t, quick(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodGet && polls.Add(1) == 1 {
				close(polled)
				<-over
			}
			next.ServeHTTP(w, req)
		})
	})
	t.Cleanup(func() { close(over) })
	r.insert(t, r.put(0))
	c := r.start(t, "w1")
	<-polled
	c.stop()
	require.Equal(t, followJobs, one[int](t, r, "SELECT count(*) FROM river_job WHERE kind = 'operation_follow' AND state = 'available' AND attempt = 0 AND errors IS NULL"))
	require.True(t, one[bool](t, r, "SELECT error = '' AND next > now() FROM operation"), "an interrupted read is not a failure, and its claim remains valid")
	r.advanceMinute(t)
	r.start(t, "w2")
	r.ended(t, 1)
}

// If a run freezes, another run claims its operations. When the frozen run wakes up, it changes
// nothing.
func TestFrozenFollower(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), nil)
	f := &follower{db: r.pool, timeout: time.Minute}
	_, err := r.pool.Exec(t.Context(), "INSERT INTO operation (id, name, next, token) VALUES (1, 'a', now(), 'first')")
	require.NoError(t, err)
	frozen, err := f.claim(t.Context())
	require.NoError(t, err)
	require.Len(t, frozen, 1)
	none, err := f.claim(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)

	r.advanceMinute(t)
	other, err := f.claim(t.Context())
	require.NoError(t, err)
	require.Len(t, other, 1)
	store := func(o *operation, token string, state poller.State) {
		o.step = poller.Step[json.RawMessage]{Token: token, Next: time.Now(), Done: state != poller.InProgress, Status: poller.Status{State: state}}
		require.NoError(t, f.store(t.Context(), []*operation{o}))
	}
	store(frozen[0], "frozen", poller.InProgress)
	require.Equal(t, "first", one[string](t, r, "SELECT token FROM operation"))
	store(other[0], "other", poller.Succeeded)
	store(frozen[0], "frozen", poller.Failed)
	require.Equal(t, "other Succeeded", one[string](t, r, "SELECT token || ' ' || state FROM operation"))
}

// The follower records the end of an operation even if the result or the error contains characters that
// PostgreSQL rejects.
func TestEndWithInvalidText(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), nil)
	f := &follower{db: r.pool, timeout: time.Minute}
	_, err := r.pool.Exec(t.Context(), "INSERT INTO operation (id, name, next, token) SELECT i, 'a', now(), '' FROM generate_series(1, 3) i")
	require.NoError(t, err)
	due, err := f.claim(t.Context())
	require.NoError(t, err)
	for i, text := range []string{`{"a": "\u0000"}`, "{\"a\": \"\xff\"}", ""} {
		due[i].step = poller.Step[json.RawMessage]{Done: true, Status: poller.Status{State: poller.Failed}, Result: []byte(text)}
		due[i].err = errors.New("a\x00b\xff")
	}
	require.NoError(t, f.store(t.Context(), due))
	require.Equal(t, 3, one[int](t, r, "SELECT count(*) FROM operation WHERE state = 'Failed' AND error = 'ab\uFFFD'"))
}
