package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// grace is how long begin may go on when the manager has been told to stop, which
// waits for 30 s unless its options say otherwise. A request that is cut short may
// have begun an operation all the same.
const grace = 25 * time.Second

// begin begins an operation for w, unless there is no need to, in four steps:
//
//  1. The intent is written into the status.
//  2. The service is asked what it has.
//  3. The request is sent, if what the service has is not what it should have.
//  4. The token is written into the status.
//
// The first one is the fence against a stale cache: it fails unless w is what the
// API server has, so that nothing is sent for a spec of yesterday, and of two
// who have read the same object only one goes on.
//
// The second one is what makes a crash harmless. Whoever was killed after the third
// step has left an intent without a token, and the next one finds the resource in
// progress and adopts it, or finds it done. The intent alone could not tell.
//
// Should a request still get through twice (a process that was suspended for long
// between the second step and the third, while another took over), it is a
// PUT or a DELETE, to the same effect each time; where the service knows ETags,
// If-Match with that of the second step closes this gap too. A POST has no such
// effect to look for: send it with an id that the service recognizes, such as a
// Repeatability-Request-ID made from uid, generation and attempt of the intent.
func (r *Reconciler) begin(ctx context.Context, w *Widget, method string) (time.Time, error) {
	ctx, cancel := outlive(ctx, grace)
	defer cancel()
	if err := r.intend(ctx, w, method); err != nil {
		return never, err
	}
	f, err := r.look(ctx, w)
	if err != nil { // and nothing is sent: a *WaitError is of this GET, and its token leads to no operation of ours
		return r.notBegun(ctx, w, err)
	}
	if method == http.MethodDelete {
		return r.beginDelete(ctx, w, f)
	}
	return r.beginPut(ctx, w, f)
}

// overtake has a DELETE overtake the PUT that runs, if the service shows the
// resource before it is finished. If not, that there is none says nothing, and the
// DELETE would find none either, while the PUT goes on: it waits for the end of that.
func (r *Reconciler) overtake(ctx context.Context, w *Widget) (time.Time, error) {
	f, err := r.look(ctx, w)
	switch {
	case err != nil:
		r.warn(w, "NotBegun", err)
		return never, err // w is left as it is, with the token of the PUT
	case f.absent:
		return r.follow(ctx, w)
	}
	return r.begin(ctx, w, http.MethodDelete)
}

// outlive is ctx without its end, or rather with one that comes that much later.
func outlive(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(grace):
			cancel()
		case <-longer.Done():
		}
	})
	return longer, func() { stop(); cancel() }
}

// intend writes down what is about to be begun, after the finalizer, so that
// nothing is begun for an object that can vanish. The attempt makes every such
// write a change: one that changes nothing succeeds for any number of writers.
func (r *Reconciler) intend(ctx context.Context, w *Widget, method string) error {
	if controllerutil.AddFinalizer(w, finalizer) {
		if err := r.Client.Update(ctx, w); err != nil {
			return err
		}
	}
	attempt := int32(1)
	if op := w.Status.Operation; op != nil {
		attempt += op.Attempt
	}
	w.Status.Operation = &Operation{Method: method, Generation: w.Generation, Attempt: attempt}
	w.inProgress("Beginning", "About to send "+method)
	return r.Client.Status().Update(ctx, w)
}

func (r *Reconciler) beginPut(ctx context.Context, w *Widget, f *found) (time.Time, error) {
	op := w.Status.Operation
	switch {
	case f.absent:
	case !f.ownedBy(w):
		return r.later(ctx, w, "Occupied", "The service has a resource of this name that is not of this Widget. Delete it, or take another name.")
	case !f.state.Done(): // begun before a crash, or by somebody else: what comes of it is seen at its end
		op.Generation = f.generation()
		return r.record(ctx, w, f.state, nil)
	case f.state.Status().State == poller.Succeeded && f.generation() == w.Generation:
		return r.succeed(ctx, w, f.resource)
	}
	return r.send(ctx, w)
}

func (r *Reconciler) beginDelete(ctx context.Context, w *Widget, f *found) (time.Time, error) {
	switch {
	case f.absent: // now; who was killed may have sent a PUT of which nothing is seen yet
	case !f.ownedBy(w): // never ours to delete
		return r.release(ctx, w)
	case f.state.Status().Word == "Deleting": // begun before a crash; whether it is over is to be seen in a while
		return r.await(ctx, w, "Deleting", "The service is deleting the resource.")
	}
	return r.send(ctx, w)
}

// send sends the request that begins the operation, and stores the token.
func (r *Reconciler) send(ctx context.Context, w *Widget) (time.Time, error) {
	req, err := r.request(ctx, w.Status.Operation.Method, w)
	if err != nil {
		return never, err
	}
	p, err := poller.Begin[resource](req, r.Service, r.options())
	switch {
	case err == nil:
		return r.record(ctx, w, p, nil)
	case ctx.Err() != nil:
		return never, ctx.Err() // the intent says it all
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok { // accepted, and taken up when the controller allows more
		return r.stall(ctx, w, wait)
	}
	if status, ok := errors.AsType[*lroerrors.StatusError](err); ok && status.StatusCode == http.StatusNotFound && req.Method == http.MethodDelete {
		return r.release(ctx, w)
	}
	return r.notBegun(ctx, w, err)
}

// notBegun records that the service did not begin what it was asked for, or that
// nobody knows: the next attempt asks.
func (r *Reconciler) notBegun(ctx context.Context, w *Widget, err error) (time.Time, error) {
	r.warn(w, "NotBegun", err)
	return r.later(ctx, w, reason(err, "NotBegun"), err.Error())
}
