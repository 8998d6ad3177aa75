package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// widgets is where the Widgets of the demo's namespace are at the service.
const widgets = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo/providers/Microsoft.Contoso/widgets"

// A demo is a cluster, and the reconciler of its Widgets.
type demo struct {
	w       io.Writer
	cluster client.Client
	events  *events.FakeRecorder
	r       *Reconciler
	last    string // what was printed
}

func run(ctx context.Context, w io.Writer) error {
	origin, stop, err := serve(ctx, newService())
	if err != nil {
		return err
	}
	defer stop()
	d := &demo{w: w, cluster: newCluster(), events: events.NewFakeRecorder(100)}
	d.r = &Reconciler{
		Client:   d.cluster,
		Recorder: d.events,
		Service:  transport.NewClient(&transport.Options{Retries: -1}), // so that the demo's failed read is seen
		Origin:   origin,
		Cadence:  poller.Cadence{Default: 200 * time.Millisecond, Min: 200 * time.Millisecond},
	}
	for _, part := range []struct {
		title, name string
		show        func(context.Context, client.ObjectKey) error
	}{
		{"A Widget is created; one read fails, and changes nothing", "small", d.create},
		{"Its spec changes twice, the second time while an operation runs", "small", d.change},
		{"A Widget is too large for the service, until its spec is changed", "large", d.fail},
		{"A Widget is deleted", "small", d.remove},
	} {
		_, _ = fmt.Fprintf(w, "\n%s\n", part.title)
		if err := part.show(ctx, client.ObjectKey{Namespace: "demo", Name: part.name}); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) create(ctx context.Context, key client.ObjectKey) error {
	if err := d.add(ctx, key, 10); err != nil {
		return err
	}
	return d.reconcile(ctx, key)
}

func (d *demo) change(ctx context.Context, key client.ObjectKey) error {
	if err := d.resize(ctx, key, 20); err != nil {
		return err
	}
	if _, err := d.call(ctx, key); err != nil { // begins the operation
		return err
	}
	if err := d.resize(ctx, key, 30); err != nil {
		return err
	}
	return d.reconcile(ctx, key)
}

// fail does not wait for the next try, which is due in a minute.
func (d *demo) fail(ctx context.Context, key client.ObjectKey) error {
	if err := d.add(ctx, key, 1000); err != nil {
		return err
	}
	changed := make(chan struct{})
	return loop(ctx, changed, func(ctx context.Context) (reconcile.Result, error) {
		res, err := d.call(ctx, key)
		if res.RequeueAfter < 10*time.Second || changed == nil {
			return res, err
		}
		close(changed)
		changed = nil
		return res, d.resize(ctx, key, 100)
	})
}

func (d *demo) remove(ctx context.Context, key client.ObjectKey) error {
	if err := d.cluster.Delete(ctx, &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}); err != nil {
		return err
	}
	return d.reconcile(ctx, key)
}

func (d *demo) add(ctx context.Context, key client.ObjectKey, size int64) error {
	w := &Widget{Spec: WidgetSpec{Size: size}}
	w.Namespace, w.Name = key.Namespace, key.Name
	return d.cluster.Create(ctx, w)
}

func (d *demo) resize(ctx context.Context, key client.ObjectKey, size int64) error {
	w := &Widget{}
	if err := d.cluster.Get(ctx, key, w); err != nil {
		return err
	}
	w.Spec.Size = size
	return d.cluster.Update(ctx, w)
}

// reconcile goes on until nothing is due.
func (d *demo) reconcile(ctx context.Context, key client.ObjectKey) error {
	return loop(ctx, nil, func(ctx context.Context) (reconcile.Result, error) { return d.call(ctx, key) })
}

// call reconciles once, and prints what has changed.
func (d *demo) call(ctx context.Context, key client.ObjectKey) (reconcile.Result, error) {
	res, err := d.r.Reconcile(ctx, reconcile.Request{NamespacedName: key})
	for len(d.events.Events) > 0 {
		_, _ = fmt.Fprintf(d.w, "  event: %s\n", <-d.events.Events)
	}
	w := &Widget{}
	if getErr := d.cluster.Get(ctx, key, w); getErr != nil {
		_, _ = fmt.Fprintf(d.w, "  %s is gone\n", key.Name)
		return res, err
	}
	if text := describe(w); text != d.last {
		d.last = text
		_, _ = io.WriteString(d.w, text)
	}
	return res, err
}

// describe is a line like that of kubectl, with the message that says most.
func describe(w *Widget) string {
	ready := meta.FindStatusCondition(w.Status.Conditions, conditionReady)
	progressing := meta.FindStatusCondition(w.Status.Conditions, conditionProgressing)
	if ready == nil || progressing == nil {
		return ""
	}
	says := progressing
	if progressing.Status == metav1.ConditionFalse {
		says = ready
	}
	return fmt.Sprintf("  %s %d/%d  Ready=%-5s  Progressing=%-5s  %s: %s\n", w.Name, w.Status.ObservedGeneration, w.Generation,
		ready.Status, progressing.Status, says.Reason, says.Message)
}
