package lrotel

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.24.0"
	"go.opentelemetry.io/otel/trace"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// Outcome, errorType and abandoned check only the outermost error, because a wrapped error may come
// from another operation, such as creating a credential.

// Outcome returns a word that describes how a wait ended, given the wait's error:
//
//   - succeeded, failed or canceled: the operation ended in this state.
//   - unread: the operation succeeded, but its result could not be read.
//   - stopped: the wait ended before the operation did. The attribute error.type contains the
//     reason.
func Outcome(err error) string {
	switch e := err.(type) { //nolint:errorlint // see above
	case nil:
		return "succeeded"
	case *lroerrors.OperationError:
		if e.State == poller.Canceled {
			return "canceled"
		}
		return "failed"
	case *lroerrors.ResultError:
		return "unread"
	}
	return "stopped"
}

// errorType returns the attribute error.type for err. The attribute has few possible values,
// because each one creates a time series in the metrics.
func errorType(err error) attribute.KeyValue {
	switch e := err.(type) { //nolint:errorlint // see above
	case *lroerrors.OperationError:
		return semconv.ErrorTypeKey.String(string(e.State))
	case *lroerrors.ResultError:
		return semconv.ErrorTypeKey.String("Unread")
	case *lroerrors.WaitError:
		return semconv.ErrorTypeKey.String(string(e.Reason))
	case *lroerrors.StatusError:
		switch {
		case e.StatusCode >= http.StatusBadRequest:
			return semconv.ErrorTypeKey.String(strconv.Itoa(e.StatusCode))
		case e.StatusCode != 0:
			return semconv.ErrorTypeKey.String("Unreadable") // such as an HTML page
		}
	}
	return causeType(err)
}

// causeType returns the attribute error.type for an error without a status code, such as a timeout
// or the end of a context.
func causeType(err error) attribute.KeyValue {
	if errors.Is(err, context.Canceled) {
		return semconv.ErrorTypeKey.String("canceled")
	}
	if late, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && late.Timeout() {
		return semconv.ErrorTypeKey.String("timeout")
	}
	return semconv.ErrorTypeOther
}

// abandoned reports whether the caller canceled the wait. The span of such a wait does not get the
// status Error.
func abandoned(err error) bool {
	wait, ok := err.(*lroerrors.WaitError) //nolint:errorlint // see above
	return ok && wait.Reason == lroerrors.ReasonCanceled
}

// fail records err in a span's attributes and status, unless err is nil.
func fail(span trace.Span, err error) {
	if err == nil {
		return
	}
	span.SetAttributes(errorType(err))
	span.SetStatus(codes.Error, err.Error())
}

// masked returns an error's message, and masks the queries, credentials and tokens in it. An error
// from net/http may quote them, and a service may repeat them.
func masked(err error) string {
	return strings.TrimPrefix((&lroerrors.StatusError{Err: err}).Error(), "lro: ")
}
