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

	"github.com/riverqueue/river"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// BeginArgs describes the request that starts an operation. Insert the job in the transaction that
// records your decision to start the operation. Then a crash cannot lose the job.
type BeginArgs struct {
	Operation string          `json:"operation"` // the caller's name for the operation
	Method    string          `json:"method"`
	URL       string          `json:"url"`
	Body      json.RawMessage `json:"body,omitempty"`

	// RequestID is the Repeatability-Request-ID (OASIS Repeatable Requests) of a POST or PATCH. It
	// is stored with the job, so every attempt sends the same ID.
	RequestID string `json:"request_id,omitempty"`
}

// Kind implements [river.JobArgs].
func (BeginArgs) Kind() string { return "operation_begin" }

// InsertOpts puts these jobs into their own queue, so that they do not delay the jobs that read
// statuses.
func (BeginArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: beginQueue, MaxAttempts: maxAttempts}
}

// maxAttempts is as large as the database column allows, because River discards a job after its
// last attempt, and the operation would be lost. A crash or a database error uses up an attempt,
// but a snooze does not.
const maxAttempts = math.MaxInt16

// A starter starts operations.
//
// If a worker dies before it commits the outcome, the next run sends the request again. A repeated
// POST takes effect again, unless the service recognizes its RequestID. If your service does not
// recognize such IDs, check whether the POST has taken effect before you repeat it.
type starter struct {
	river.WorkerDefaults[BeginArgs]
	db      database
	client  poller.Doer
	options *poller.Options
	origin  string        // the only origin to which a starter sends requests
	timeout time.Duration // the time limit for one run; the request may use two thirds of it
}

// NextRetry returns when to run the job again after a run has failed or its worker has died.
func (b *starter) NextRetry(*river.Job[BeginArgs]) time.Time { return time.Now().Add(retryAfter) }

// Work sends the request and stores the token.
//
// Work finishes even if the process is stopping. The request may have started an operation, and
// without the response, no worker can follow it.
func (b *starter) Work(ctx context.Context, job *river.Job[BeginArgs]) error {
	if !strings.HasPrefix(job.Args.URL, b.origin+"/") { // do not send credentials to a forged URL
		return river.JobCancel(fmt.Errorf("%w: not at %s", lroerrors.ErrForeignOrigin, b.origin))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.timeout)
	defer cancel()
	// After a 429, the transport delays requests. Wait out a short delay here, because postponing a
	// job costs three writes.
	short, cancelShort := context.WithTimeout(transport.WithLongestPause(ctx, b.timeout/3), b.timeout*2/3)
	defer cancelShort()
	req, err := job.Args.request(short, job.CreatedAt)
	if err != nil {
		return river.JobCancel(err) // a retry cannot fix invalid arguments
	}
	p, err := poller.Begin[json.RawMessage](req, b.client, b.options)
	if err == nil {
		return b.follow(ctx, job, p.ResumeToken, p.NextPoll())
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok { // the service accepted the request, but the poller cannot follow the operation
		return b.follow(ctx, job, wait.ResumeToken, time.Now())
	}
	return b.refused(ctx, job, err)
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
		req.Header.Set("Repeatability-Request-ID", a.RequestID)
		req.Header.Set("Repeatability-First-Sent", created.UTC().Format(http.TimeFormat))
	}
	return req, nil
}

// follow completes the job and inserts the operation with its token. From then on, the jobs that
// follow operations read the operation's status.
func (b *starter) follow(ctx context.Context, job *river.Job[BeginArgs], token func() (string, error), next time.Time) error {
	text, err := token()
	if err != nil {
		return err
	}
	return finish(ctx, b.db, job, "INSERT INTO operation (id, name, next, token) VALUES ($1, $2, $3, $4)", next, text)
}

// refused handles a request that was rejected, got no response or was not sent.
func (b *starter) refused(ctx context.Context, job *river.Job[BeginArgs], err error) error {
	status, ok := errors.AsType[*lroerrors.StatusError](err)
	if !ok {
		status = &lroerrors.StatusError{} // nothing was sent
	}
	isTemporary := poller.Classify(err) == poller.Later || poller.Retryable(err)
	canRepeat := isTemporary && job.Args.isRepeatable()
	if poller.MayHaveStarted(err) && !canRepeat {
		return b.end(ctx, job, "Unknown", err)
	}
	if isTemporary {
		pause := min(max(status.RetryAfter, retryAfter), 24*time.Hour)
		return snooze(ctx, time.Now().Add(pause), nil)
	}
	if job.Args.Method == http.MethodDelete && status.StatusCode == http.StatusNotFound {
		return b.end(ctx, job, string(poller.Succeeded), nil) // an earlier worker may have deleted the resource and then died
	}
	switch status.StatusCode {
	case 0, http.StatusUnauthorized, http.StatusForbidden:
		return snooze(ctx, time.Now().Add(troubleAfter), err) // probably a problem that someone must fix, such as a missing permission
	}
	return b.end(ctx, job, "Refused", err)
}

// isRepeatable reports whether the request can safely be sent again.
func (a BeginArgs) isRepeatable() bool {
	return a.RequestID != "" || a.Method == http.MethodPut || a.Method == http.MethodDelete
}

// end records an operation that no worker needs to follow.
func (b *starter) end(ctx context.Context, job *river.Job[BeginArgs], state string, err error) error {
	return finish(ctx, b.db, job, "INSERT INTO operation (id, name, token, state, error) VALUES ($1, $2, '', $3, $4)", state, textOf(err))
}

// snooze ends a run and schedules the next one. It stores the error's text in the job's metadata,
// or "" if there is no error.
func snooze(ctx context.Context, until time.Time, trouble error) error {
	err := river.MetadataSet(ctx, "trouble", textOf(trouble))
	if err != nil {
		return err
	}
	return river.JobSnooze(max(time.Until(until), 0))
}
