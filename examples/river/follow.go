package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// FollowArgs name an operation that was started. A job's arguments never change:
// the token is the first one, which can resume the operation at any time. Each run
// stores a newer one in the job's metadata.
type FollowArgs struct {
	Operation string `json:"operation"`
	Token     string `json:"token"` // may hold signed URLs: guard the table as you would these
}

// Kind names the job.
func (FollowArgs) Kind() string { return "operation_follow" }

// InsertOpts keep the job until it has ended.
func (FollowArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: followQueue, MaxAttempts: attempts}
}

// The keys that a run stores in the metadata of its job.
const (
	metaToken   = "token"
	metaTrouble = "trouble" // why the operation cannot be followed just now; "" when it can
)

// A follower follows operations, one status read in each run.
//
// River stores the new token and the time of the next read in one UPDATE after
// Work returns, for many jobs at once and within a quarter of a second. If a worker
// dies before that, the next run resumes from the previous token and reads the same
// status again.
type follower struct {
	river.WorkerDefaults[FollowArgs]
	pool    *pgxpool.Pool
	client  poller.Doer
	options *poller.Options
}

// NextRetry returns the time of the next run after one that failed or whose worker died.
func (f *follower) NextRetry(*river.Job[FollowArgs]) time.Time { return time.Now().Add(retryAfter) }

// Work reads the status once. Poll and Result make one attempt each and never wait.
func (f *follower) Work(ctx context.Context, job *river.Job[FollowArgs]) error {
	p, err := poller.Resume[json.RawMessage](currentToken(job), f.client, f.options)
	if err != nil {
		return putOff(ctx, nil, time.Now().Add(troubleAfter), err)
	}
	_, err = p.Poll(ctx)
	switch wait, _ := errors.AsType[*lroerrors.WaitError](err); {
	case p.Done():
		return f.end(ctx, job, p)
	case ctx.Err() != nil:
		return err // River is stopping, and gives the job to another worker
	case wait != nil:
		return putOff(ctx, p, time.Now().Add(troubleAfter), wait)
	}
	return putOff(ctx, p, p.NextPoll(), nil) // also after a failed read: the token counts it
}

func currentToken(job *river.Job[FollowArgs]) string {
	var meta struct{ Token string }
	if err := json.Unmarshal(job.Metadata, &meta); err != nil || meta.Token == "" {
		return job.Args.Token
	}
	return meta.Token
}

// putOff ends a run and schedules the next one, with the token of p if p is not nil.
// trouble is something for a person to look into, such as an identity that may no
// longer read the status: the job stays, and tries again now and then.
func putOff(ctx context.Context, p *poller.Poller[json.RawMessage], until time.Time, trouble error) error {
	if err := river.MetadataSet(ctx, metaTrouble, textOf(trouble)); err != nil {
		return err
	}
	if p != nil {
		token, err := p.ResumeToken()
		if err != nil {
			return err // the last one is as good
		}
		if err := river.MetadataSet(ctx, metaToken, token); err != nil {
			return err
		}
	}
	return river.JobSnooze(max(time.Until(until), 0))
}

// end records the end of the operation. It reads the result first, if that is at
// another URL. If the read fails, the job comes back when the next one is due.
func (f *follower) end(ctx context.Context, job *river.Job[FollowArgs], p *poller.Poller[json.RawMessage]) error {
	result, err := p.Result(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, failed := errors.AsType[*lroerrors.OperationError](err)
	_, unread := errors.AsType[*lroerrors.ResultError](err) // patience is spent
	if err != nil && !failed && !unread {
		return putOff(ctx, p, p.NextPoll(), nil) // the token counts the failed read
	}
	end := End{Operation: job.Args.Operation, State: string(p.Status().State), Result: result, Err: err}
	return finish(ctx, f.pool, job, func(tx pgx.Tx) error { return insertEnd(ctx, tx, end) })
}
