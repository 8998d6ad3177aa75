package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// moving is a service that reports the status at another URL after every read. A read with an old
// token gets a 404.
type moving struct {
	mu    sync.Mutex
	asked []string
}

func (m *moving) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	m := &moving{}
	r := newRig(t, quick(), func(http.Handler) http.Handler { return m })
	r.insert(t, BeginArgs{Operation: "a", Method: http.MethodPut, URL: r.cfg.Origin + "/widgets/w"})
	r.start(t, "w1")
	r.ended(t, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	require.Equal(t, []string{"/status/0", "/status/1", "/status/2", "/status/3", "/status/4"}, m.asked)
	require.JSONEq(t, `{"name": "w"}`, one[string](t, r, "SELECT result::text FROM operation_end"))
	const job = "FROM river_job WHERE kind = 'operation_follow'"
	require.Contains(t, one[string](t, r, "SELECT args->>'token' "+job), "/status/0")
	require.Contains(t, one[string](t, r, "SELECT metadata->>'token' "+job), "/status/4")
	require.Equal(t, 4, one[int](t, r, "SELECT (metadata->>'snoozes')::int "+job))
	require.Equal(t, 1, one[int](t, r, "SELECT attempt::int "+job), "a snooze uses up no attempt")
}

// If a follower is killed after it has read that the operation has ended, but before it has
// recorded this, another follower reads the status again.
func TestFollowerDiesBeforeCommit(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), nil)
	lock, err := r.pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), "LOCK TABLE operation_end IN SHARE MODE") // blocks every INSERT
	require.NoError(t, err)
	r.insert(t, r.put(0))
	c := r.start(t, "w1")
	r.until(t, 1, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO operation_end%' AND datname = current_database()")
	polls := r.svc.polls.Load()
	c.kill()
	require.NoError(t, lock.Rollback(t.Context()))
	require.Zero(t, one[int](t, r, "SELECT count(*) FROM operation_end"))

	r.aMinuteLater(t)
	r.start(t, "w2")
	r.ended(t, 1)
	require.Equal(t, "Succeeded", one[string](t, r, "SELECT state FROM operation_end"))
	require.Greater(t, r.svc.polls.Load(), polls)
	require.Equal(t, 1, one[int](t, r, "SELECT (metadata->>'river:rescue_count')::int FROM river_job WHERE kind = 'operation_follow'"))
}

// A follower records in the job's metadata that there is a problem. Once someone has fixed it, the
// follower reads the status again.
func TestTrouble(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), nil)
	r.svc.fake.Fault(fakes.Fault{Path: widget(0), Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusForbidden)})
	r.insert(t, r.put(0))
	r.start(t, "w1")
	const job = "FROM river_job WHERE kind = 'operation_follow'"
	r.until(t, 1, "SELECT count(*) "+job+" AND state = 'scheduled' AND metadata->>'trouble' LIKE '%403%'")
	require.True(t, one[bool](t, r, "SELECT scheduled_at > now() + interval '9 minutes' "+job))

	_, err := r.pool.Exec(t.Context(), "UPDATE river_job SET state = 'available', scheduled_at = now() WHERE kind = 'operation_follow'") // as River's JobRetry does
	require.NoError(t, err)
	r.ended(t, 1)
	require.Equal(t, "Succeeded", one[string](t, r, "SELECT state FROM operation_end"))
}

// If a result cannot be read yet, the job is put off, so it does not occupy a worker.
func TestLateResult(t *testing.T) {
	t.Parallel()
	cfg := quick()
	cfg.Pause = time.Second
	r := newRig(t, cfg, nil)
	r.svc.fake.Fault(fakes.Fault{Path: widget(0), Kind: fakes.Read, Times: 3, Do: fakes.Status(http.StatusNotFound)})
	r.insert(t, r.put(0))
	r.start(t, "w1")
	r.ended(t, 1)
	require.Contains(t, one[string](t, r, "SELECT result::text FROM operation_end WHERE state = 'Succeeded' AND error = ''"), `"size"`)
	require.GreaterOrEqual(t, r.sent(http.MethodGet, widget(0)), 4)
	runs := one[int](t, r, "SELECT coalesce((metadata->>'snoozes')::int, 0) + 1 FROM river_job WHERE kind = 'operation_follow'")
	require.EqualValues(t, r.svc.polls.Load()-1, runs, "a run reads once, except that the read of the end and the first read of the result share a run")
}

// A process that is stopping releases the jobs that it cannot finish, and this does not use up an
// attempt.
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
	const job = "FROM river_job WHERE kind = 'operation_follow'"
	require.Equal(t, "available", one[string](t, r, "SELECT state::text "+job))
	require.Zero(t, one[int](t, r, "SELECT attempt::int "+job))
	require.True(t, one[bool](t, r, "SELECT errors IS NULL AND NOT metadata ? 'snoozes' "+job))
	r.start(t, "w2")
	r.ended(t, 1)
}

// The end of an operation is recorded even if the texts contain characters that PostgreSQL rejects.
// Recording the end a second time changes nothing.
func TestEndWithInvalidText(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), nil)
	insert := func(operation, state, result string, why error) error {
		return pgx.BeginFunc(t.Context(), r.pool, func(tx pgx.Tx) error {
			return insertEnd(t.Context(), tx, operation, state, []byte(result), why)
		})
	}
	for i, text := range []string{`{"a": "\u0000"}`, "{\"a\": \"\xff\"}", ""} {
		require.NoError(t, insert(fmt.Sprint(i), "Failed", text, errors.New("a\x00b\xff")))
	}
	require.Equal(t, 3, one[int](t, r, "SELECT count(*) FROM operation_end WHERE error = 'ab\uFFFD'"))
	require.NoError(t, insert("2", "Succeeded", "", nil))
	require.Equal(t, "Failed", one[string](t, r, "SELECT state FROM operation_end WHERE operation = '2'"), "the first end remains")
}
