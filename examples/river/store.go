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

// The table has only two small indexes. Each read of a status updates a row twice, for the claim
// and for the outcome, and every index slows down an update.
const operationTable = `
CREATE TABLE operation (
	id     bigint PRIMARY KEY, -- the ID of the job that started the operation
	name   text NOT NULL,
	next   timestamptz, -- when to read the status; NULL after the end
	token  text NOT NULL, -- may contain signed URLs, so protect the table accordingly
	state  text, -- NULL before the end; then Succeeded, Failed, Canceled, Refused (the service did not start it) or Unknown (it may have started it)
	error  text NOT NULL DEFAULT '', -- why the operation ended, or why reads of its status do not succeed at present
	result text -- JSON, but not of type json or jsonb, which reject some JSON: a rejected row would fail the transaction of its run
);
CREATE INDEX operation_next ON operation (next) WHERE next IS NOT NULL`

// migrate creates River's tables and the operation table.
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

// A database has the methods of *pgxpool.Pool that the workers use.
type database interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// errTaken reports that River gave this worker's job to another worker, because it assumed that
// this worker had died.
var errTaken = errors.New("another worker has taken over this job")

// finish completes the job and inserts an operation in one transaction. It fails if another worker
// has taken over the job. To detect this, it compares attempt numbers, because River would let both
// workers complete the job.
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

// storable replaces invalid UTF-8 in text and removes NUL characters, because PostgreSQL accepts
// neither.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}
