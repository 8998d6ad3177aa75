package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// errTaken says that a run was given up for dead while it was not: its job has
// been run, or is run, by another worker.
var errTaken = errors.New("the job has been taken up by another worker")

// finish does what follows from the end of a job in the transaction that completes
// it, so that both are done or none is, and only if this is still the job's run. A
// worker that was frozen for longer than RescueStuckJobsAfter wakes up as one of
// two; River completes a job for either, so the attempt tells them apart.
func finish[A river.JobArgs](ctx context.Context, pool *pgxpool.Pool, job *river.Job[A], also func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
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

// An End is what became of an operation.
type End struct {
	Operation string
	State     string // Succeeded, Failed, Canceled; or Refused, where it was not begun
	Result    json.RawMessage
	Err       error
}

const endTable = `
CREATE TABLE operation_end (
	operation text PRIMARY KEY, -- none ends twice
	state     text NOT NULL,
	error     text NOT NULL,
	result    json, -- not jsonb, which does not take every string that JSON has
	at        timestamptz NOT NULL DEFAULT now()
)`

// insertEnd records an end. What else has to happen once when an operation has
// ended belongs here too, or in a job that is inserted here. An end that is
// recorded already stands.
func insertEnd(ctx context.Context, tx pgx.Tx, e End) error {
	var result *string // NULL where there is none
	if len(e.Result) > 0 {
		result = new(storable(string(e.Result)))
	}
	_, err := tx.Exec(ctx, `INSERT INTO operation_end (operation, state, error, result) VALUES ($1, $2, $3, $4)
		ON CONFLICT (operation) DO NOTHING`, e.Operation, e.State, textOf(e.Err), result)
	return err
}

// textOf is what is stored of an error; "" of none.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return storable(err.Error())
}

// storable leaves out of a service's text what PostgreSQL does not take.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}
