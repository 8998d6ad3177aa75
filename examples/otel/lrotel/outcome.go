package lrotel

import (
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// Only the outermost error tells of this operation. One within may be of another: a
// credential that a request needs may come from an operation, too.

// Outcome tells in a word how a wait ended: succeeded, failed, canceled, unread
// (it succeeded, and its result could not be read) or stopped (we did, the operation
// did not; error.type has the reason).
func Outcome(err error) string {
	switch e := err.(type) { //nolint:errorlint // see above
	case nil:
		return "succeeded"
	case *lroerrors.OperationError:
		if e.State == string(poller.Canceled) {
			return "canceled"
		}
		return "failed"
	case *lroerrors.ResultError:
		return "unread"
	}
	return "stopped"
}

// errorType is the attribute error.type: one of a few words, because it stands at
// metrics. The service's own code is in the text of the error.
func errorType(err error) attribute.KeyValue {
	kind := "NoAnswer"
	switch e := err.(type) { //nolint:errorlint // see above
	case *lroerrors.OperationError:
		kind = e.State
	case *lroerrors.ResultError:
		kind = "Unread"
	case *lroerrors.WaitError:
		kind = string(e.Reason)
	case *lroerrors.StatusError:
		switch {
		case e.StatusCode >= http.StatusBadRequest:
			kind = strconv.Itoa(e.StatusCode)
		case e.StatusCode != 0:
			kind = "Unreadable" // a page of HTML, for one
		}
	}
	return semconv.ErrorTypeKey.String(kind)
}

// abandoned reports whether it was our caller who ended the wait, such as a process
// that stops: no trouble of the operation.
func abandoned(err error) bool {
	wait, ok := err.(*lroerrors.WaitError) //nolint:errorlint // see above
	return ok && wait.Reason == lroerrors.ReasonCanceled
}

// fail marks a span as failed, unless err is nil.
func fail(span trace.Span, err error) {
	if err == nil {
		return
	}
	span.SetAttributes(errorType(err))
	span.SetStatus(codes.Error, err.Error())
}
