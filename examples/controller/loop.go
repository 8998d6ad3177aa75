package main

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// loop calls reconcile as a manager's work queue would for one object: when
// RequeueAfter has passed, and to the moment; after an error, with a pause that
// grows; and when the object changes, which is what changed tells. It ends when
// nothing is due and changed is closed.
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
