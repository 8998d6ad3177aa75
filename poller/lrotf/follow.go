package lrotf

import (
	"cmp"
	"context"
	"errors"
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

// requestTime is the time limit for the request that starts an operation, and for the read of the
// resource after a create request without a response. Neither Ctrl-C nor the configured timeouts
// interrupt these requests.
const requestTime = 5 * time.Minute

// init makes the first call to signal.Notify, which starts a goroutine that never ends. In a
// testing/synctest bubble, that goroutine would keep the bubble from ending.
func init() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	signal.Stop(c)
}

// A job represents one call to Create, Read, Update or Delete.
type job struct {
	timeouts timeouts.Value
	fallback time.Duration // the time limit if the timeouts block does not set one
	grace    time.Duration
	private  private
	diags    *diag.Diagnostics
	lastRead time.Time // when the operation's status was last read without an error; zero if unknown
}

// timeout returns how long to wait for an operation. It expects no errors, because the schema has
// already validated the timeouts block.
func (j *job) timeout(ctx context.Context, v verb) time.Duration {
	of := map[verb]func(context.Context, time.Duration) (time.Duration, diag.Diagnostics){
		creating: j.timeouts.Create, updating: j.timeouts.Update, deleting: j.timeouts.Delete,
	}
	d, diags := of[v](ctx, j.fallback)
	j.diags.Append(warnings(diags)...) // warn only, because an error from Create would taint the resource
	return d
}

// begin sends the request that starts an operation. Neither Ctrl-C nor the timeouts block
// interrupts the request, because the provider needs the response to follow the operation.
func begin[T any](ctx context.Context, j *job, v verb, send func(context.Context) (*poller.Poller[T], error)) (*poller.Poller[T], error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // nothing was sent
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTime)
	defer cancel()
	p, err := send(ctx)
	j.lastRead = time.Now()
	wait, accepted := errors.AsType[*lroerrors.WaitError](err) // a WaitError usually means that the service has accepted the request
	if !accepted {
		return p, err
	}
	if !poller.MayHaveStarted(err) {
		return nil, wait.LastErr // the error comes from an earlier read, so no operation has started
	}
	j.diags.Append(keep(ctx, j.private, v, wait, j.lastRead)...)
	return nil, err
}

// follow waits until an operation ends or its timeout expires. It stores the operation in private
// state if the next run must resume it, and removes it otherwise.
func follow[T any](ctx context.Context, j *job, v verb, p *poller.Poller[T], isDone func(context.Context) (T, bool)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, j.timeout(ctx, v))
	defer cancel()
	value, err := wait(limited, j, p, isDone)
	if j.grace > 0 && interrupted(err) {
		rest, cancel := gracePeriod(limited, j.grace)
		defer cancel()
		value, err = wait(rest, j, p, isDone)
	}

	if hasEnded(err) || isGone(err) {
		j.diags.Append(forget(ctx, j.private)...)
	} else {
		j.diags.Append(keep(ctx, j.private, v, p, j.lastRead)...)
	}
	return value, err
}

// gracePeriod returns the context for the rest of an interrupted wait. That context ends after the
// grace period or at the deadline of the interrupted wait, whichever comes first.
func gracePeriod(limited context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	end := time.Now().Add(grace)
	if deadline, _ := limited.Deadline(); deadline.Before(end) {
		end = deadline
	}
	tflog.Warn(limited, "interrupted: waiting for the operation during the grace period", map[string]any{"until": end.Format(time.RFC3339)})
	return context.WithDeadline(context.WithoutCancel(limited), end)
}

// wait waits until an operation ends, logs each status, and returns the result. If isDone is not
// nil, wait calls it when the service may have deleted the status, and returns the value from
// isDone if isDone returns true.
func wait[T any](ctx context.Context, j *job, p *poller.Poller[T], isDone func(context.Context) (T, bool)) (T, error) {
	isRead := false // Updates yields the last known status first, without a read
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return *new(T), err
		}
		progress(ctx, status)
		if isRead && status.ReadErr == nil {
			j.lastRead = time.Now()
		}
		isRead = true
		if isDone == nil || !isForgotten(status, j.lastRead) {
			continue
		}
		value, ok := isDone(ctx)
		if ok {
			return value, nil
		}
	}
	return p.PollUntilDone(ctx)
}

// overnight is the minimum time between the last successful read and a 404 that may mean that the
// service has deleted the status. An earlier 404 may also come from a replica that does not know
// the status yet (quirk W1).
const overnight = 12 * time.Hour

// isForgotten reports whether the service may have deleted the status because the operation has
// ended (see overnight). It returns false after a success, because the 404 then came from a read of
// the result.
func isForgotten(status poller.Status, lastRead time.Time) bool {
	isLost := !status.State.Terminal() && errors.Is(status.ReadErr, lroerrors.ErrNotFound)
	return isLost && !lastRead.IsZero() && time.Since(lastRead) >= overnight
}

// progress writes a line about a status to the provider's log.
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

// hasEnded reports whether the operation has ended and nothing is left to read. After a
// ResultError, the next run must still read the result.
func hasEnded(err error) bool {
	if err == nil {
		return true
	}
	return poller.Classify(err) == poller.Ended && !unread(err)
}

// isUnfinished reports whether the wait ended before the operation did, or before its result was
// read.
func isUnfinished(err error) bool {
	_, waited := errors.AsType[*lroerrors.WaitError](err)
	return waited || unread(err)
}

// lastWord returns the last known status word of an unfinished operation.
func lastWord(err error) string {
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	if !ok {
		return ready // only the result is missing
	}
	return cmp.Or(wait.Word, string(wait.State))
}

// unread reports whether an operation succeeded but its result could not be read.
func unread(err error) bool {
	_, ok := errors.AsType[*lroerrors.ResultError](err)
	return ok
}

// isGone reports whether the service no longer knows the operation. If so, only the resource can
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

// notFound reports whether err means that the resource does not exist. A 404 in a WaitError came
// from the status URL and says nothing about the resource.
func notFound(err error) bool {
	return !isUnfinished(err) && !hasEnded(err) && errors.Is(err, lroerrors.ErrNotFound)
}
