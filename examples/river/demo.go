package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// A demonstration is the state of one run of demo.
type demonstration struct {
	n         int // the number of operations
	w         io.Writer
	start     time.Time
	pool      *pgxpool.Pool
	processes map[string]*process // keyed by ID
}

// demo makes two worker processes follow n operations, kills one of them midway, and prints the
// outcome. It returns an error if an operation was lost or ended twice.
func demo(ctx context.Context, cfg config, n int, w io.Writer) error {
	needed := cfg.Duration + time.Duration(n)*8*time.Millisecond // on a machine with two cores
	_, _ = fmt.Fprintf(w, `Two worker processes start %d operations and follow them to their ends.
Midway, this program kills the one that leads. No operation is lost, and none ends twice.
This takes about %s and %d MB of memory, PostgreSQL included.

`, n, needed.Round(30*time.Second), 320+n/500)
	pool, err := pgxpool.New(ctx, cfg.URL)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := migrate(ctx, pool); err != nil {
		return err
	}
	server := httptest.NewServer(newService(cfg))
	defer server.Close()
	cfg.Origin = server.URL
	d := &demonstration{n: n, w: w, start: time.Now(), pool: pool, processes: map[string]*process{}}
	if err := d.insert(ctx, server.URL); err != nil {
		return err
	}
	defer d.stop()
	for _, cfg.ID = range []string{"w1", "w2"} {
		p, err := startProcess(ctx, cfg)
		if err != nil {
			return err
		}
		d.processes[cfg.ID] = p
	}
	if err := d.watch(ctx); err != nil {
		return err
	}
	return d.report(ctx)
}

// printf prints a line with the time. A failed write does not end the demonstration.
func (d *demonstration) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(d.w, "%6.1f s  %s\n", time.Since(d.start).Seconds(), fmt.Sprintf(format, args...))
}

// insert inserts the jobs that start the operations.
func (d *demonstration) insert(ctx context.Context, origin string) error {
	client, err := river.NewClient(riverpgxv5.New(d.pool), &river.Config{}) // without workers
	if err != nil {
		return err
	}
	jobs := make([]river.InsertManyParams, d.n)
	for i := range jobs {
		jobs[i].Args = BeginArgs{Operation: fmt.Sprintf("op-%06d", i), Method: "PUT", URL: origin + widget(i), Body: []byte(`{"properties": {}}`)}
	}
	for batch := range slices.Chunk(jobs, 2_000) {
		if _, err := client.InsertManyFast(ctx, batch); err != nil {
			return err
		}
		d.printf("%d jobs inserted", len(batch))
	}
	return nil
}

// Until all operations have ended, watch prints how many have started and ended, every two seconds.
// Once a third of them have ended, it kills the leader. This is the worst worker to lose, because
// the leader schedules the jobs of all workers.
func (d *demonstration) watch(ctx context.Context) error {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	killed, started, ended := false, 0, 0
	for i := 0; ended < d.n; i++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("stopped after %d of %d operations: %w", ended, d.n, ctx.Err())
		}
		var leader *string // nil if there is no leader at the moment
		if err := d.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM river_job WHERE kind = 'operation_follow'),
			(SELECT count(*) FROM operation_end), (SELECT leader_id FROM river_leader)`).Scan(&started, &ended, &leader); err != nil {
			return err
		}
		if i%4 == 0 {
			d.printf("%d started, %d ended", started, ended)
		}
		if !killed && leader != nil && ended >= d.n/3 {
			killed = true
			d.processes[*leader].kill()
			d.printf("killed the leader, worker %s", *leader)
		}
	}
	return nil
}

func (d *demonstration) stop() {
	for _, p := range d.processes {
		p.stop()
	}
}

// report prints the outcome and returns an error if an operation was lost or ended twice.
func (d *demonstration) report(ctx context.Context) error {
	var ended, failed, twice, rescued int
	if err := d.pool.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE state = 'Failed'),
		(SELECT count(*) - count(DISTINCT args->>'operation') FROM river_job WHERE kind = 'operation_follow'),
		(SELECT count(*) FROM river_job WHERE metadata ? 'river:rescue_count') FROM operation_end`).Scan(&ended, &failed, &twice, &rescued); err != nil {
		return err
	}
	d.printf("%d operations succeeded and %d failed, as the service decided", ended-failed, failed)
	d.printf("the other worker ran %d jobs of the killed one again", rescued)
	d.printf("lost: %d, ended twice: %d", d.n-ended, twice)
	if ended != d.n || twice != 0 {
		return errors.New("an operation was lost or ended twice")
	}
	return nil
}
