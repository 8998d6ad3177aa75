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

	followJobs    = 16 // the number of jobs that follow operations, across all machines
	followWorkers = 4  // how many of these jobs one machine runs at a time; each reads up to 100 statuses at once

	retryAfter   = 5 * time.Second
	troubleAfter = 10 * time.Minute // the pause before another attempt if someone must fix a problem first
)

// A config holds the settings of a worker process and, in tests, of the service.
type config struct {
	ID, Origin, URL string        // the worker's ID, the service's origin and the database URL
	Limit           int           // the number of requests per second that the service accepts; 0 means no limit
	Duration        time.Duration // how long an operation takes
	Pause           time.Duration // the pause between status reads; the service sends it as Retry-After-Ms
	Timeout         time.Duration // the time limit for one run of a job
}

// newClient returns the River client that runs this process's workers.
func newClient(pool *pgxpool.Pool, cfg config) (*river.Client[pgx.Tx], error) {
	// With this policy, the transport does not retry a POST that may have taken effect. For a real
	// service, also set Token in transport.Options.
	doer := transport.NewClient(&transport.Options{Policy: transport.IdempotentOnly})
	options := &poller.Options{
		Origins:         []string{cfg.Origin}, // the only origin for requests, even if a row is forged
		ResponseTimeout: cfg.Timeout / 3,      // a read must time out before its job does
		// Only tests need Cadence, because their Pause is shorter than 10 s, the default of Min.
		// Leave it out in production.
		Cadence: poller.Cadence{Min: min(cfg.Pause, 10*time.Second)},
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &starter{db: pool, client: doer, options: options, origin: cfg.Origin, timeout: cfg.Timeout})
	river.AddWorker(workers, &follower{db: pool, client: patient{doer, cfg.Timeout / 6}, options: options, timeout: cfg.Timeout})
	return river.NewClient(riverpgxv5.New(pool), &river.Config{
		ID:      cfg.ID, // keep it short, because a job stores the ID of the worker for each of its last hundred runs
		Workers: workers,
		// A job that starts an operation sends one request and needs little CPU time. If the
		// service allows it, a machine can run many of these jobs at once.
		Queues: map[string]river.QueueConfig{beginQueue: {MaxWorkers: 128}, followQueue: {MaxWorkers: followWorkers}},
		// A fetch takes at most one job for each free worker. With 128 workers and a fetch every 50
		// ms, about 2,500 operations can start in a second. After a snooze, River starts the job up
		// to FetchPollInterval late.
		FetchCooldown:     50 * time.Millisecond,
		FetchPollInterval: 500 * time.Millisecond,
		// River treats the jobs of a dead worker as running until RescueStuckJobsAfter has passed.
		// This time must be longer than JobTimeout. The leader looks for such jobs every 30 s.
		JobTimeout:           cfg.Timeout,
		RescueStuckJobsAfter: cfg.Timeout * 4 / 3,
		SoftStopTimeout:      cfg.Timeout / 5, // after this time, River cancels reads, but a request that starts an operation continues
		Logger:               slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// newPool returns a worker process's connection pool. It allows 16 connections, because pgx's
// default can be as low as four. With more connections, PostgreSQL can write more commits together.
func newPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 16
	return pgxpool.NewWithConfig(ctx, config)
}

// work reads a config from a Reader and runs this process's workers until ctx is done or the Reader
// reaches EOF.
func work(ctx context.Context, in io.Reader) error {
	var cfg config
	if err := json.NewDecoder(in).Decode(&cfg); err != nil {
		return err
	}
	pool, err := newPool(ctx, cfg.URL)
	if err != nil {
		return err
	}
	defer pool.Close()
	client, err := newClient(pool, cfg)
	if err != nil {
		return err
	}
	follow := make([]river.InsertManyParams, followJobs)
	for i := range follow {
		follow[i].Args = FollowArgs{Number: i}
	}
	_, err = client.InsertMany(ctx, follow) // skips jobs that already exist
	if err != nil {
		return err
	}
	err = client.Start(untilEnd(ctx, in))
	if err != nil {
		return err
	}
	<-client.Stopped()
	return nil
}

// untilEnd returns a context that is canceled when the Reader reaches EOF.
func untilEnd(ctx context.Context, in io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	return ctx
}
