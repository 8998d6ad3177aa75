package main

import (
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	lroerrors "github.com/lro-go/lro/errors"
)

// The conditions of a Widget. Ready is for who uses it, Progressing for who waits
// for it: Unknown says that nobody can see how the operation gets on.
const (
	conditionReady       = "Ready"
	conditionProgressing = "Progressing"
)

func (w *Widget) ready() {
	of := w.Status.ObservedGeneration
	w.set(conditionReady, metav1.ConditionTrue, of, "Succeeded", "The service has what the spec wants.")
	w.set(conditionProgressing, metav1.ConditionFalse, of, "Succeeded", "No operation is under way.")
}

func (w *Widget) inProgress(reason, message string) {
	of := w.Status.Operation.Generation
	w.set(conditionReady, metav1.ConditionFalse, of, reason, "An operation is under way.")
	w.set(conditionProgressing, metav1.ConditionTrue, of, reason, message)
}

func (w *Widget) failed(of int64, reason, message string) {
	w.set(conditionReady, metav1.ConditionFalse, of, reason, message)
	w.set(conditionProgressing, metav1.ConditionFalse, of, reason, "No operation is under way.")
}

func (w *Widget) unknown(reason, message string) {
	of := w.Status.Operation.Generation
	w.set(conditionReady, metav1.ConditionFalse, of, reason, "It is unknown what becomes of the operation.")
	w.set(conditionProgressing, metav1.ConditionUnknown, of, reason, message)
}

func (w *Widget) set(kind string, status metav1.ConditionStatus, of int64, reason, message string) {
	meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{
		Type:               kind,
		Status:             status,
		ObservedGeneration: of,
		Reason:             reason,
		Message:            cut(message, 1024),
	})
}

// reason is the service's code for err, in a form that a condition may have.
func reason(err error, otherwise string) string {
	if detail, ok := errors.AsType[*lroerrors.Detail](err); ok {
		return word(detail.Code, otherwise)
	}
	return otherwise
}

// word makes a reason of a service's word. The API server refuses a status whose
// reasons are not words, for ever, and a service may write what it likes.
func word(s, otherwise string) string {
	s = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, s)
	s = strings.Trim(cut(s, 100), "_")
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return otherwise
	}
	return s
}

// cut is the first n bytes of s, without half a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// warn records an event about an error. No text of ours holds a query or a token.
func (r *Reconciler) warn(w *Widget, reason string, err error) {
	r.Recorder.Eventf(w, nil, corev1.EventTypeWarning, reason, "Reconcile", "%s", cut(err.Error(), 1024))
}

// tell records an event that is no error.
func (r *Reconciler) tell(w *Widget, reason, format string, args ...any) {
	r.Recorder.Eventf(w, nil, corev1.EventTypeNormal, reason, "Reconcile", format, args...)
}
