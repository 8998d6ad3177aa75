package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A machine runs the jobs in the database, one at a time, until none is left. It writes what a run has
// changed in one transaction: the state and the metadata of the job, the job that follows, and the end
// of the operation. The other tests have River's own writes, several workers, and processes that are
// killed.
type machine struct {
	t       *testing.T
	pool    *pgxpool.Pool
	process *fakes.Process
	client  poller.Doer
	options *poller.Options
}

func (m *machine) work(ctx context.Context) error {
	for {
		job, err := m.next(ctx)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		<-time.After(time.Until(job.ScheduledAt))
		err = m.run(ctx, job)
		if err != nil {
			return err
		}
	}
}

// next returns a job that is not completed.
func (m *machine) next(ctx context.Context) (*rivertype.JobRow, error) {
	var id int64
	err := m.pool.QueryRow(ctx, "SELECT id FROM river_job WHERE state <> 'completed' ORDER BY id LIMIT 1").Scan(&id)
	if err != nil {
		return nil, err
	}
	client, err := river.NewClient(riverpgxv5.New(m.pool), &river.Config{})
	if err != nil {
		return nil, err
	}
	return client.JobGet(ctx, id)
}

// run runs a job once.
func (m *machine) run(ctx context.Context, job *rivertype.JobRow) error {
	tx, err := m.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // does nothing after a commit
	if job.Kind == (BeginArgs{}).Kind() {
		err = m.begin(ctx, tx, job)
	} else {
		err = m.follow(ctx, tx, job)
	}
	if err != nil {
		return err
	}
	return m.process.Write(func() error { return tx.Commit(ctx) })
}

func (m *machine) begin(ctx context.Context, tx pgx.Tx, job *rivertype.JobRow) error {
	b := &beginner{db: tx, client: m.client, options: m.options, origin: "https://a.test", timeout: time.Minute}
	_, err := rivertest.NewWorker(m.t, riverpgxv5.New(nil), &river.Config{}, b).WorkJob(ctx, m.t, tx, job)
	return err
}

func (m *machine) follow(ctx context.Context, tx pgx.Tx, job *rivertype.JobRow) error {
	f := &follower{db: tx, client: m.client, options: m.options}
	_, err := rivertest.NewWorker(m.t, riverpgxv5.New(nil), &river.Config{}, f).WorkJob(ctx, m.t, tx, job)
	return err
}

// A worker that dies before or after any request and any write loses no operation and ends none twice.
// It starts none twice either, except that a PUT is sent again if its response is lost.
func TestCrashes(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), newDatabase(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, migrate(t.Context(), pool))

	path := widget(1)
	requestID := "5942d340-09a6-4d4b-bd63-65a5a80fd8f1"
	for _, args := range []BeginArgs{
		{Method: http.MethodPut, URL: "https://a.test" + path, Body: []byte(`{"properties": {"size": 1}}`)},
		{Method: http.MethodDelete, URL: "https://a.test" + path},
		{Method: http.MethodPost, URL: "https://a.test" + path + "/start", RequestID: requestID},
	} {
		t.Run(args.Method, func(t *testing.T) {
			args.Operation = args.Method
			fakes.Crashes(t, func(t *testing.T, crash *fakes.Crash) { survive(t, pool, args, crash) })
		})
	}
}

// survive requires that the operation that args starts ends once if a process crashes.
func survive(t *testing.T, pool *pgxpool.Pool, args BeginArgs, crash *fakes.Crash) {
	t.Helper()
	r := &rig{pool: pool, svc: newFake(config{Pause: 5 * time.Millisecond})}
	r.svc.fake.Default = fakes.Plan{Polls: 2}
	r.svc.fake.Put(widget(1), map[string]any{"properties": map[string]any{"size": 0}})
	_, err := pool.Exec(t.Context(), "TRUNCATE river_job, operation_end")
	require.NoError(t, err)
	r.insert(t, args)

	path := strings.TrimPrefix(args.URL, "https://a.test")
	lost := 0 // how many operations have started whose token was lost
	err = crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
		if one[int](t, r, "SELECT count(*) FROM river_job WHERE kind = 'operation_follow'") == 0 {
			lost = r.operations()
			r.svc.fake.Finish(path) // while no worker runs
		}
		m := &machine{t: t, pool: pool, process: p}
		m.client = transport.NewClient(&transport.Options{Base: p.Transport(&fakes.Transport{Handler: r.svc})})
		m.options = &poller.Options{Origins: []string{"https://a.test"}, Cadence: poller.Cadence{Min: time.Millisecond}}
		return m.work(ctx)
	})
	require.NoError(t, err)
	require.Equal(t, "Succeeded", one[string](t, r, "SELECT state FROM operation_end"))
	require.Zero(t, one[int](t, r, "SELECT count(*) FROM river_job WHERE state <> 'completed'"))
	repeated := 0
	if args.Method == http.MethodPut {
		repeated = lost
	}
	require.Equal(t, 1+repeated, r.operations())
}

// operations returns how many operations the service has started.
func (r *rig) operations() (n int) {
	for _, req := range r.svc.fake.Requests() {
		if req.Kind == fakes.Begin && req.Operation != "" {
			n++
		}
	}
	return n
}
