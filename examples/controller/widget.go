package main

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// groupVersion is that of Widget.
var groupVersion = schema.GroupVersion{Group: "widgets.example.com", Version: "v1"}

// A Widget is a resource of the management service, as Kubernetes sees it. The
// resource has its name, in a resource group that has the name of its namespace.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitzero"` // a subresource: who may write a spec may not write a token
}

// A WidgetSpec is what the user wants.
type WidgetSpec struct {
	Size int64 `json:"size"`
}

// A WidgetStatus is all that the controller remembers. It may be killed between
// any two requests, and goes on from here.
type WidgetStatus struct {
	// ObservedGeneration is the generation that was brought about last, or failed.
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Size               int64              `json:"size,omitempty"` // as the service tells it
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	Operation          *Operation         `json:"operation,omitempty"` // nil: none is under way
	Retry              *Retry             `json:"retry,omitempty"`     // nil: the last one did not fail
}

// An Operation is one that is under way, or is about to be begun.
type Operation struct {
	Method     string `json:"method"`            // PUT or DELETE
	Generation int64  `json:"generation"`        // of the spec that it brings about
	Attempt    int32  `json:"attempt,omitempty"` // how often that was written down before anything was sent

	// Token resumes it; "" until the answer to the request that begins it has
	// been stored, so that one without may or may not have been begun.
	//
	// It holds no credential, but URLs, which may be signed. Who may read this
	// status can then do what the signature allows, which for ARM is to read how
	// the operation gets on, and only with a credential beside it. Where the URLs
	// of a service allow more, keep the token in a Secret, written after
	// the intent and before the conditions, and owned by the Widget so that it goes
	// with it. Who may write this status can make the controller ask for any path
	// at the service's origin, and at no other: see poller.Options.Origins.
	Token string `json:"token,omitempty"`
}

// A Retry says when to try again what failed. It is for one method and one
// generation: nothing else has to wait for it.
type Retry struct {
	Method     string      `json:"method"`
	Generation int64       `json:"generation"`
	Failures   int32       `json:"failures"` // in a row
	At         metav1.Time `json:"at"`
}

// due is when an operation may be begun. The zero time is the past.
func (w *Widget) due(method string) time.Time {
	if t := w.Status.Retry; t != nil && t.Method == method && t.Generation == w.Generation {
		return t.At.Time
	}
	return time.Time{}
}

// settled reports whether the service has what the spec wants.
func (w *Widget) settled() bool {
	s := &w.Status
	return s.ObservedGeneration == w.Generation && s.Operation == nil && s.Retry == nil
}

// A WidgetList is what the API server lists.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Widget `json:"items"`
}

// newScheme knows Widget and nothing else.
func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(groupVersion, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(s, groupVersion)
	return s
}
