package main

import (
	"context"
	"net/http"
	"time"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/lro-go/lro/poller"
)

// finalizer keeps a Widget until its resource is gone.
const finalizer = "widgets.example.com/resource"

// soon is for what is due already: a RequeueAfter of zero or less means never.
const soon = 100 * time.Millisecond

// never is when a Widget is due that waits for its user.
var never time.Time

// A Reconciler makes the resources of the service what their Widgets say. It never
// waits for an operation: each call reads a status once at most, stores the token
// in the Widget's status and comes back when the next read is due. It has no
// state of its own, and may be used by several goroutines.
type Reconciler struct {
	Client   client.Client
	Recorder events.EventRecorder
	Service  poller.Doer    // sends to the management service
	Origin   string         // of the service
	Origins  []string       // further ones that its URLs may lead to
	Cadence  poller.Cadence // the zero one is right for ARM
}

// Reconcile implements reconcile.Reconciler.
//
// An error of the API server is returned as it is, a conflict too: it means that
// the cache was behind, and the work queue comes back with a pause that grows.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	w := &Widget{}
	if err := r.Client.Get(ctx, req.NamespacedName, w); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	next, err := r.step(ctx, w)
	if err != nil || next.IsZero() {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: max(time.Until(next), soon)}, nil
}

// step does the one thing that is to be done for w now, and returns when the next
// is due.
//
// A spec that changes while an operation runs waits for its end: a PUT that
// overtakes another is refused by most services. A deletion waits only for what it
// cannot see. ARM lets it supersede what runs, and who is refused tries again.
func (r *Reconciler) step(ctx context.Context, w *Widget) (time.Time, error) {
	method := http.MethodPut
	if !w.DeletionTimestamp.IsZero() {
		method = http.MethodDelete
	}
	op := w.Status.Operation
	switch due := w.due(method); {
	case method == http.MethodDelete && !controllerutil.ContainsFinalizer(w, finalizer):
		return never, nil // nothing was ever begun, or the resource is gone
	case op != nil && op.Token != "" && op.Method == method:
		return r.follow(ctx, w)
	case op != nil && op.Token != "": // a PUT, and its Widget is to go
		return r.overtake(ctx, w)
	case method == http.MethodPut && w.settled():
		return never, nil
	case time.Now().Before(due):
		return due, nil
	}
	return r.begin(ctx, w, method)
}

// options are those of every poller, whether it begins, adopts or resumes: a token
// holds none of them.
func (r *Reconciler) options() *poller.Options {
	return &poller.Options{Origins: append([]string{r.Origin}, r.Origins...), Cadence: r.Cadence}
}
