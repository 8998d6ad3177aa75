package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// follow reads the status of the operation of w once, if that is due.
func (r *Reconciler) follow(ctx context.Context, w *Widget) (time.Time, error) {
	p, err := poller.Resume[resource](w.Status.Operation.Token, r.Service, r.options())
	if err != nil {
		return r.stall(ctx, w, err)
	}
	if next := p.NextPoll(); time.Now().Before(next) {
		return next, nil // something else woke us
	}
	_, err = p.Poll(ctx)
	if ctx.Err() != nil {
		return never, ctx.Err() // the manager stops; nothing was learned
	}
	return r.record(ctx, w, p, err)
}

// record stores what p knows: the token, and the conditions that follow from its
// status or from readErr, the error of its last read.
func (r *Reconciler) record(ctx context.Context, w *Widget, p *poller.Poller[resource], readErr error) (time.Time, error) {
	if p.Done() {
		return r.finish(ctx, w, p)
	}
	if _, stopped := errors.AsType[*lroerrors.WaitError](readErr); stopped {
		return r.stall(ctx, w, readErr)
	}
	if readErr != nil { // one read has failed, and nothing is known that was not known before
		r.warn(w, "ReadFailed", readErr)
	}
	return r.keep(ctx, w, p, func() {
		status := p.Status()
		w.inProgress(word(status.Word, "InProgress"), status.String())
	})
}

// keep stores the token of p and the conditions that say sets, and comes back when
// p wants to be asked again.
func (r *Reconciler) keep(ctx context.Context, w *Widget, p *poller.Poller[resource], say func()) (time.Time, error) {
	token, err := p.ResumeToken()
	if err != nil {
		return never, err
	}
	w.Status.Operation.Token = token
	say()
	return p.NextPoll(), r.Client.Status().Update(ctx, w)
}

// resultPause is how long the next attempt waits once patience with a result is spent.
const resultPause = time.Minute

// finish records the end of an operation. Its result is read at most once per call.
func (r *Reconciler) finish(ctx context.Context, w *Widget, p *poller.Poller[resource]) (time.Time, error) {
	res, err := p.Result(ctx)
	_, failed := errors.AsType[*lroerrors.OperationError](err)
	switch {
	case ctx.Err() != nil:
		return never, ctx.Err()
	case failed:
		r.warn(w, "OperationFailed", err)
		return r.later(ctx, w, reason(err, "OperationFailed"), err.Error())
	case err != nil: // it succeeded, and its token leads to the result
		r.warn(w, "ResultUnread", err)
		next, kept := r.keep(ctx, w, p, func() { w.inProgress("ResultUnread", err.Error()) })
		if _, spent := errors.AsType[*lroerrors.ResultError](err); spent {
			next = time.Now().Add(resultPause)
		}
		return next, kept
	case w.Status.Operation.Method == http.MethodDelete:
		return r.release(ctx, w)
	}
	return r.succeed(ctx, w, res)
}
