package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

const retryMin, retryMax = time.Minute, time.Hour // the pause doubles after each failed attempt

// begin starts an operation for w in four steps:
//
//  1. Write the intent. The API server rejects it if w comes from a stale cache or if another
//     replica has changed the Widget since w was read. As a result, nothing is sent for an outdated
//     spec, and only one of two replicas continues.
//  2. Ask the service for the resource. A controller that was killed after step 3 has left an
//     intent without a token. The next controller then either finds an operation still in progress
//     on the resource and follows it, or finds that it has ended.
//  3. Send the request, if it is still needed.
//  4. Store the token.
func (r *Reconciler) begin(ctx context.Context, w *Widget, method string) (time.Time, error) {
	ctx = context.WithoutCancel(ctx) // if interrupted, a request may still have started an operation
	if controllerutil.AddFinalizer(w, finalizer) {
		if err := r.Client.Update(ctx, w); err != nil {
			return never, err
		}
	}
	op := &w.Status.Operation
	if op.Method != method || op.Generation != w.Generation {
		*op = Operation{Method: method, Generation: w.Generation}
	}
	op.Token = ""
	op.Attempt++ // ensures that writing the intent always changes the object
	if err := r.report(ctx, w, metav1.ConditionTrue, "Starting", "About to send "+method+"."); err != nil {
		return never, err
	}

	res, p, err := r.look(ctx, w)
	if err != nil {
		return r.later(ctx, w, "NotStarted", err)
	}
	if p == nil { // send even a DELETE: a killed controller's PUT may not be visible yet
		return r.send(ctx, method, w)
	}
	if method == http.MethodPut {
		return r.beginPut(ctx, w, res, p)
	}
	return r.beginDelete(ctx, w, res, p)
}

// beginPut sends a PUT unless the service shows that it is not needed or not allowed.
func (r *Reconciler) beginPut(ctx context.Context, w *Widget, res resource, p *poller.Poller[resource]) (time.Time, error) {
	if !res.ownedBy(w) {
		return r.later(ctx, w, "Occupied", errors.New("the service has a resource of this name that does not belong to this Widget"))
	}
	if !p.Done() { // the operation started before a crash
		w.Status.Operation.Generation = res.generation()
		return r.record(ctx, w, p)
	}
	isApplied := res.generation() == w.Generation && p.Status().State == poller.Succeeded
	if isApplied {
		return r.succeed(ctx, w, res)
	}
	return r.send(ctx, http.MethodPut, w)
}

// beginDelete sends a DELETE unless the service shows that it is not needed.
func (r *Reconciler) beginDelete(ctx context.Context, w *Widget, res resource, p *poller.Poller[resource]) (time.Time, error) {
	if !res.ownedBy(w) {
		return r.succeed(ctx, w, res)
	}
	if p.Status().Word == "Deleting" { // the deletion may have started before a crash
		return r.later(ctx, w, "Deleting", errors.New("the service is deleting the resource"))
	}
	return r.send(ctx, http.MethodDelete, w)
}

// send sends the request that starts the operation, and stores the token.
func (r *Reconciler) send(ctx context.Context, method string, w *Widget) (time.Time, error) {
	req, err := r.request(ctx, method, w)
	if err != nil {
		return never, err
	}
	p, err := poller.Begin[resource](req, r.Service, &r.Options)
	if err == nil {
		return r.record(ctx, w, p)
	}

	if _, accepted := errors.AsType[*lroerrors.WaitError](err); accepted {
		return r.stall(ctx, w, err)
	}
	status, refused := errors.AsType[*lroerrors.StatusError](err)
	isMissing := refused && status.StatusCode == http.StatusNotFound
	if isMissing && method == http.MethodDelete {
		return r.succeed(ctx, w, resource{})
	}
	return r.later(ctx, w, "NotStarted", err)
}

// follow reads the status of w's operation once, if a read is due.
func (r *Reconciler) follow(ctx context.Context, w *Widget) (time.Time, error) {
	p, err := poller.Resume[resource](w.Status.Operation.Token, r.Service, &r.Options)
	if err != nil {
		return r.stall(ctx, w, err)
	}
	if next := p.NextPoll(); time.Now().Before(next) {
		return next, nil // called early, because something else triggered this reconcile
	}
	_, err = p.Poll(ctx)
	if ctx.Err() != nil {
		return never, ctx.Err() // the manager is stopping
	}
	if _, stopped := errors.AsType[*lroerrors.WaitError](err); stopped {
		return r.stall(ctx, w, err)
	}
	return r.record(ctx, w, p) // even after a failed read: the token counts it, and the status reports it as ReadErr
}

