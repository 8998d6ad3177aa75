package lrotf

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// requestTime limits the request that starts an operation, because Ctrl-C does not interrupt it. If
// that request gets no response, requestTime also limits the read of the resource that follows.
const requestTime = 5 * time.Minute

// init makes the first call of signal.Notify, which starts a goroutine. If the first call were made
// in a testing/synctest bubble, the bubble could not end.
func init() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	signal.Stop(c)
}

// A job is a call of Create, Read, Update or Delete.
type job struct {
	timeouts timeouts.Value
	fallback time.Duration // if the timeouts block sets none
	grace    time.Duration
	private  private
	diags    *diag.Diagnostics
}

// timeout returns the time to wait for an operation. The schema has validated the text.
func (j *job) timeout(ctx context.Context, v verb) time.Duration {
	of := map[verb]func(context.Context, time.Duration) (time.Duration, diag.Diagnostics){
		creating: j.timeouts.Create, updating: j.timeouts.Update, deleting: j.timeouts.Delete,
	}
	d, diags := of[v](ctx, j.fallback)
	j.diags.Append(warnings(diags)...) // an error from Create would taint the resource
	return d
}

// begin sends the request that starts an operation. Neither Ctrl-C nor the timeouts block interrupts
// it: the service may have accepted it, and without its response the operation cannot be followed.
func begin[T any](ctx context.Context, j *job, v verb, send func(context.Context) (*poller.Poller[T], error)) (*poller.Poller[T], error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // nothing was sent
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTime)
	defer cancel()
	p, err := send(ctx)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok { // accepted, but cannot be followed with these options
		j.diags.Append(keep(ctx, j.private, v, wait)...)
	}
	return p, err
}

// follow waits for an operation to end, for as long as the timeouts block allows. Afterwards,
// private state holds the operation only if it is still in progress.
func follow[T any](ctx context.Context, j *job, v verb, p *poller.Poller[T]) (T, error) {
	limited, cancel := context.WithTimeout(ctx, j.timeout(ctx, v))
	defer cancel()
	value, err := wait(limited, p)
	if j.grace > 0 && interrupted(err) {
		end := time.Now().Add(j.grace)
		if deadline, _ := limited.Deadline(); deadline.Before(end) {
			end = deadline
		}
		tflog.Warn(ctx, "interrupted: waiting for the operation during the grace period", map[string]any{"until": end.Format(time.RFC3339)})
		rest, cancel := context.WithDeadline(context.WithoutCancel(ctx), end)
		defer cancel()
		value, err = wait(rest, p)
	}
	if hasEnded(err) || isGone(err) {
		j.diags.Append(forget(ctx, j.private)...)
	} else {
		j.diags.Append(keep(ctx, j.private, v, p)...)
	}
	return value, err
}

// wait waits for the end of an operation and for its result, and logs every status.
func wait[T any](ctx context.Context, p *poller.Poller[T]) (T, error) {
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return *new(T), err
		}
		progress(ctx, status)
	}
	return p.PollUntilDone(ctx)
}

// progress writes one line to the provider's log.
func progress(ctx context.Context, status poller.Status) {
	fields := map[string]any{"state": wordOf(status)}
	if status.PercentComplete != nil {
		fields["percent"] = *status.PercentComplete
	}
	if !status.NextPoll.IsZero() {
		fields["next_poll"] = status.NextPoll.Format(time.RFC3339)
	}
	if status.ReadErr != nil {
		fields["error"] = status.ReadErr.Error()
		tflog.Warn(ctx, "the status of the operation could not be read; the fields are from the last read", fields)
		return
	}
	tflog.Info(ctx, "status of the operation", fields)
}

func wordOf(s poller.Status) string { return cmp.Or(s.Word, string(s.State)) }

// hasEnded reports whether err, which may be nil, is the outcome of an operation. After any other
// error there is still work to do, at least reading the result.
func hasEnded(err error) bool {
	_, failed := errors.AsType[*lroerrors.OperationError](err)
	return err == nil || failed
}

// continues reports whether the operation continues after err, and its last known state.
func continues(err error) (word string, ok bool) {
	if hasEnded(err) {
		return "", false
	}
	if unread(err) {
		return ready, true
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return cmp.Or(wait.Word, wait.State), true
	}
	return "", false // the service rejected the request or did not respond
}

// unread reports whether an operation succeeded but its result could not be read.
func unread(err error) bool {
	_, ok := errors.AsType[*lroerrors.ResultError](err)
	return ok
}

// isGone reports whether the service no longer knows the operation. Only the resource can
// show how it ended.
func isGone(err error) bool {
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	return ok && wait.Reason == lroerrors.ReasonGone
}

// interrupted reports whether Ctrl-C or SIGTERM ended a wait.
func interrupted(err error) bool {
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	return ok && wait.Reason == lroerrors.ReasonCanceled
}

// notFound reports whether err means that the resource does not exist. A WaitError may wrap the 404
// of a status, which says nothing about the resource.
func notFound(err error) bool {
	_, waited := continues(err)
	return !waited && !hasEnded(err) && errors.Is(err, lroerrors.ErrNotFound)
}

// mayHaveStarted reports whether the service may have accepted a request even though no response
// confirms it.
func mayHaveStarted(err error) bool {
	status, ok := errors.AsType[*lroerrors.StatusError](err)
	return ok && status.Method != http.MethodGet && (status.Unanswered || status.StatusCode == 0 || status.StatusCode >= 500)
}
