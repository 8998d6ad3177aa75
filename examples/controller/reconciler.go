package main

import (
	"context"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// finalizer keeps a Widget until its resource is gone.
const finalizer = "widgets.example.com/resource"

// never means that no reconcile is needed until the Widget changes.
var never time.Time

// A Reconciler makes the service's resources match their Widgets. It never waits for an operation:
// each call reads a status at most once, stores the token in the Widget's status and returns the
// time until the next read. It keeps no state, so it is safe for concurrent use.
type Reconciler struct {
	Client  client.Client
	Service poller.Doer    // sends requests to the service; a client from transport.NewClient limits how long each request takes
	Origin  string         // scheme and host of the service, such as https://management.azure.com
	Options poller.Options // options for all pollers; Origins must include Origin
}

// SetupWithManager registers r with m. A write that changes only a Widget's status does not trigger
// r.
func (r *Reconciler) SetupWithManager(m manager.Manager) error {
	return builder.ControllerManagedBy(m).For(&Widget{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 10}).Complete(r)
}

// Reconcile implements reconcile.Reconciler. It returns errors from the API server, such as a
// conflict, and the work queue retries with its own back-off.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	w := &Widget{}
	if err := r.Client.Get(ctx, req.NamespacedName, w); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	next, err := r.step(transport.WithLongestPause(ctx, 0), w) // a pause before a retry would block the worker
	if err != nil || next.IsZero() {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: max(time.Until(next), time.Millisecond)}, nil // zero or less would mean never
}

// step performs the next action for w if it is due, and returns when to call step again.
//
// It sends no PUT during an operation, because most services would refuse the PUT. It sends a
// DELETE during a PUT only if the resource is visible. Otherwise, the DELETE would not stop the
// PUT.
func (r *Reconciler) step(ctx context.Context, w *Widget) (time.Time, error) {
	deleting := !w.DeletionTimestamp.IsZero()
	method := http.MethodPut
	if deleting {
		method = http.MethodDelete
	}
	if deleting && !controllerutil.ContainsFinalizer(w, finalizer) {
		return never, nil
	}

	op := w.Status.Operation
	if op.Token != "" {
		if op.Method == method {
			return r.advance(ctx, w, op.Token)
		}
		_, p, err := r.look(ctx, w)
		if err != nil || p == nil {
			return r.advance(ctx, w, op.Token)
		}
		return r.begin(ctx, w, method)
	}

	if !deleting && w.settled() {
		return never, nil
	}
	isNextAttempt := op.Method == method && op.Generation == w.Generation
	if isNextAttempt && time.Now().Before(op.NotBefore.Time) {
		return op.NotBefore.Time, nil
	}
	return r.begin(ctx, w, method)
}
