package main

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

var (
	key       = client.ObjectKey{Namespace: "demo", Name: "w1"}
	path      = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo/providers/Microsoft.Contoso/widgets/w1"
	errKilled = errors.New("killed")
)

const (
	conditionReady       = "Ready"
	conditionProgressing = "Progressing"
)

// A rig is a service, a cluster and a controller. Each request to the service or the API server is
// a step. A test can kill the controller at any step, before the controller gets the response.
type rig struct {
	t       *testing.T
	svc     *fakes.Service
	cluster client.WithWatch
	r       *Reconciler
	changed chan struct{} // receives a value after each user action; nil if there is no user
	cadence poller.Cadence
	process *fakes.Process // the controller's simulated process, if any

	steps  int
	killAt func(step int) bool
	stale  func(read int) (lag int) // returns how many versions the cache lags behind at the given read

	mu       sync.Mutex // guards the fields below, because user actions run in another goroutine
	reads    int
	missed   bool      // whether the last read returned an outdated generation
	versions []*Widget // every stored version of the Widget; a nil element means that the Widget did not exist
}

func newRig(t *testing.T) *rig {
	g := &rig{t: t, svc: &fakes.Service{}, cluster: newCluster()}
	g.killAt = func(int) bool { return false }
	g.stale = func(int) int { return 0 }
	g.start()
	return g
}

// start starts a new controller, as if its process had restarted.
func (g *rig) start() {
	const origin = "https://a.test"
	g.r = &Reconciler{
		Client:  g.apiClient(),
		Service: stepping{g, transport.NewClient(&transport.Options{Base: g.transport()})},
		Origin:  origin,
		Options: poller.Options{Origins: []string{origin}, Cadence: g.cadence},
	}
}

// transport returns the RoundTripper through which the controller reaches the service.
func (g *rig) transport() http.RoundTripper {
	base := &fakes.Transport{Handler: g.svc}
	if g.process == nil {
		return base
	}
	return g.process.Transport(base)
}

// step counts a step and kills the controller if killAt returns true for this step.
func (g *rig) step() {
	g.steps++
	if g.killAt(g.steps) {
		panic(errKilled)
	}
}

// stepping is a poller.Doer that counts each request to the service as a step.
type stepping struct {
	g    *rig
	next poller.Doer
}

func (s stepping) Do(req *http.Request) (*http.Response, error) {
	resp, err := s.next.Do(req)
	s.g.step()
	return resp, err
}

// apiClient returns the reconciler's client for the API server. Like a real client, it reads from a
// cache that may be stale.
func (g *rig) apiClient() client.Client {
	return interceptor.NewClient(g.cluster, interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
			defer g.step()
			return g.read(obj.(*Widget))
		},
		Update: func(ctx context.Context, _ client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
			return g.write(func() error { return g.cluster.Update(ctx, obj, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, _ client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			return g.write(func() error { return g.cluster.SubResource(sub).Update(ctx, obj, opts...) })
		},
	})
}

func (g *rig) write(update func() error) error {
	defer g.step()
	do := func() error {
		defer g.note()
		return update()
	}
	if g.process == nil {
		return do()
	}
	return g.process.Write(do)
}

// note appends the API server's current Widget to g.versions, or nil if there is no Widget.
func (g *rig) note() {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := &Widget{}
	err := g.cluster.Get(context.Background(), key, w)
	require.NoError(g.t, client.IgnoreNotFound(err))
	if err != nil {
		w = nil
	}
	g.versions = append(g.versions, w)
}

func (g *rig) read(into *Widget) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reads++
	at := max(len(g.versions)-1-g.stale(g.reads), 0)
	if g.versions[at] == nil {
		return g.cluster.Get(context.Background(), key, into) // returns a NotFound error
	}
	*into = *g.versions[at].DeepCopyObject().(*Widget)
	last := g.versions[len(g.versions)-1]
	g.missed = last == nil || last.Generation != into.Generation
	return nil
}

