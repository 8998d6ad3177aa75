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

// A rig is a service, a cluster, and a controller that can be killed at every
// step: after each request to either, whose answer is lost.
type rig struct {
	t       *testing.T
	svc     *fakes.Service
	cluster client.WithWatch
	r       *Reconciler
	changed chan struct{}
	cadence poller.Cadence

	steps  int
	kills  int
	killAt func(step int) bool
	stale  func(read int) (lag int) // how many versions the cache is behind

	mu       sync.Mutex // of what the user writes meanwhile, too
	reads    int
	missed   bool      // the last read was of another generation than there is
	versions []*Widget // all that the API server has had
}

func newRig(t *testing.T) *rig {
	g := &rig{t: t, svc: &fakes.Service{}, cluster: newCluster(), changed: make(chan struct{})}
	g.killAt = func(int) bool { return false }
	g.stale = func(int) int { return 0 }
	g.start()
	return g
}

// start makes a process, that knows nothing of the one before.
func (g *rig) start() {
	const origin = "https://a.test"
	g.r = &Reconciler{
		Client:  g.apiClient(),
		Service: stepping{g, transport.NewClient(&transport.Options{Base: &fakes.Transport{Handler: g.svc}})},
		Origin:  origin,
		Options: poller.Options{Origins: []string{origin}, Cadence: g.cadence},
	}
}

// step is where a process may die.
func (g *rig) step() {
	g.steps++
	if g.killAt(g.steps) {
		panic(errKilled)
	}
}

// stepping sends the requests to the service.
type stepping struct {
	g    *rig
	next poller.Doer
}

func (s stepping) Do(req *http.Request) (*http.Response, error) {
	resp, err := s.next.Do(req)
	s.g.step()
	return resp, err
}

// apiClient is the reconciler's, whose reads come from a cache.
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
	err := update()
	g.note()
	g.step()
	return err
}

// note keeps the version that the API server has now.
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
		return g.cluster.Get(context.Background(), key, into) // which says how an absent one is told
	}
	*into = *g.versions[at].DeepCopyObject().(*Widget)
	last := g.versions[len(g.versions)-1]
	g.missed = last == nil || last.Generation != into.Generation
	return nil
}

// reconcile runs the controller, and starts it again when it has been killed.
func (g *rig) reconcile() error {
	return loop(g.t.Context(), g.changed, func(ctx context.Context) (reconcile.Result, error) { return g.call(ctx) })
}

func (g *rig) call(ctx context.Context) (res reconcile.Result, err error) {
	defer func() {
		if p := recover(); p == errKilled { //nolint:errorlint // a panic's value
			g.kills++
			g.start()
			res, err = reconcile.Result{RequeueAfter: time.Millisecond}, nil
		} else if p != nil {
			panic(p)
		}
	}()
	res, err = g.r.Reconcile(ctx, reconcile.Request{NamespacedName: key})
	if g.missed { // when the cache catches up, that is an event
		g.missed = false
		return reconcile.Result{RequeueAfter: time.Millisecond}, err
	}
	if err == nil && res.RequeueAfter <= 0 {
		g.requireRest()
	}
	return res, err
}

// requireRest requires that a Widget for which nothing is due has no need of it.
func (g *rig) requireRest() {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.versions[len(g.versions)-1]
	require.True(g.t, w == nil || w.settled() && w.DeletionTimestamp.IsZero(), "nothing is due: %+v", w)
}

// user does in turn what a user does, each after a time, and tells the controller.
func (g *rig) user(does ...func()) {
	go func() {
		for _, do := range does {
			do()
		}
		close(g.changed)
	}()
}

func (g *rig) after(d time.Duration, do func(*Widget) error) func() {
	return func() {
		time.Sleep(d) // of the bubble
		w := &Widget{}
		if err := client.IgnoreNotFound(g.cluster.Get(g.t.Context(), key, w)); err != nil {
			panic(err)
		}
		if err := do(w); err != nil {
			panic(err)
		}
		g.note()
		g.changed <- struct{}{}
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

// widget is what the API server has.
func (g *rig) widget() *Widget {
	w := &Widget{}
	require.NoError(g.t, g.cluster.Get(g.t.Context(), key, w))
	return w
}

// condition tells one in a line, without its message.
func condition(w *Widget, kind string) string {
	c := meta.FindStatusCondition(w.Status.Conditions, kind)
	if c == nil {
		return "none"
	}
	return string(c.Status) + " " + c.Reason
}

// sent are the requests for an operation that the service has had, accepted or
// refused. A DELETE of what is not there is neither.
func (g *rig) sent() (requests []fakes.Request) {
	for _, req := range g.svc.Requests() {
		if req.Kind == fakes.Begin && req.StatusCode != http.StatusNoContent {
			requests = append(requests, req)
		}
	}
	return requests
}

// begun are the operations that the service has accepted, as methods.
func (g *rig) begun() (methods []string) {
	for _, req := range g.sent() {
		if req.Operation != "" {
			methods = append(methods, req.Method)
		}
	}
	return methods
}
