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

// A machine starts operations and follows them to the end. Its process may crash before or after
// each request, claim or commit.
type machine struct {
	t       *testing.T
	pool    *pgxpool.Pool
	process *fakes.Process
	client  poller.Doer
	options *poller.Options
}

func (m *machine) work(ctx context.Context) error {
	job, err := m.next(ctx)
	if err == nil {
		err = m.begin(ctx, job)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	for {
		var due *time.Time // nil if all operations have ended
		err := m.pool.QueryRow(ctx, "SELECT min(next) FROM operation").Scan(&due)
		if err != nil || due == nil {
			return err
		}
		<-time.After(time.Until(*due))
		err = m.follow(ctx)
		if err != nil {
			return err
		}
	}
}

// next returns the job that starts the operation, or pgx.ErrNoRows if the job is completed.
func (m *machine) next(ctx context.Context) (*rivertype.JobRow, error) {
	var id int64
	err := m.pool.QueryRow(ctx, "SELECT id FROM river_job WHERE state <> 'completed'").Scan(&id)
	if err != nil {
		return nil, err
	}
	client, err := river.NewClient(riverpgxv5.New(m.pool), &river.Config{})
	if err != nil {
		return nil, err
	}
	return client.JobGet(ctx, id)
}

// begin runs a job in one transaction.
func (m *machine) begin(ctx context.Context, job *rivertype.JobRow) error {
	tx, err := m.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // does nothing after a commit
	b := &starter{db: tx, client: m.client, options: m.options, origin: "https://a.test", timeout: time.Minute}
	_, err = rivertest.NewWorker(m.t, riverpgxv5.New(nil), &river.Config{}, b).WorkJob(ctx, m.t, tx, job)
	if err != nil {
		return err
	}
	return m.process.Write(func() error { return tx.Commit(ctx) })
}

// follow runs a follower once. Its claims expire after 100 ms, so that the next process does not
// wait long after a crash.
func (m *machine) follow(ctx context.Context) error {
	f := &follower{db: crashDatabase{m.pool, m.process}, client: m.client, options: m.options, timeout: 100 * time.Millisecond}
	err := f.Work(ctx, nil)
	if errors.Is(err, &river.JobSnoozeError{}) {
		return nil
	}
	return err
}

// A crashDatabase is a simulated process's database. The process may crash before or after each
// query and commit.
type crashDatabase struct {
	database
	process *fakes.Process
}

func (w crashDatabase) Query(ctx context.Context, sql string, args ...any) (rows pgx.Rows, err error) {
	crashed := true
	defer func() {
		if crashed && rows != nil {
			rows.Close()
		}
	}()
	err = w.process.Write(func() error {
		rows, err = w.database.Query(context.WithoutCancel(ctx), sql, args...)
		return err
	})
	crashed = false
	return rows, err
}

func (w crashDatabase) Begin(ctx context.Context) (pgx.Tx, error) {
	tx, err := w.database.Begin(ctx)
	return transaction{tx, w.process}, err
}

// A transaction is a pgx.Tx of a simulated process, which may crash before or after the commit.
type transaction struct {
	pgx.Tx
	process *fakes.Process
}

func (tx transaction) Commit(ctx context.Context) error {
	return tx.process.Write(func() error { return tx.Tx.Commit(ctx) })
}

// Workers die before or after each request and write. No operation may be lost or end twice. A PUT
// may start a second operation only if the first one's token was not stored.
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

// survive starts an operation with args in a process that may crash. If the process crashes, the
// next one must follow the operation to the end.
func survive(t *testing.T, pool *pgxpool.Pool, args BeginArgs, crash *fakes.Crash) {
	t.Helper()
	r := &rig{pool: pool, svc: newFake(config{Pause: 5 * time.Millisecond})}
	r.svc.fake.Default = fakes.Plan{Polls: 2}
	r.svc.fake.Put(widget(1), map[string]any{"properties": map[string]any{"size": 0}})
	_, err := pool.Exec(t.Context(), "TRUNCATE river_job, operation")
	require.NoError(t, err)
	r.insert(t, args)

	path := strings.TrimPrefix(args.URL, "https://a.test")
	lost := 0 // the number of started operations whose tokens were lost
	err = crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
		if one[int](t, r, "SELECT count(*) FROM operation") == 0 {
			lost = r.operations()
			r.svc.fake.Finish(path) // the operation ends while no worker is running
		}
		m := &machine{t: t, pool: pool, process: p}
		m.client = transport.NewClient(&transport.Options{Base: p.Transport(&fakes.Transport{Handler: r.svc})})
		m.options = &poller.Options{Origins: []string{"https://a.test"}, Cadence: poller.Cadence{Min: time.Millisecond}}
		return m.work(ctx)
	})
	require.NoError(t, err)
	require.Equal(t, "Succeeded", one[string](t, r, "SELECT state FROM operation"))
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
