package main

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"
)

// TestMain lets the test binary be a process of workers, as the program is: the
// demonstration starts what it is itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == workCommand {
		if err := command(context.Background(), os.Args[1:], os.Stdout); err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// server is where PostgreSQL is. Without one the test is skipped, or fails where
// the caller, such as the gate, relies on it to run.
func server(t *testing.T) string {
	t.Helper()
	url := os.Getenv("DATABASE_URL")
	if url == "" && os.Getenv("LRO_RIVER") == "required" {
		require.FailNow(t, "there must be a PostgreSQL: DATABASE_URL is not set")
	}
	if url == "" {
		t.Skip("no PostgreSQL: DATABASE_URL is not set; run ./run go test ./...")
	}
	return url
}

// quick is a configuration for a service that is done within a second.
func quick(t *testing.T, args ...string) config {
	t.Helper()
	cfg, err := parse(append([]string{"-pause=200ms", "-duration=500ms", "-timeout=6s"}, args...), os.Stderr)
	require.NoError(t, err)
	return cfg
}

// A rig is a database and a service.
type rig struct {
	cfg  config
	url  string
	pool *pgxpool.Pool
	svc  *service
}

// newRig has a service whose requests pass before, where that is not nil. A run has
// more time than any machine needs; a test that waits for it to be over says less.
func newRig(t *testing.T, before func(next http.Handler) http.Handler, args ...string) *rig {
	t.Helper()
	r := &rig{cfg: quick(t, append([]string{"-timeout=30s"}, args...)...)}
	scratch(t, func(url string) { r.url = url })
	pool, err := connect(t.Context(), r.url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, migrate(t.Context(), pool))
	r.pool, r.svc = pool, newService(r.cfg)
	var h http.Handler = r.svc
	if before != nil {
		h = before(h)
	}
	origin, closed, err := listen(t.Context(), h)
	require.NoError(t, err)
	t.Cleanup(closed)
	r.cfg.origin = origin
	return r
}

// scratch makes a database that lasts as long as the test.
func scratch(t *testing.T, use func(url string)) {
	t.Helper()
	at := server(t)
	made, over, dropped := make(chan string), make(chan struct{}), make(chan error, 1)
	ctx := context.WithoutCancel(t.Context())
	go func() {
		dropped <- inScratch(ctx, at, func(url string) error {
			made <- url
			<-over
			return nil
		})
	}()
	select {
	case url := <-made:
		use(url)
	case err := <-dropped:
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		close(over)
		require.NoError(t, <-dropped)
	})
}

// start starts a process of workers, which ends with the test.
func (r *rig) start(t *testing.T, id string) *crew {
	t.Helper()
	c, err := startCrew(t.Context(), r.url, r.cfg, id)
	require.NoError(t, err)
	t.Cleanup(c.stop)
	return c
}

// insert inserts jobs.
func (r *rig) insert(t *testing.T, args ...river.JobArgs) {
	t.Helper()
	client, err := river.NewClient(riverpgxv5.New(r.pool), &river.Config{})
	require.NoError(t, err)
	for _, a := range args {
		_, err := client.Insert(t.Context(), a, nil)
		require.NoError(t, err)
	}
}

// intent is an intent of the i-th operation.
func (r *rig) intent(i int) BeginArgs { return r.svc.intent(r.cfg.origin, i) }

// aMinuteLater lets a minute pass, as far as River can tell: jobs that are running
// have run for too long, and nobody leads any more.
func (r *rig) aMinuteLater(t *testing.T) {
	t.Helper()
	_, err := r.pool.Exec(t.Context(), "UPDATE river_job SET attempted_at = attempted_at - interval '1 minute' WHERE state = 'running'")
	require.NoError(t, err)
	_, err = r.pool.Exec(t.Context(), "DELETE FROM river_leader")
	require.NoError(t, err)
}

// one is the one value that a query gives.
func one[T any](t *testing.T, r *rig, sql string) (value T) {
	t.Helper()
	require.NoError(t, r.pool.QueryRow(t.Context(), sql).Scan(&value), sql)
	return value
}

// until waits until a query that counts gives n. Nothing else tells what other
// processes have done.
func (r *rig) until(t *testing.T, n int, sql string) {
	t.Helper()
	late := time.After(3 * time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for one[int](t, r, sql) != n {
		select {
		case <-tick.C:
		case <-late:
			require.FailNow(t, "it never came to that", "%d of %s", n, sql)
		}
	}
}

// ended waits until n operations have ended and no job is left.
func (r *rig) ended(t *testing.T, n int) {
	t.Helper()
	r.until(t, n, "SELECT count(*) FROM operation_end")
	r.until(t, 0, "SELECT count(*) FROM river_job WHERE state <> 'completed'")
}

// sent counts the requests of a method that the service was sent, of those whose
// path has a part.
func (r *rig) sent(method, part string) (n int) {
	for _, req := range r.svc.fake.Requests() {
		if req.Method == method && strings.Contains(req.Path, part) {
			n++
		}
	}
	return n
}
