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
//  1. Write the intent. The API server rejects the write if w is outdated. The controller therefore
//     sends nothing for an outdated spec, and only one of two replicas continues.
//  2. Read the resource. An earlier controller may have sent the request without storing a token.
//  3. Send the request, if it is still needed.
//  4. Store the token.
func (r *Reconciler) begin(ctx context.Context, w *Widget, method string) (time.Time, error) {
	ctx = context.WithoutCancel(ctx) // do not cancel a request that may already have started an operation
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
	op.Attempt++ // makes the write change the object, so that an outdated write of another replica fails
	if err := r.report(ctx, w, metav1.ConditionTrue, "Starting", "About to send "+method+"."); err != nil {
		return never, err
	}

	res, p, err := r.look(ctx, w)
	if err != nil {
		return r.later(ctx, w, "NotStarted", err)
	}
	if p == nil { // the resource is not visible; send even a DELETE, because the service may already be creating the resource
		return r.send(ctx, method, w)
	}
	if method == http.MethodPut {
		return r.beginPut(ctx, w, res, p)
	}
	return r.beginDelete(ctx, w, res, p)
}

// beginPut sends a PUT unless the resource shows that the PUT is unnecessary or not allowed.
func (r *Reconciler) beginPut(ctx context.Context, w *Widget, res resource, p *poller.Poller[resource]) (time.Time, error) {
	if !res.ownedBy(w) {
		return r.later(ctx, w, "Occupied", errors.New("the service has a resource of this name that does not belong to this Widget"))
	}
	if !p.Done() { // an earlier attempt started this operation but did not store the token, perhaps because of a crash
		w.Status.Operation.Generation = res.generation()
		return r.adopt(ctx, w, p)
	}
	isApplied := res.generation() == w.Generation && p.Status().State == poller.Succeeded
	if isApplied {
		return r.succeed(ctx, w, res)
	}
	return r.send(ctx, http.MethodPut, w)
}

// beginDelete sends a DELETE unless the resource shows that the DELETE is unnecessary.
func (r *Reconciler) beginDelete(ctx context.Context, w *Widget, res resource, p *poller.Poller[resource]) (time.Time, error) {
	if !res.ownedBy(w) {
		return r.succeed(ctx, w, res)
	}
	if p.Status().Word == "Deleting" { // a controller that crashed may have started the deletion
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
		return r.adopt(ctx, w, p)
	}
	if wait, accepted := errors.AsType[*lroerrors.WaitError](err); accepted {
		return r.adopt(ctx, w, wait) // keep the token, because other options may make it possible to follow the operation
	}
	if method == http.MethodDelete && errors.Is(err, lroerrors.ErrNotFound) {
		return r.succeed(ctx, w, resource{})
	}
	if poller.MayHaveStarted(err) {
		return r.later(ctx, w, "StartUnknown", err) // the next attempt looks for the operation first
	}
	return r.later(ctx, w, "NotStarted", err)
}

// adopt stores an operation's token, so that later calls to Reconcile follow the operation.
func (r *Reconciler) adopt(ctx context.Context, w *Widget, operation interface{ ResumeToken() (string, error) }) (time.Time, error) {
	token, err := operation.ResumeToken()
	if err != nil {
		return never, err
	}
	return r.advance(ctx, w, token)
}

// advance reads the status if a read is due, stores the outcome or the new token, and returns the
// time of the next step.
func (r *Reconciler) advance(ctx context.Context, w *Widget, token string) (time.Time, error) {
	step, err := poller.Advance[resource](ctx, token, r.Service, &r.Options)
	if ctx.Err() != nil {
		return never, ctx.Err() // the manager is stopping
	}
	if step.Token == w.Status.Operation.Token && time.Now().Before(step.Next) {
		return step.Next, nil // no read is due yet; something else triggered this reconcile
	}
	w.Status.Operation.Token = step.Token
	switch poller.Classify(err) {
	case poller.Ended:
		return r.later(ctx, w, endingOf(err), err)
	case poller.Later, poller.Stuck:
		return r.stall(ctx, w, err)
	}
	if step.Done {
		return r.succeed(ctx, w, step.Result)
	}
	why, message := progressOf(step.Status)
	return step.Next, r.report(ctx, w, metav1.ConditionTrue, why, message)
}

// endingOf returns the Reason of a Widget's conditions after its operation has ended with err.
func endingOf(err error) string {
	if _, isUnread := errors.AsType[*lroerrors.ResultError](err); isUnread {
		return "ResultUnread"
	}
	return "OperationFailed"
}

// progressOf returns the Reason and the Message of a Widget's conditions during an operation.
func progressOf(s poller.Status) (why, message string) {
	if s.State == poller.Succeeded && s.ReadErr != nil {
		return "ResultUnread", s.ReadErr.Error()
	}
	return "InProgress", s.String()
}

// stall handles an operation that cannot be followed right now. It keeps the token for another
// attempt, unless the token is damaged or the operation is gone.
func (r *Reconciler) stall(ctx context.Context, w *Widget, err error) (time.Time, error) {
	why := lroerrors.ReasonUnfollowable
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		why = wait.Reason
	}
	if why == lroerrors.ReasonGone || errors.Is(err, lroerrors.ErrBadToken) {
		return r.later(ctx, w, "Lost", err)
	}
	message := err.Error()
	if poller.Classify(err) == poller.Stuck {
		message = "Check the controller's origins and permissions: " + message
	}
	return time.Now().Add(retryMax), r.report(ctx, w, metav1.ConditionUnknown, string(why), message)
}

// later ends the current attempt, records err and schedules another attempt. If the spec has
// changed since the operation was requested, the next attempt is due immediately.
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

// succeed records the success of the operation. After a DELETE, it removes the finalizer, so that
// the API server deletes the Widget.
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

// report sets the conditions and writes the status. A reason must be a single word, so the
// service's own code and state go into the message.
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
