package main

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// The two indexes are small, because a read updates its row twice.
const operationTable = `
CREATE TABLE operation (
	id     bigint PRIMARY KEY, -- of the job that started it
	name   text NOT NULL,
	next   timestamptz, -- when to read the status; NULL after the end
	token  text NOT NULL, -- may contain signed URLs, so protect the table accordingly
	state  text, -- NULL before the end; Succeeded, Failed or Canceled; Refused if the service did not start it; Unknown if it may have
	error  text NOT NULL DEFAULT '', -- why it ended, or why it cannot be followed at present
	result text -- JSON. The types json and jsonb reject some, and one rejected row would hold up the others of its run
);
CREATE INDEX operation_next ON operation (next) WHERE next IS NOT NULL`

// migrate creates River's tables and the table operation.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return err
	}
	_, err = pool.Exec(ctx, operationTable)
	return err
}

// A database runs queries and transactions. A *pgxpool.Pool is one.
type database interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// errTaken reports that River considered this worker dead and gave its job to another.
var errTaken = errors.New("another worker has taken over this job")

// finish completes job and inserts a row into the table operation, in one transaction, unless another
// worker has taken over the job. A worker loses its job if it is frozen longer than
// RescueStuckJobsAfter. River would let either one complete it, so finish compares their attempt
// numbers, which differ.
func finish(ctx context.Context, db database, job *river.Job[BeginArgs], insert string, values ...any) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insert, append([]any{job.ID, job.Args.Operation}, values...)...)
		if err != nil {
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
