package main

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// newCluster returns controller-runtime's fake client, extended to set metadata.uid and
// metadata.generation as an API server does.
func newCluster() client.WithWatch {
	store := fake.NewClientBuilder().WithScheme(newScheme()).WithStatusSubresource(&Widget{}).Build()
	return interceptor.NewClient(store, interceptor.Funcs{
		Create: func(ctx context.Context, store client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			obj.SetGeneration(1)
			obj.SetUID(uuid.NewUUID())
			return store.Create(ctx, obj, opts...)
		},
		Update: updateWidget,
		Delete: deleteWidget,
	})
}

func updateWidget(ctx context.Context, store client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
	old := &Widget{}
	if err := store.Get(ctx, client.ObjectKeyFromObject(obj), old); err != nil {
		return err
	}
	obj.SetGeneration(old.Generation)
	if w, ok := obj.(*Widget); ok && w.Spec != old.Spec {
		obj.SetGeneration(old.Generation + 1)
	}
	return store.Update(ctx, obj, opts...)
}

func deleteWidget(ctx context.Context, store client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
	if err := store.Delete(ctx, obj, opts...); err != nil {
		return err
	}
	w := &Widget{}
	if err := store.Get(ctx, client.ObjectKeyFromObject(obj), w); err != nil {
		return client.IgnoreNotFound(err) // a Widget without a finalizer is already gone
	}
	w.Generation++
	return store.Update(ctx, w)
}

// loop calls a function when a manager's work queue would: after RequeueAfter, after an error, or
// when the channel delivers a value. It returns when no call is due and no value can arrive.
func loop(ctx context.Context, changed <-chan struct{}, call func(context.Context) (reconcile.Result, error)) error {
	pause := time.Second
	for {
		res, err := call(ctx)
		due := (<-chan time.Time)(nil)
		switch {
		case err != nil:
			due = time.After(pause)
			pause = min(2*pause, time.Minute)
		case res.RequeueAfter > 0:
			due = time.After(res.RequeueAfter)
			pause = time.Second
		case changed == nil:
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-due:
		case _, open := <-changed:
			if !open {
				changed = nil
			}
		}
	}
}
