package main

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	lroerrors "github.com/lro-go/lro/errors"
)

// What fails is tried again: first after retryMin, then after twice as long each
// time, up to retryMax. The count is in the object, so that a restart forgets none.
const (
	retryMin = time.Minute
	retryMax = time.Hour
)

// succeed records that the service has what the operation was to bring about.
func (r *Reconciler) succeed(ctx context.Context, w *Widget, res resource) (time.Time, error) {
	w.Status.ObservedGeneration = w.Status.Operation.Generation
	w.Status.Size = res.Properties.Size
	w.Status.Operation, w.Status.Retry = nil, nil
	w.ready()
	if err := r.Client.Status().Update(ctx, w); err != nil {
		return never, err
	}
	r.tell(w, "Succeeded", "The service has what generation %d wants", w.Status.ObservedGeneration)
	if w.settled() {
		return never, nil
	}
	return time.Now(), nil // the spec has changed meanwhile
}

// release lets the object go, its resource being gone.
func (r *Reconciler) release(ctx context.Context, w *Widget) (time.Time, error) {
	controllerutil.RemoveFinalizer(w, finalizer)
	return never, r.Client.Update(ctx, w)
}

// later records that an operation failed, or could not be begun, and tries again
// after a pause that grows. A change of the spec does not wait so long.
func (r *Reconciler) later(ctx context.Context, w *Widget, reason, message string) (time.Time, error) {
	op := w.Status.Operation
	failures := int32(1)
	if last := w.Status.Retry; last != nil && last.Method == op.Method && last.Generation == op.Generation {
		failures += last.Failures
	}
	w.Status.ObservedGeneration = op.Generation
	w.failed(op.Generation, reason, message)
	return r.pause(ctx, w, failures, min(retryMin<<min(failures-1, 10), retryMax))
}

// await records that something goes on at the service of which we have no token,
// and looks again in a while.
func (r *Reconciler) await(ctx context.Context, w *Widget, reason, message string) (time.Time, error) {
	w.inProgress(reason, message)
	return r.pause(ctx, w, 0, retryMin)
}

// pause gives the operation up, and says when the next one may be begun.
func (r *Reconciler) pause(ctx context.Context, w *Widget, failures int32, pause time.Duration) (time.Time, error) {
	op := w.Status.Operation
	w.Status.Operation = nil
	w.Status.Retry = &Retry{Method: op.Method, Generation: op.Generation, Failures: failures, At: upToSecond(time.Now().Add(pause))}
	if err := r.Client.Status().Update(ctx, w); err != nil {
		return never, err
	}
	if at := w.due(op.Method); !at.IsZero() {
		return at, nil
	}
	return time.Now(), nil // it was for a spec that has changed
}

// upToSecond is t in whole seconds, and not earlier: JSON cuts a metav1.Time.
func upToSecond(t time.Time) metav1.Time {
	return metav1.NewTime(t.Add(time.Second - 1).Truncate(time.Second))
}

// stall records that the operation goes on, or not, and that we cannot see it:
// err is a *WaitError of a read or of the beginning, or that of Resume.
func (r *Reconciler) stall(ctx context.Context, w *Widget, err error) (time.Time, error) {
	r.warn(w, "Stalled", err)
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	switch {
	case ok && wait.Reason == lroerrors.ReasonGone:
		return r.later(ctx, w, "Gone", "Nothing to do: the resource will be asked instead. "+err.Error())
	case errors.Is(err, lroerrors.ErrBadToken):
		return r.later(ctx, w, "BadToken", "Nothing to do: the resource will be asked instead. "+err.Error())
	}
	why := string(lroerrors.ReasonUnfollowable)
	if ok {
		why = string(wait.Reason)
		if token, err := wait.ResumeToken(); err == nil {
			w.Status.Operation.Token = token
		}
	}
	w.unknown(why, advice[why]+err.Error())
	return time.Now().Add(retryMax), r.Client.Status().Update(ctx, w)
}

// advice says what a person can do about a wait that has stopped.
var advice = map[string]string{
	string(lroerrors.ReasonUnfollowable): "Let the controller ask the origin that is named here, and restart it; the operation is kept. ",
	string(lroerrors.ReasonRefused):      "Let the controller's identity read the operation; it is kept, and asked for again. ",
	string(lroerrors.ReasonPatience):     "See whether the service is well; the operation is kept, and asked for again. ",
}
