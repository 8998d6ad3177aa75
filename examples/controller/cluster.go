package main

import (
	"context"

	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// newCluster is controller-runtime's fake client, and what it leaves out of an API
// server: metadata.uid, and metadata.generation, which a change of the spec and a
// deletion raise.
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
		return client.IgnoreNotFound(err) // it had no finalizer
	}
	w.Generation++
	return store.Update(ctx, w)
}
