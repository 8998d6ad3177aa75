package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/lro-go/lro/poller"
)

// FollowArgs identifies an operation that has started. The arguments of a job never change, so
// Token is the first token. It can resume the operation at any time, but each run stores a newer
// token in the metadata of the job.
type FollowArgs struct {
	Operation string `json:"operation"`
	Token     string `json:"token"` // may contain signed URLs, so protect the table accordingly
}

// Kind returns the name of this kind of job.
func (FollowArgs) Kind() string { return "operation_follow" }

// InsertOpts allows so many attempts that River keeps the job until the operation has ended.
func (FollowArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: followQueue, MaxAttempts: maxAttempts}
}

// A run sets these keys in the metadata of its job.
const (
	metaToken   = "token"
	metaTrouble = "trouble" // why the operation cannot be followed at present; "" if it can
)

// A follower follows operations. Each run reads what is due.
//
// River stores the new token and the time of the next read in one UPDATE, soon after
// Work returns. If a worker dies before that, the next run resumes from the previous
// token and reads the same status again.
type follower struct {
	river.WorkerDefaults[FollowArgs]
	db      database
	client  poller.Doer
	options *poller.Options
}

// NextRetry says when to run the job again if a run has failed or its worker has died.
func (f *follower) NextRetry(*river.Job[FollowArgs]) time.Time { return time.Now().Add(retryAfter) }

// Work calls Advance once. Advance never waits, and makes at most one attempt to read the status and
// one to read the result.
func (f *follower) Work(ctx context.Context, job *river.Job[FollowArgs]) error {
	step, err := poller.Advance[json.RawMessage](ctx, currentToken(job), f.client, f.options)
	if ctx.Err() != nil {
		return ctx.Err() // River is stopping and will give the job to another worker
	}
	verdict := poller.Classify(err)
	if step.Done || verdict == poller.Ended {
		return finish(ctx, f.db, job, func(tx pgx.Tx) error {
			return insertEnd(ctx, tx, job.Args.Operation, string(step.Status.State), step.Result, err)
		})
	}
	if verdict == poller.Stuck {
		return putOff(ctx, step.Token, time.Now().Add(troubleAfter), err)
	}
	return putOff(ctx, step.Token, step.Next, err) // even after a failed read, which the new token counts
}

func currentToken(job *river.Job[FollowArgs]) string {
	var meta struct{ Token string }
	if err := json.Unmarshal(job.Metadata, &meta); err != nil || meta.Token == "" {
		return job.Args.Token
	}
	return meta.Token
}

// putOff ends a run, stores the token, which is empty before the operation has started, and schedules
// the next run. A non-nil trouble is why the operation cannot be followed at present, such as a missing
// permission to read the status.
func putOff(ctx context.Context, token string, until time.Time, trouble error) error {
	err := river.MetadataSet(ctx, metaTrouble, textOf(trouble))
	if err != nil {
		return err
	}
	err = river.MetadataSet(ctx, metaToken, token)
	if err != nil {
		return err
	}
	return river.JobSnooze(max(time.Until(until), 0))
}

// A database starts transactions. A *pgxpool.Pool is one.
type database interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// errTaken reports that River considered this worker dead and gave its job to another.
var errTaken = errors.New("another worker has taken over this job")

// finish completes job and calls the function also, in one transaction, unless another worker has
// taken over the job. A worker loses its job if it is frozen longer than RescueStuckJobsAfter.
// River would let either one complete it, so finish compares their attempt numbers, which differ.
func finish[A river.JobArgs](ctx context.Context, db database, job *river.Job[A], also func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if err := also(tx); err != nil {
			return err
		}
		done, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		if err != nil {
			return err
		}
		if done.State != rivertype.JobStateCompleted || done.Attempt != job.Attempt {
			return errTaken
		}
		return nil
	})
}

const endTable = `
CREATE TABLE operation_end (
	operation text PRIMARY KEY, -- no operation ends twice
	state     text NOT NULL, -- Succeeded, Failed or Canceled; Refused if the service did not start it; Unknown if it may have
	error     text NOT NULL,
	result    json, -- jsonb does not accept every JSON string
	at        timestamptz NOT NULL DEFAULT now()
)`

// migrate creates River's tables and operation_end.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	_, err = pool.Exec(ctx, endTable)
	return err
}

// insertEnd records how an operation ended, unless that is already recorded. Anything else that
// must happen once per operation also belongs here, or in a job inserted here.
func insertEnd(ctx context.Context, tx pgx.Tx, operation, state string, result json.RawMessage, why error) error {
	var text *string // NULL if there is no result
	if len(result) > 0 {
		text = new(storable(string(result)))
	}
	_, err := tx.Exec(ctx, `INSERT INTO operation_end (operation, state, error, result) VALUES ($1, $2, $3, $4)
		ON CONFLICT (operation) DO NOTHING`, operation, state, textOf(why), text)
	return err
}

// textOf returns the text to store for err, or "" if err is nil.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return storable(err.Error())
}

// storable removes or replaces all characters in text that PostgreSQL does not accept.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}
