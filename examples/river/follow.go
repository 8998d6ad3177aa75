package main

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// FollowArgs identifies one of the jobs that follow operations. These jobs never complete. Each run
// reads the statuses that are due, so any job can follow any operation. The number of jobs limits
// the number of simultaneous runs on all machines together.
type FollowArgs struct {
	Number int `json:"number"`
}

// Kind implements [river.JobArgs].
func (FollowArgs) Kind() string { return "operation_follow" }

// InsertOpts makes the jobs unique, so that every process can insert them at startup.
func (FollowArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: followQueue, MaxAttempts: maxAttempts, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

const (
	readsAtOnce = 100         // the maximum number of statuses that a run reads at once
	idlePause   = time.Second // the pause before the next run if the last one found fewer than readsAtOnce operations
)

// A follower follows operations. Each run claims operations that are due and reads the status of
// each once. Then it stores all outcomes and new tokens in one transaction.
//
// A claim postpones an operation's next read until the run's time limit has passed. If no outcome
// has been stored by then, another run reads the status again.
type follower struct {
	river.WorkerDefaults[FollowArgs]
	db      database
	client  poller.Doer
	options *poller.Options
	timeout time.Duration // the time limit for one run
}

// NextRetry returns when to run the job again after a run has failed or its worker has died.
func (f *follower) NextRetry(*river.Job[FollowArgs]) time.Time { return time.Now().Add(retryAfter) }

// Work performs one run. It returns a snooze, so River runs the job again without using up an
// attempt.
func (f *follower) Work(ctx context.Context, _ *river.Job[FollowArgs]) error {
	due, err := f.claim(ctx)
	if err != nil {
		return err
	}
	var reads sync.WaitGroup
	for _, o := range due {
		reads.Go(func() { o.read(ctx, f.client, f.options) })
	}
	reads.Wait()
	err = f.store(context.WithoutCancel(ctx), due) // store the outcomes even if River is stopping
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err() // River gives the job to another worker
	}
	if len(due) == readsAtOnce {
		return river.JobSnooze(0)
	}
	return river.JobSnooze(idlePause)
}

// An operation is a claimed row of the operation table, with the outcome of reading the status.
type operation struct {
	ID    int64
	Claim time.Time // the value that the claim wrote to the column "next"
	Token string

	step poller.Step[json.RawMessage]
	err  error
	cut  bool // whether the run was stopped before the read finished
}

func (f *follower) claim(ctx context.Context) ([]*operation, error) {
	rows, err := f.db.Query(ctx, `UPDATE operation SET next = now() + $1
		WHERE id = ANY (ARRAY(SELECT id FROM operation WHERE next <= now() ORDER BY next LIMIT $2 FOR UPDATE SKIP LOCKED))
		RETURNING id, next, token`, f.timeout, readsAtOnce)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[operation])
}

func (o *operation) read(ctx context.Context, client poller.Doer, options *poller.Options) {
	o.step, o.err = poller.Advance[json.RawMessage](ctx, o.Token, client, options)
	o.cut = ctx.Err() != nil
}

// A patient client makes throttled reads wait within the run. Otherwise, Advance would postpone
// them to a later run.
type patient struct {
	client  poller.Doer
	longest time.Duration // the longest that a read may wait; less than ResponseTimeout, which includes the wait
}

// Do implements [poller.Doer].
func (p patient) Do(req *http.Request) (*http.Response, error) {
	ctx := transport.WithLongestPause(req.Context(), p.longest)
	return p.client.Do(req.WithContext(ctx))
}

// store updates the operations' rows, except rows that another run has claimed. To do something
// exactly once when an operation ends, do it in this transaction if the UPDATE changed the row.
func (f *follower) store(ctx context.Context, due []*operation) error {
	updates := &pgx.Batch{}
	for _, o := range due {
		o.update(updates)
	}
	return pgx.BeginFunc(ctx, f.db, func(tx pgx.Tx) error {
		return tx.SendBatch(ctx, updates).Close()
	})
}

func (o *operation) update(updates *pgx.Batch) {
	if o.cut {
		return
	}
	if o.step.Done {
		updates.Queue("UPDATE operation SET next = NULL, token = $3, state = $4, error = $5, result = $6 WHERE id = $1 AND next = $2",
			o.ID, o.Claim, o.step.Token, o.step.Status.State, textOf(o.err), textOfJSON(o.step.Result))
		return
	}
	next := o.step.Next
	if poller.Classify(o.err) == poller.Stuck {
		next = time.Now().Add(troubleAfter)
	}
	// Store the new token even after a failed read, because the token counts failed reads.
	updates.Queue("UPDATE operation SET next = $3, token = $4, error = $5 WHERE id = $1 AND next = $2",
		o.ID, o.Claim, next, o.step.Token, textOf(o.err))
}

// textOfJSON returns the text to store for a result, or nil (NULL in the database) if there is no
// result.
func textOfJSON(result json.RawMessage) *string {
	if len(result) == 0 {
		return nil
	}
	return new(storable(string(result)))
}
