package main

import (
	"context"
	"fmt"
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
	troubleAfter = 10 * time.Minute // between two looks at an operation that cannot be followed
)

// newClient makes the workers of one process.
func newClient(pool *pgxpool.Pool, cfg config) (*river.Client[pgx.Tx], error) {
	doer := transport.NewClient(nil) // a real service wants credentials: see Token in transport.Options
	options := &poller.Options{
		Origins: []string{cfg.origin}, // a row that somebody has forged leads nowhere else
		// A response that never comes fails the read before it fails the run.
		ResponseTimeout: cfg.timeout / 3,
		// The lower bound is for tests alone; see poller.Cadence. Leave it as it is.
		Cadence: poller.Cadence{Min: min(cfg.pause, 10*time.Second)},
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &beginner{pool: pool, client: doer, options: options, origin: cfg.origin, timeout: cfg.timeout})
	river.AddWorker(workers, &follower{pool: pool, client: doer, options: options})
	return river.NewClient(riverpgxv5.New(pool), &river.Config{
		// In the array attempted_by each of a job's last hundred runs has the whole
		// of it: a short one keeps the rows small.
		ID:      cfg.id,
		Workers: workers,
		// A run is a request that takes some milliseconds and little of ours: many at
		// once. Beginnings are fewer, for services count writes more strictly.
		Queues: map[string]river.QueueConfig{beginQueue: {MaxWorkers: 128}, followQueue: {MaxWorkers: 256}},
		// Each fetch takes what is due, as many as there are places: 256 in 50 ms are
		// at most 5,000 a second. A snooze is never cut short, and ends late by up to
		// FetchPollInterval; one of more than 5 s also needs a leader, whose scheduler
		// makes its job available.
		FetchCooldown:     50 * time.Millisecond,
		FetchPollInterval: 500 * time.Millisecond,
		// What a dead worker had under way is still running, to River, until it has
		// run for longer than any job may. The leader looks every 30 s.
		JobTimeout:           cfg.timeout,
		RescueStuckJobsAfter: cfg.timeout * 4 / 3,
		SoftStopTimeout:      cfg.timeout / 5, // then a read is given to another worker; a beginning has its time
		Logger:               slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// connect opens the pool of one process. A connection is needed for the instant
// of a transaction only; the workers share a few.
func connect(ctx context.Context, url string) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	cfg.MaxConns = 24
	return pgxpool.NewWithConfig(ctx, cfg)
}

// workCommand is the argument of a process of workers; flags follow.
const workCommand = "work"

// work is such a process. It ends when ctx does, softly: what is under way is
// finished or given back; and when in does, as it does when the demonstration has
// ended.
func work(ctx context.Context, url string, cfg config, in io.Reader) error {
	pool, err := connect(ctx, url)
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
		_, _ = io.Copy(io.Discard, in) // until it ends
		cancel()
	}()
	if err := client.Start(ctx); err != nil {
		return err
	}
	<-client.Stopped()
	return nil
}