// record stores what p knows: the outcome if the operation has ended, and otherwise its token.
func (r *Reconciler) record(ctx context.Context, w *Widget, p *poller.Poller[resource]) (time.Time, error) {
	if p.Done() {
		return r.finish(ctx, w, p)
	}
	return r.storeToken(ctx, w, p, "InProgress", p.Status().String())
}

// finish stores the outcome of an operation that has ended.
func (r *Reconciler) finish(ctx context.Context, w *Widget, p *poller.Poller[resource]) (time.Time, error) {
	res, err := p.Result(ctx)
	if ctx.Err() != nil {
		return never, ctx.Err()
	}
	if err == nil {
		return r.succeed(ctx, w, res)
	}
	if _, failed := errors.AsType[*lroerrors.OperationError](err); failed {
		return r.later(ctx, w, "OperationFailed", err)
	}
	if _, unreadable := errors.AsType[*lroerrors.ResultError](err); unreadable {
		return r.later(ctx, w, "ResultUnread", err)
	}
	return r.storeToken(ctx, w, p, "ResultUnread", err.Error()) // the next call reads the result again, with the token
}

// storeToken stores the token of p, and returns the time of the next read.
func (r *Reconciler) storeToken(ctx context.Context, w *Widget, p *poller.Poller[resource], why, message string) (time.Time, error) {
	token, err := p.ResumeToken()
	if err != nil {
		return never, err
	}
	w.Status.Operation.Token = token
	return p.NextPoll(), r.report(ctx, w, metav1.ConditionTrue, why, message)
}

// stall handles an operation that cannot be followed. If the operation's token is useless, begin
// will read the resource instead. Otherwise, stall keeps the token for another try.
func (r *Reconciler) stall(ctx context.Context, w *Widget, err error) (time.Time, error) {
	why := lroerrors.ReasonUnfollowable
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		why = wait.Reason
		if token, err := wait.ResumeToken(); err == nil {
			w.Status.Operation.Token = token
		}
	}
	if why == lroerrors.ReasonGone || errors.Is(err, lroerrors.ErrBadToken) {
		return r.later(ctx, w, "Lost", err)
	}
	return time.Now().Add(retryMax), r.report(ctx, w, metav1.ConditionUnknown, string(why), "Check the controller's origins and permissions: "+err.Error())
}

// later schedules another attempt after an operation failed or did not start. If the spec changes,
// the new spec is applied without waiting for that attempt.
func (r *Reconciler) later(ctx context.Context, w *Widget, why string, err error) (time.Time, error) {
	op := &w.Status.Operation
	pause := min(retryMin<<min(max(op.Attempt-1, 0), 10), retryMax)
	if status, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		pause = max(pause, status.RetryAfter)
	}
	op.Token = ""
	op.NotBefore = metav1.NewTime(time.Now().Add(pause))
	w.Status.ObservedGeneration = op.Generation
	err = r.report(ctx, w, metav1.ConditionFalse, why, err.Error())
	if op.Generation != w.Generation {
		return time.Now(), err
	}
	return op.NotBefore.Time, err
}

// succeed records that the operation has done its job. If the resource is gone, succeed removes the
// finalizer, so that the API server deletes the Widget.
func (r *Reconciler) succeed(ctx context.Context, w *Widget, res resource) (time.Time, error) {
	if w.Status.Operation.Method == http.MethodDelete {
		controllerutil.RemoveFinalizer(w, finalizer)
		return never, r.Client.Update(ctx, w)
	}
	w.Status.ObservedGeneration = w.Status.Operation.Generation
	w.Status.Size = res.Properties.Size
	w.Status.Operation = Operation{}
	err := r.report(ctx, w, metav1.ConditionFalse, "Succeeded", "The service has what the spec wants.")
	if w.settled() {
		return never, err
	}
	return time.Now(), err // the spec changed during the operation
}

// report sets the conditions and writes the status. The API server accepts only a single word as a
// reason, so the service's own code and state are in the message.
func (r *Reconciler) report(ctx context.Context, w *Widget, progressing metav1.ConditionStatus, why, message string) error {
	c := metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, ObservedGeneration: w.Status.Operation.Generation, Reason: why}
	if w.Status.Operation == (Operation{}) {
		c.Status = metav1.ConditionTrue
		c.ObservedGeneration = w.Status.ObservedGeneration
	}
	c.Message = strings.ToValidUTF8(message[:min(len(message), 1024)], "")
	meta.SetStatusCondition(&w.Status.Conditions, c)
	c.Type = "Progressing"
	c.Status = progressing
	meta.SetStatusCondition(&w.Status.Conditions, c)
	return r.Client.Status().Update(ctx, w)
}
