package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"
)

// TestMain runs the tests. If the last argument is workCommand or serveCommand, it runs a worker
// process or the service instead.
func TestMain(m *testing.M) {
	var err error
	switch os.Args[len(os.Args)-1] {
	case workCommand:
		err = work(context.Background(), os.Stdin)
	case serveCommand:
		err = serve(context.Background(), os.Stdin, os.Stdout)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// newDatabase creates a database and returns its URL. If DATABASE_URL is not set, it skips the
// test, or fails the test if LRO_RIVER is "required".
func newDatabase(t *testing.T) string {
	t.Helper()
	server := os.Getenv("DATABASE_URL")
	if server == "" && os.Getenv("LRO_RIVER") == "required" {
		require.FailNow(t, "DATABASE_URL is not set")
	}
	if server == "" {
		t.Skip("DATABASE_URL is not set; call ./run go test ./...")
	}
	at, err := url.Parse(server)
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), server)
	require.NoError(t, err)
	name := "lro_" + strings.ToLower(rand.Text())
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		require.NoError(t, err)
		require.NoError(t, conn.Close(ctx))
	})
	at.Path = "/" + name
	return at.String()
}

// quick returns a config for operations that take half a second. The timeout is long enough for a
// slow machine.
func quick() config {
	return config{Pause: 200 * time.Millisecond, Duration: 500 * time.Millisecond, Timeout: 30 * time.Second}
}

// A rig provides a test with a database and a service.
type rig struct {
	cfg  config
	pool *pgxpool.Pool
	svc  *service
}

// newRig returns a rig. The function, if not nil, wraps the service's handler.
func newRig(t *testing.T, cfg config, before func(next http.Handler) http.Handler) *rig {
	t.Helper()
	cfg.URL = newDatabase(t)
	pool, err := pgxpool.New(t.Context(), cfg.URL)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, migrate(t.Context(), pool))
	r := &rig{pool: pool, svc: newFake(cfg)}
	var h http.Handler = r.svc
	if before != nil {
		h = before(h)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	cfg.Origin = server.URL
	r.cfg = cfg
	return r
}

// start starts a worker process and stops it when the test ends.
func (r *rig) start(t *testing.T, id string) *process {
	t.Helper()
	cfg := r.cfg
	cfg.ID = id
	p, err := startProcess(t.Context(), workCommand, cfg)
	require.NoError(t, err)
	t.Cleanup(p.stop)
	return p
}

func (r *rig) insert(t *testing.T, args ...river.JobArgs) {
	t.Helper()
	client, err := river.NewClient(riverpgxv5.New(r.pool), &river.Config{})
	require.NoError(t, err)
	for _, a := range args {
		_, err := client.Insert(t.Context(), a, nil)
		require.NoError(t, err)
	}
}

// put returns a job that creates widget i with a PUT.
func (r *rig) put(i int) BeginArgs {
	return BeginArgs{
		Operation: fmt.Sprintf("op-%06d", i), Method: http.MethodPut, URL: r.cfg.Origin + widget(i),
		Body: fmt.Appendf(nil, `{"properties": {"size": %d}}`, i),
	}
}

// post stores widget i in the service and returns a job that starts the widget with a POST.
func (r *rig) post(i int) BeginArgs {
	r.svc.fake.Put(widget(i), map[string]any{"properties": map[string]any{"size": i}})
	return BeginArgs{
		Operation: fmt.Sprintf("op-%06d", i), Method: http.MethodPost, URL: r.cfg.Origin + widget(i) + "/start",
		RequestID: "5942d340-09a6-4d4b-bd63-65a5a80fd8f1",
	}
}

// advanceMinute changes the database as if a minute had passed: running jobs exceed their time
// limit, claimed operations become due, and the leader is gone.
func (r *rig) advanceMinute(t *testing.T) {
	t.Helper()
	_, err := r.pool.Exec(t.Context(), "UPDATE river_job SET attempted_at = attempted_at - interval '1 minute' WHERE state = 'running'")
	require.NoError(t, err)
	_, err = r.pool.Exec(t.Context(), "UPDATE operation SET next = next - interval '1 minute'")
	require.NoError(t, err)
	_, err = r.pool.Exec(t.Context(), "DELETE FROM river_leader")
	require.NoError(t, err)
}

// one runs a query and returns its only value.
func one[T any](t *testing.T, r *rig, sql string) (value T) {
	t.Helper()
	require.NoError(t, r.pool.QueryRow(t.Context(), sql).Scan(&value), sql)
	return value
}

// until repeats a query that counts rows, and returns once the result is n. It polls, because only
// the database shows what other processes have done.
func (r *rig) until(t *testing.T, n int, sql string) {
	t.Helper()
	late := time.After(3 * time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for one[int](t, r, sql) != n {
		select {
		case <-tick.C:
		case <-late:
			require.FailNow(t, "timed out", "want %d: %s", n, sql)
		}
	}
}

// ended waits until n operations have ended and all jobs that start operations have completed.
func (r *rig) ended(t *testing.T, n int) {
	t.Helper()
	r.until(t, n, "SELECT count(state) FROM operation")
	r.until(t, 0, "SELECT count(*) FROM river_job WHERE kind = 'operation_begin' AND state <> 'completed'")
}

// sent returns the number of requests that have this method and contain this string in the path.
func (r *rig) sent(method, part string) (n int) {
	for _, req := range r.svc.fake.Requests() {
		if req.Method == method && strings.Contains(req.Path, part) {
			n++
		}
	}
	return n
}
