package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"
)

// These flags configure measurements such as ./run -n 1000,10000,100000.
var (
	counts  = flag.String("n", "", "numbers of operations, separated by commas; each operation takes a minute")
	workers = flag.Int("workers", 4, "number of worker processes, at least 2, because one is killed")
	limit   = flag.Int("limit", 0, "how many requests a second the service accepts; 0 means no limit")
)

// TestLoad starts and follows operations in worker processes. Midway, it kills River's leader and
// restarts another worker. No operation may be lost, or start or end twice.
func TestLoad(t *testing.T) {
	cfg := config{URL: newDatabase(t), Limit: *limit, Pause: time.Second, Duration: 3 * time.Second, Timeout: 6 * time.Second}
	numbers := []int{200, 2000}
	if *counts != "" {
		numbers = nil
		for count := range strings.SplitSeq(*counts, ",") {
			n, err := strconv.Atoi(count)
			require.NoError(t, err)
			require.Positive(t, n)
			require.LessOrEqual(t, n, 1_000_000)
			numbers = append(numbers, n)
		}
		cfg.Pause, cfg.Duration, cfg.Timeout = 20*time.Second, time.Minute, 9*time.Second
		if *limit > 0 {
			cfg.Timeout = 30 * time.Second // lets a throttled POST wait for up to 10 s, and a throttled read for up to 5 s
		}
	}
	require.NoError(t, follow(t.Context(), cfg, *workers, numbers, os.Stdout))
}

// A load measures one run with n operations.
type load struct {
	cfg       config
	n         int
	w         io.Writer
	start     time.Time
	pool      *pgxpool.Pool
	service   *process
	processes map[string]*process // keyed by ID
	cost      cost
}

// follow runs a load for each number of operations and prints a table of the measurements. It
// returns an error if an operation was lost, or started or ended twice.
func follow(ctx context.Context, cfg config, workers int, numbers []int, w io.Writer) error {
	pool, err := pgxpool.New(ctx, cfg.URL)
	if err != nil {
		return err
	}
	defer pool.Close()
	err = migrate(ctx, pool)
	if err != nil {
		return err
	}
	var costs []cost
	for _, n := range numbers {
		l := &load{cfg: cfg, n: n, w: w, start: time.Now(), pool: pool, processes: map[string]*process{}}
		err := l.run(ctx, workers)
		if err != nil {
			return err
		}
		costs = append(costs, l.cost)
	}
	printTable(w, costs)
	return nil
}

// run empties the database and measures how long workers take to start n operations and follow them
// to the end.
func (l *load) run(ctx context.Context, workers int) error {
	limit := 2*l.cfg.Duration + time.Minute + time.Duration(l.n)*20*time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := l.pool.Exec(ctx, "TRUNCATE river_job, river_leader, operation")
	if err != nil {
		return err
	}
	before, err := l.wal(ctx)
	if err != nil {
		return err
	}
	l.service, err = startProcess(ctx, serveCommand, l.cfg)
	if err != nil {
		return err
	}
	defer l.service.stop()
	l.cfg.Origin, err = l.service.origin()
	if err != nil {
		return err
	}
	err = l.insert(ctx)
	if err != nil {
		return err
	}
	defer l.stop()
	for i := range workers {
		err := l.startWorker(ctx, fmt.Sprintf("w%d", i+1))
		if err != nil {
			return err
		}
	}
	err = l.watch(ctx)
	if err != nil {
		return err
	}
	l.cost.took = time.Since(l.start)
	l.stop()
	after, err := l.wal(ctx)
	if err != nil {
		return err
	}
	l.cost.wal = (after - before) / 1e6
	return l.report(ctx)
}

// printf prints a line with the elapsed time. It ignores write errors.
func (l *load) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(l.w, "%6.1f s  %s\n", time.Since(l.start).Seconds(), fmt.Sprintf(format, args...))
}

// wal returns the current position in PostgreSQL's write-ahead log, in bytes.
func (l *load) wal(ctx context.Context) (n int, err error) {
	return n, l.pool.QueryRow(ctx, "SELECT (pg_current_wal_lsn() - '0/0')::bigint").Scan(&n)
}

func (l *load) startWorker(ctx context.Context, id string) (err error) {
	cfg := l.cfg
	cfg.ID = id
	l.processes[id], err = startProcess(ctx, workCommand, cfg)
	return err
}

// insert inserts the jobs that start the operations.
func (l *load) insert(ctx context.Context) error {
	client, err := river.NewClient(riverpgxv5.New(l.pool), &river.Config{}) // without workers
	if err != nil {
		return err
	}
	jobs := make([]river.InsertManyParams, l.n)
	for i := range jobs {
		jobs[i].Args = BeginArgs{
			Operation: widget(i), Method: http.MethodPost, URL: l.cfg.Origin + widget(i), Body: []byte(`{"properties": {}}`),
			RequestID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i),
		}
	}
	for batch := range slices.Chunk(jobs, 2_000) {
		_, err := client.InsertManyFast(ctx, batch)
		if err != nil {
			return err
		}
	}
	l.printf("%d jobs inserted", l.n)
	return nil
}

// watch prints the progress until all operations have ended. It kills the leader once half of the
// operations have started, and restarts another worker once half have ended. Losing the leader is
// the worst case, because the leader schedules the jobs of all workers.
func (l *load) watch(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	killed, restarted, started := false, false, 0
	for i := 0; l.cost.ended < l.n; i++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("stopped after %d of %d operations: %w", l.cost.ended, l.n, ctx.Err())
		}
		var leader *string // nil while there is no leader
		connections := 0
		err := l.pool.QueryRow(ctx, `SELECT count(*), count(state), (SELECT leader_id FROM river_leader),
			(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) FROM operation`).Scan(
			&started, &l.cost.ended, &leader, &connections)
		if err != nil {
			return err
		}
		l.cost.connections = max(l.cost.connections, connections)
		l.measureMemory()
		if i%5 == 0 {
			l.printf("%d started, %d ended", started, l.cost.ended)
		}
		if !killed && leader != nil && l.processes[*leader] != nil && started >= l.n/2 {
			killed = true
			l.processes[*leader].kill()
			delete(l.processes, *leader)
			l.printf("killed the leader, worker %s", *leader)
		}
		if killed && !restarted && l.cost.ended >= l.n/2 {
			restarted = true
			err := l.restart(ctx)
			if err != nil {
				return err
			}
		}
	}
	if !killed {
		return errors.New("no worker was killed, because there was no leader")
	}
	return nil
}

func (l *load) measureMemory() {
	l.cost.service = l.service.memory()
	for _, p := range l.processes {
		l.cost.worker = max(l.cost.worker, p.memory())
	}
}

// restart stops one of the workers and starts it again.
func (l *load) restart(ctx context.Context) error {
	for id, p := range l.processes {
		p.stop()
		l.printf("restarted worker %s", id)
		return l.startWorker(ctx, id)
	}
	return nil
}

func (l *load) stop() {
	for id, p := range l.processes {
		p.stop()
		delete(l.processes, id)
	}
}
