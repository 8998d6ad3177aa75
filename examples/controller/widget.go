package main

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Widget represents a resource of the management service. The Widget's name is the name of the
// resource, and its namespace is the name of the resource group. The manifest is widget.crd.yaml.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitzero"` // a subresource, so permission to write the spec does not include writing the token
}

// A WidgetSpec is the desired state of a Widget.
type WidgetSpec struct {
	Size int64 `json:"size"`
}

// A WidgetStatus holds everything that the controller stores about a Widget.
type WidgetStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"` // the last generation of the spec that the controller applied or failed to apply
	Size               int64              `json:"size,omitempty"`               // the size that the service reports
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	Operation          Operation          `json:"operation,omitzero"` // the zero value if there is nothing to do
}

// An Operation is a PUT or DELETE of the resource. If it has a Token, the service has started it.
// Otherwise, the controller may or may not have sent the request.
type Operation struct {
	Method     string      `json:"method"`             // PUT or DELETE
	Generation int64       `json:"generation"`         // the generation of the spec that the operation applies
	Attempt    int32       `json:"attempt"`            // the number of attempts so far
	NotBefore  metav1.Time `json:"notBefore,omitzero"` // the earliest time for another attempt after a failed one

	// Token resumes the operation. It contains no credential, but its URLs may be signed. If your
	// service's signed URLs allow more than reading a status, keep the token in a Secret that the
	// Widget owns.
	Token string `json:"token,omitempty"`
}

// settled reports whether the resource matches the spec.
func (w *Widget) settled() bool {
	return w.Status.ObservedGeneration == w.Generation && w.Status.Operation == Operation{}
}

// A WidgetList is a list of Widgets.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Widget `json:"items"`
}

// DeepCopyObject implements runtime.Object. In your project, controller-gen can generate this
// method.
func (w *Widget) DeepCopyObject() runtime.Object {
	out := *w
	w.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = slices.Clone(w.Status.Conditions)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (l *WidgetList) DeepCopyObject() runtime.Object {
	out := *l
	l.DeepCopyInto(&out.ListMeta)
	out.Items = slices.Clone(l.Items)
	for i := range out.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*Widget)
	}
	return &out
}

func newScheme() *runtime.Scheme {
	s, groupVersion := runtime.NewScheme(), schema.GroupVersion{Group: "widgets.example.com", Version: "v1"}
	s.AddKnownTypes(groupVersion, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(s, groupVersion)
	return s
}
