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
	troubleAfter = 10 * time.Minute // the pause between two attempts to follow an operation that needs a person
)

// A config configures a worker process and the service that it sends requests to.
type config struct {
	ID, Origin, URL string        // the worker's ID, the service's origin and the database URL
	Duration        time.Duration // how long an operation takes
	Pause           time.Duration // between two reads of a status: the Retry-After of the service
	Timeout         time.Duration // the time for one run of a job
}

// newClient returns the workers of one process.
func newClient(pool *pgxpool.Pool, cfg config) (*river.Client[pgx.Tx], error) {
	doer := transport.NewClient(nil) // a real service requires credentials: see Token in transport.Options
	options := &poller.Options{
		Origins:         []string{cfg.Origin}, // a forged row cannot send requests anywhere else
		ResponseTimeout: cfg.Timeout / 3,      // a read must time out before its run does
		// Only tests set a Pause below 10 s. Leave Cadence unset in production.
		Cadence: poller.Cadence{Min: min(cfg.Pause, 10*time.Second)},
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &beginner{pool: pool, client: doer, options: options, origin: cfg.Origin, timeout: cfg.Timeout})
	river.AddWorker(workers, &follower{pool: pool, client: doer, options: options})
	return river.NewClient(riverpgxv5.New(pool), &river.Config{
		ID:      cfg.ID, // keep it short, because each job stores the IDs of its last hundred runs
		Workers: workers,
		// A run is one request and takes little CPU, so many can run at once. The queue that starts
		// operations has fewer workers, because services limit writes more strictly than reads.
		Queues: map[string]river.QueueConfig{beginQueue: {MaxWorkers: 128}, followQueue: {MaxWorkers: 256}},
		// A fetch takes at most as many jobs as there are free workers: 256 every 50 ms is about
		// 5,000 a second. A snooze may end up to FetchPollInterval late. After a snooze of more
		// than 5 s, the leader's scheduler makes the job available.
		FetchCooldown:     50 * time.Millisecond,
		FetchPollInterval: 500 * time.Millisecond,
		// River considers the jobs of a dead worker running until they exceed the longest time that
		// a job may take. The leader checks every 30 s.
		JobTimeout:           cfg.Timeout,
		RescueStuckJobsAfter: cfg.Timeout * 4 / 3,
		SoftStopTimeout:      cfg.Timeout / 5, // then River cancels the reads; a request that starts an operation continues
		Logger:               slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// work reads a config from in and runs the workers of this process until ctx or in ends. River then
// finishes the running jobs or releases them.
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
