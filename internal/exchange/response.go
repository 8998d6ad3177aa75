package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

// NewStatusError returns the *StatusError for a failed response. The parameter why adds what the
// status code does not say, for example that the body could not be read. It may be nil.
func NewStatusError(method string, u *url.URL, code int, h http.Header, body []byte, why error) *lroerrors.StatusError {
	se := &lroerrors.StatusError{
		Method:        method,
		URL:           redact.URL(u),
		StatusCode:    code,
		RequestID:     RequestID(h),
		CorrelationID: CorrelationID(h),
		Err:           why,
	}
	se.RetryAfter, _ = RetryAfter(h, time.Now())
	if code >= 300 {
		se.Detail = CleanDetail(new(redact.Cleaner), ErrorDetail(h, bytes.TrimSpace(body)))
	}
	return se
}

// maxErrorBytes limits how much of an error body AsError reads.
const maxErrorBytes = 1 << 20

// AsError implements transport.AsError.
func AsError(resp *http.Response) error {
	if resp == nil {
		return &lroerrors.StatusError{Err: errors.New("the response is nil")}
	}
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return nil
	}

	body, unread := peek(resp)
	var method string
	var u *url.URL
	if resp.Request != nil {
		method = Method(resp.Request)
		u = resp.Request.URL
	}
	se := NewStatusError(method, u, resp.StatusCode, resp.Header, body, unread)
	sent := SentOf(resp.Request)
	se.Attempts = sent.Attempts
	se.Unanswered = sent.Unanswered
	return se
}

// peek returns the beginning of resp's body, and leaves the body readable.
func peek(resp *http.Response) ([]byte, error) {
	if resp.Body == nil {
		return nil, nil
	}

	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	if err != nil {
		ctx := context.Background()
		if resp.Request != nil {
			ctx = resp.Request.Context()
		}
		err = fmt.Errorf("reading the response: %w", redact.RequestError(ctx, redact.UnwrapURL(err)))
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
	return body, err
}

// RequestID returns the service's ID for a request (resource provider API v2.0, "Response
// Headers"). IBM Cloud calls the header X-Request-Id.
func RequestID(h http.Header) string {
	return idIn(h, "X-Ms-Request-Id", "X-Request-Id")
}

// CorrelationID returns the ID shared by the requests of one operation (resource provider API v2.0,
// "Proxy Request Header Modifications"). IBM Cloud calls the header X-Correlation-Id or
// Transaction-Id.
func CorrelationID(h http.Header) string {
	return idIn(h, "X-Ms-Correlation-Request-Id", "X-Correlation-Id", "Transaction-Id")
}

// idIn returns the first non-empty header among names, truncated and with credentials masked.
func idIn(h http.Header, names ...string) string {
	for _, name := range names {
		if id := FirstValue(h, name); id != "" {
			return redact.Masked(bounded(id))
		}
	}
	return ""
}

// FirstValue is like h.Get, but requires a name in canonical form.
func FirstValue(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// RetryAfter implements transport.RetryAfter.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	for _, name := range [...]string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if d, ok := parseDelay(strings.TrimSpace(FirstValue(h, name)), time.Millisecond); ok {
			return d, true
		}
	}

	value := strings.TrimSpace(FirstValue(h, "Retry-After"))
	if value == "" {
		return 0, false
	}
	if d, ok := parseDelay(value, time.Second); ok {
		return d, true
	}

	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	sent, err := http.ParseTime(FirstValue(h, "Date"))
	if err == nil {
		now = sent // the service's clock may differ from the local one
	}
	return max(date.Sub(now), 0), true // on overflow, Sub returns the largest or smallest Duration
}

// parseDelay parses s as a decimal number of units.
func parseDelay(s string, unit time.Duration) (time.Duration, bool) {
	whole, fraction, dotted := strings.Cut(s, ".")
	if !isNumber(whole) {
		return 0, false
	}
	if dotted && !isNumber(fraction) {
		return 0, false
	}

	n, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || n > uint64(math.MaxInt64/unit) { // the whole part contains only digits, so an error means that it is out of range
		return math.MaxInt64, true
	}
	d := time.Duration(n) * unit
	if dotted {
		f, _ := strconv.ParseFloat("0."+fraction, 64)
		d += min(time.Duration(f*float64(unit)), math.MaxInt64-d)
	}
	return d, true
}

// isNumber reports whether s consists of one or more digits.
func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
