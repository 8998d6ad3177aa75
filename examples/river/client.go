package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

const (
	beginQueue  = "begin"
	followQueue = "follow"

	retryAfter   = 5 * time.Second
	troubleAfter = 10 * time.Minute // the pause before another attempt if someone has to fix a problem first
)

// A config configures a worker process and the service that it sends requests to.
type config struct {
	ID, Origin, URL string        // the worker's ID, the service's origin and the database URL
	Duration        time.Duration // how long an operation takes
	Pause           time.Duration // the pause between reads of a status; the service sends it as Retry-After
	Timeout         time.Duration // the time limit of one run of a job
}

// newClient returns the River client that runs the workers of this process.
func newClient(pool *pgxpool.Pool, cfg config) (*river.Client[pgx.Tx], error) {
	doer := transport.NewClient(nil) // a real service requires credentials: see Token in transport.Options
	options := &poller.Options{
		Origins:         []string{cfg.Origin}, // even a forged row cannot make us send a request anywhere else
		ResponseTimeout: cfg.Timeout / 3,      // so that a read times out before its run does
		// Only tests set a Pause below 10 s. Leave Cadence unset in production.
		Cadence: poller.Cadence{Min: min(cfg.Pause, 10*time.Second)},
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &beginner{db: pool, client: doer, options: options, origin: cfg.Origin, timeout: cfg.Timeout})
	river.AddWorker(workers, &follower{db: pool, client: doer, options: options})
	return river.NewClient(riverpgxv5.New(pool), &river.Config{
		ID:      cfg.ID, // keep it short, because each job stores the IDs of its last hundred runs
		Workers: workers,
		// A run sends one request and needs little CPU time, so many jobs can run at once. The
		// queue that starts operations has fewer workers, because services limit writes more
		// strictly than reads.
		Queues: map[string]river.QueueConfig{beginQueue: {MaxWorkers: 128}, followQueue: {MaxWorkers: 256}},
		// A fetch takes at most one job for each free worker. With 256 workers and a fetch every 50
		// ms, that makes about 5,000 jobs a second. A snooze may end up to FetchPollInterval late.
		// After a snooze of more than 5 s, the leader's scheduler makes the job available.
		FetchCooldown:     50 * time.Millisecond,
		FetchPollInterval: 500 * time.Millisecond,
		// River considers a dead worker's jobs to be running until RescueStuckJobsAfter has passed,
		// which must be longer than any job may take. The leader checks every 30 s.
		JobTimeout:           cfg.Timeout,
		RescueStuckJobsAfter: cfg.Timeout * 4 / 3,
		SoftStopTimeout:      cfg.Timeout / 5, // after this time, River cancels the reads, but a request that starts an operation continues
		Logger:               slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// work reads a config from in and runs the workers of this process until ctx ends or in reaches its
// end. River then finishes the running jobs or releases them.
func work(ctx context.Context, in io.Reader) error {
	var cfg config
	if err := json.NewDecoder(in).Decode(&cfg); err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, cfg.URL)
	if err != nil {
		return err
	}
	defer pool.Close()
	client, err := newClient(pool, cfg)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	if err := client.Start(ctx); err != nil {
		return err
	}
	<-client.Stopped()
	return nil
}
