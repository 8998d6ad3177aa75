package main

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// controller-gen writes these; by hand there are few enough.

// DeepCopyObject implements runtime.Object.
func (w *Widget) DeepCopyObject() runtime.Object { return w.deepCopy() }

func (w *Widget) deepCopy() *Widget {
	out := *w
	w.DeepCopyInto(&out.ObjectMeta)
	s := &out.Status
	s.Conditions = slices.Clone(s.Conditions)
	if s.Operation != nil {
		op := *s.Operation
		s.Operation = &op
	}
	if s.Retry != nil {
		retry := *s.Retry
		s.Retry = &retry
	}
	return &out
}

// DeepCopyObject implements runtime.Object.
func (l *WidgetList) DeepCopyObject() runtime.Object {
	out := *l
	l.DeepCopyInto(&out.ListMeta)
	out.Items = nil
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].deepCopy())
	}
	return &out
}
