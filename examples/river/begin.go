package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// BeginArgs are the intent to begin an operation: the whole request. They are
// stored before anything is sent, by whoever wants the operation and in the
// transaction in which that was decided, so that no death loses it.
type BeginArgs struct {
	Operation string          `json:"operation"` // the caller's name for it, the key of what becomes of it
	Method    string          `json:"method"`
	URL       string          `json:"url"`
	Body      json.RawMessage `json:"body,omitempty"`

	// RequestID is made with the intent, and so the same each time the request is
	// sent (OASIS Repeatable Requests, Repeatability-Request-ID). It is for a POST
	// and a PATCH.
	RequestID string `json:"request_id,omitempty"`
}

// Kind names the job.
func (BeginArgs) Kind() string { return "operation_begin" }

// InsertOpts keep beginnings in a queue of their own, so that a hundred thousand
// of them keep no poll waiting.
func (BeginArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: beginQueue, MaxAttempts: attempts}
}

// attempts are as many as the column holds. River discards a job after its last
// one, and a job that is discarded is an operation lost. A run that snoozes counts
// as none; one does whose worker died, and one that failed at the database.
const attempts = math.MaxInt16

// A beginner begins operations.
//
// One that dies after the service has accepted the request, and before finish has
// committed, leaves an operation that nobody follows, and the request is sent
// again. For a PUT and a DELETE that is harmless: at worst it is refused with 409
// until the first has ended. A POST would be done twice, but for its RequestID,
// by which the service gives the first answer again. With a service that does not
// know the header there is no way to be sure; look for the effect before.
type beginner struct {
	river.WorkerDefaults[BeginArgs]
	pool    *pgxpool.Pool
	client  poller.Doer
	options *poller.Options
	origin  string        // to which requests are sent, and to no other
	timeout time.Duration // for one run; two thirds of it for the answer
}

// NextRetry is when a run is made good that failed or whose worker died.
func (b *beginner) NextRetry(*river.Job[BeginArgs]) time.Time { return time.Now().Add(retryAfter) }

// Work sends the request and stores the token.
//
// A stop of the process does not cut it short: a request that has left cannot be
// taken back, and without its answer nobody can follow what it has begun.
func (b *beginner) Work(ctx context.Context, job *river.Job[BeginArgs]) error {
	if !strings.HasPrefix(job.Args.URL, b.origin+"/") { // a forged row would have our credentials sent there
		return river.JobCancel(fmt.Errorf("%w: not at %s", lroerrors.ErrForeignOrigin, b.origin))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.timeout)
	defer cancel()
	short, cancelShort := context.WithTimeout(transport.WithLongestPause(ctx, 0), b.timeout*2/3)
	defer cancelShort()
	req, err := job.Args.request(short, job.CreatedAt)
	if err != nil {
		return river.JobCancel(err) // a mistake of who inserted it
	}
	client := &listening{Doer: b.client}
	p, err := poller.Begin[json.RawMessage](req, client, b.options)
	if err == nil {
		return b.follow(ctx, job, p.ResumeToken, p.NextPoll())
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok { // accepted, but not to be followed as things are
		return b.follow(ctx, job, wait.ResumeToken, time.Now())
	}
	return b.refused(ctx, job, err, client.pause())
}

func (a BeginArgs) request(ctx context.Context, created time.Time) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, a.Method, a.URL, bytes.NewReader(a.Body))
	if err != nil {
		return nil, err
	}
	if len(a.Body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.RequestID != "" {
		req.Header.Set(repeatabilityID, a.RequestID)
		req.Header.Set("Repeatability-First-Sent", created.UTC().Format(http.TimeFormat))
	}
	return req, nil
}

const repeatabilityID = "Repeatability-Request-Id"

// follow hands the operation over to a follower. After it either both jobs are
// changed or none is.
func (b *beginner) follow(ctx context.Context, job *river.Job[BeginArgs], token func() (string, error), next time.Time) error {
	text, err := token()
	if err != nil {
		return err
	}
	return finish(ctx, b.pool, job, func(tx pgx.Tx) error {
		_, err := river.ClientFromContext[pgx.Tx](ctx).InsertTx(ctx, tx,
			FollowArgs{Operation: job.Args.Operation, Token: text}, &river.InsertOpts{ScheduledAt: next})
		return err
	})
}

// refused tells what becomes of an operation that was not begun, or may not have
// been. pause is how long the service has to be left alone.
func (b *beginner) refused(ctx context.Context, job *river.Job[BeginArgs], err error, pause time.Duration) error {
	status, _ := errors.AsType[*lroerrors.StatusError](err)
	end := End{Operation: job.Args.Operation, State: "Refused", Err: err}
	switch {
	case poller.Retryable(err), status == nil, status.StatusCode == 0, status.StatusCode >= 500:
		return putOff(ctx, nil, time.Now().Add(pause), nil)
	case status.StatusCode == http.StatusUnauthorized, status.StatusCode == http.StatusForbidden:
		return putOff(ctx, nil, time.Now().Add(troubleAfter), err) // of the identity, not of this operation
	case status.StatusCode == http.StatusNotFound && job.Args.Method == http.MethodDelete:
		end.State, end.Err = string(poller.Succeeded), nil // it is gone, perhaps by the request of a worker that died
	}
	return finish(ctx, b.pool, job, func(tx pgx.Tx) error { return insertEnd(ctx, tx, end) })
}

// A listening client remembers what its last answer asked for.
type listening struct {
	poller.Doer
	header http.Header
}

func (l *listening) Do(req *http.Request) (*http.Response, error) {
	resp, err := l.Doer.Do(req)
	if err == nil {
		l.header = resp.Header
	}
	return resp, err
}

// pause is the Retry-After of that answer, within reason.
func (l *listening) pause() time.Duration {
	asked, _ := transport.RetryAfter(l.header, time.Now())
	return min(max(asked, retryAfter), 24*time.Hour)
}
