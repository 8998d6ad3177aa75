package errors

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// maxID bounds an id within a text of ours.
const maxID = 200

// A StatusError says that we asked and did not learn: the service refused, its
// answer could not be read (Err says why), or none came (StatusCode is 0). It
// tells nothing about the operation, which may well go on.
type StatusError struct {
	Method        string  // of the request
	URL           string  // of the request, without query and user-info
	StatusCode    int     // 0 where no answer came
	Detail        *Detail // the service's error; nil where the answer had none
	RequestID     string  // x-ms-request-id of the answer
	CorrelationID string  // x-ms-correlation-request-id of the answer
	Attempts      int     // how often the transport sent the request; 0 where it did not say
	Err           error   // why the answer could not be read, or none came; may be nil
}

// Error tells the request, the answer and the service's own words on one line.
func (e *StatusError) Error() string {
	var parts []string
	if request := strings.TrimSpace(oneLine(e.Method) + " " + bareURL(e.URL)); request != "" {
		parts = append(parts, request)
	}
	if e.Attempts > 1 {
		parts = append(parts, fmt.Sprintf("%d attempts", e.Attempts))
	}
	if e.StatusCode != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s", e.StatusCode, http.StatusText(e.StatusCode))))
	}
	said := e.Detail != nil && !e.Detail.IsZero()
	if said {
		parts = append(parts, e.Detail.Error())
	}
	switch {
	case e.Err != nil:
		parts = append(parts, causeText(e.Err))
	case e.StatusCode == 0 && !said:
		parts = append(parts, "no answer")
	case !said:
		parts = append(parts, "no error body")
	}
	return prefixed(strings.Join(parts, ": ") + requestIDText(e.RequestID))
}

// Unwrap returns the service's error and the cause, so far as there are any. A cause
// whose own text tells what may be a credential is wrapped in one whose text does not.
func (e *StatusError) Unwrap() []error { return join(e.Detail, e.Err) }

// causeText is the text of err, without the URL that net/http prints.
func causeText(err error) string {
	for {
		ue, ok := err.(*url.Error) //nolint:errorlint // only the outermost one repeats the request
		if !ok || ue.Err == nil {
			return oneLine(err.Error())
		}
		err = ue.Err
	}
}

func requestIDText(id string) string {
	if id == "" {
		return ""
	}
	return fmt.Sprintf(" (request id %s)", cut(oneLine(id), maxID))
}

// join lists what an error wraps, leaving out what is nil.
func join(d *Detail, errs ...error) []error {
	var list []error
	if d != nil {
		list = append(list, d)
	}
	for _, err := range errs {
		if err != nil {
			list = append(list, fit(err))
		}
	}
	return list
}
