package main

import (
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// SetupWithManager is what a program with a cluster calls in place of the demo's
// loop. Our own writes of the status need not wake us up: NextPoll does.
func (r *Reconciler) SetupWithManager(m manager.Manager) error {
	return builder.ControllerManagedBy(m).
		For(&Widget{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 10}). // of different Widgets
		Complete(r)
}
