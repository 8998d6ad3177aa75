package errors

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/lro-go/lro/internal/redact"
)

// maxID is the maximum length in bytes of a request ID in an error's text.
const maxID = 200

// StatusError reports that a request failed: the service rejected it, its response could not be
// read (Err says why), or no response came (StatusCode is 0). It says nothing about the operation,
// which may still be running.
type StatusError struct {
	Method        string        // HTTP method of the request
	URL           string        // URL of the request, without query and user-info; or the name of a poller.Watch
	StatusCode    int           // 0 if no response came
	Detail        *Detail       // the service's error; nil if the response had none
	RequestID     string        // x-ms-request-id of the response
	CorrelationID string        // x-ms-correlation-request-id of the response
	RetryAfter    time.Duration // the pause that the service requested; 0 if none
	Attempts      int           // how many attempts the transport made, including any that got no connection; 0 if none or unknown

	// Unanswered reports that the request may have taken effect, although no response confirms it.
	// It is set in these cases:
	//
	//  - The last attempt was sent but got no response, or one that net/http rejects, such as a
	//    redirect with an invalid Location.
	//  - An earlier attempt was sent and got a 408, a 5xx or no response. A 404 or a 409 may then
	//    be a consequence of that attempt.
	//  - A 303 turned a write into a GET.
	//
	// An attempt is assumed sent unless net/http/httptrace reports that it got no connection.
	// Unanswered is always false for a request that started as a GET or HEAD, and for clients that
	// do not use package transport.
	Unanswered bool

	Err error `json:"-"` // why the response could not be read, or why there was no response; may be nil
}

// Error returns one line with the request, the status code, the reason and the request ID.
func (e *StatusError) Error() string {
	var parts []string
	request := strings.TrimSpace(redact.Text(e.Method) + " " + subjectText(e.URL))
	if request != "" {
		parts = append(parts, request)
	}
	if e.Attempts > 1 {
		parts = append(parts, fmt.Sprintf("%d attempts", e.Attempts))
	}
	if e.StatusCode != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s", e.StatusCode, http.StatusText(e.StatusCode))))
	}
	parts = append(parts, e.reasons()...)
	return prefixed(strings.Join(parts, ": ") + requestIDText(e.RequestID))
}

// reasons returns the texts of the Detail and of Err, or "no response" or "no error body" if both
// are missing.
func (e *StatusError) reasons() []string {
	var list []string
	if !e.Detail.IsZero() {
		list = append(list, e.Detail.Error())
	}
	if e.Err != nil {
		list = append(list, causeText(e.Err))
	}
	if len(list) > 0 {
		return list
	}
	if e.StatusCode == 0 {
		return []string{"no response"}
	}
	return []string{"no error body"}
}

// Is reports whether target is [ErrNotFound] and the StatusCode is 404 or 410.
func (e *StatusError) Is(target error) bool {
	isGone := e.StatusCode == http.StatusNotFound || e.StatusCode == http.StatusGone
	return target == ErrNotFound && isGone
}

// Unwrap returns the Detail and Err, if present. If the text of Err may contain a credential,
// Unwrap redacts that text. errors.Is and errors.As still find Err, but never a *url.Error, whose
// text contains the query of a URL. If a chain contains several errors of the four types in the
// package documentation, errors.As finds only the outermost one.
func (e *StatusError) Unwrap() []error { return join(e.Detail, e.Err) }

// causeText returns the redacted text of err, without the URL that net/http adds.
func causeText(err error) string { return redact.Text(redact.UnwrapURL(err).Error()) }

// subjectText redacts s, which is a URL or the name of a poller.Watch. In a name such as "pull
// request #12", it keeps the part after the #.
func subjectText(s string) string {
	isURL := strings.Contains(s, "://") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "?")
	if isURL {
		return redact.Bare(s)
	}
	return redact.Text(s)
}

var prefix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\blro: ?`) })

// prefixed returns s with the prefix "lro: " at the beginning and nowhere else.
func prefixed(s string) string { return "lro: " + prefix().ReplaceAllString(s, "") }

func requestIDText(id string) string {
	if id == "" {
		return ""
	}
	return fmt.Sprintf(" (request id %s)", redact.Cut(redact.Text(id), maxID))
}

// join returns the non-nil errors for an Unwrap method, with credentials hidden.
func join(d *Detail, errs ...error) []error {
	var list []error
	if d != nil {
		list = append(list, d)
	}
	for _, err := range errs {
		if err != nil {
			list = append(list, hide(err))
		}
	}
	return list
}

// hide wraps err to hide credentials in its text. It returns a Detail unchanged, because a Detail's
// text contains no credentials.
func hide(err error) error {
	if detail, ok := err.(*Detail); ok { //nolint:errorlint // only the outermost error matters
		return detail
	}
	return cause{redact.Error(err)}
}

// A cause wraps an error that one of this package's errors contains. It hides this package's four
// error types from errors.As, because only the outermost one says how the request or the wait
// ended.
type cause struct{ err error }

// Error returns the text of the wrapped error.
func (c cause) Error() string { return c.err.Error() }

// Is reports whether the wrapped error matches target. For ErrCanceled and ErrUnfollowable, it
// returns false, because they apply only to the operation of the outermost error.
func (c cause) Is(target error) bool {
	isOutermost := target == ErrCanceled || target == ErrUnfollowable
	return !isOutermost && errors.Is(c.err, target)
}

// As calls errors.As on the wrapped error, but never finds this package's four error types.
func (c cause) As(target any) bool {
	switch target.(type) {
	case **StatusError, **OperationError, **ResultError, **WaitError:
		return false
	}
	return errors.As(c.err, target)
}