// reconcile runs the controller until nothing is due, and restarts it whenever it is killed.
func (g *rig) reconcile() error { return g.run(g.t.Context()) }

func (g *rig) run(ctx context.Context) error {
	return loop(ctx, g.changed, func(ctx context.Context) (reconcile.Result, error) { return g.call(ctx) })
}

func (g *rig) call(ctx context.Context) (res reconcile.Result, err error) {
	defer func() {
		if p := recover(); p == errKilled { //nolint:errorlint // a panic value is not wrapped
			g.start()
			res, err = reconcile.Result{RequeueAfter: time.Millisecond}, nil
		} else if p != nil {
			panic(p)
		}
	}()
	res, err = g.r.Reconcile(ctx, reconcile.Request{NamespacedName: key})
	if g.missed { // a real cache would receive the missed change later and trigger another call
		g.missed = false
		return reconcile.Result{RequeueAfter: time.Millisecond}, err
	}
	if err == nil && res.RequeueAfter <= 0 {
		g.requireSettled()
	}
	return res, err
}

// requireSettled fails the test unless the Widget is gone or settled. Call it when nothing is due.
func (g *rig) requireSettled() {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.versions[len(g.versions)-1]
	require.True(g.t, w == nil || w.settled() && w.DeletionTimestamp.IsZero(), "the Widget must be gone or settled if nothing is due: %+v", w)
}

// user performs a user's actions one after the other, in another goroutine.
func (g *rig) user(does ...func()) {
	g.changed = make(chan struct{})
	go func() {
		for _, do := range does {
			do()
		}
		close(g.changed)
	}()
}

// after returns an action that waits, changes the Widget and notifies the controller. The action
// does nothing if the test ends first.
func (g *rig) after(d time.Duration, do func(*Widget) error) func() {
	return func() {
		select {
		case <-time.After(d):
		case <-g.t.Context().Done():
			return
		}
		err := retry.RetryOnConflict(retry.DefaultRetry, func() error { // the controller may write at the same time
			w := &Widget{}
			if err := client.IgnoreNotFound(g.cluster.Get(g.t.Context(), key, w)); err != nil {
				return err
			}
			return do(w)
		})
		if err != nil {
			panic(err)
		}
		g.note()
		select {
		case g.changed <- struct{}{}:
		case <-g.t.Context().Done():
		}
	}
}

func (g *rig) create(size int64) func(*Widget) error {
	return func(*Widget) error {
		w := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}, Spec: WidgetSpec{Size: size}}
		return g.cluster.Create(g.t.Context(), w)
	}
}

func (g *rig) resize(size int64) func(*Widget) error {
	return func(w *Widget) error {
		w.Spec.Size = size
		return g.cluster.Update(g.t.Context(), w)
	}
}

func (g *rig) remove(w *Widget) error { return g.cluster.Delete(g.t.Context(), w) }

// widget returns the current Widget from the API server.
func (g *rig) widget() *Widget {
	w := &Widget{}
	require.NoError(g.t, g.cluster.Get(g.t.Context(), key, w))
	return w
}

// condition returns a condition's status and reason.
func condition(w *Widget, kind string) string {
	c := meta.FindStatusCondition(w.Status.Conditions, kind)
	if c == nil {
		return "none"
	}
	return string(c.Status) + " " + c.Reason
}

// sent returns the requests that should start an operation. It includes refused requests, but not a
// DELETE of a missing resource.
func (g *rig) sent() (requests []fakes.Request) {
	for _, req := range g.svc.Requests() {
		if req.Kind == fakes.Begin && req.StatusCode != http.StatusNoContent {
			requests = append(requests, req)
		}
	}
	return requests
}

// started returns the methods of the requests that started operations.
func (g *rig) started() (methods []string) {
	for _, req := range g.sent() {
		if req.Operation != "" {
			methods = append(methods, req.Method)
		}
	}
	return methods
}
