package fakes

import (
	"fmt"
	"net/http"
	"strconv"
)

var (
	_ http.ResponseWriter = (*exchange)(nil)
	_ http.Flusher        = (*exchange)(nil)
)

// Header returns the headers, which the handler can change until WriteHeader
// makes them final.
func (x *exchange) Header() http.Header { return x.header }

// WriteHeader sets the status code and makes the headers final. Only the first
// call with a code of at least 200 has an effect.
func (x *exchange) WriteHeader(code int) {
	if code < 100 || code > 999 {
		panic(fmt.Sprintf("fakes: invalid WriteHeader code %d", code)) // as net/http does
	}
	if x.code != 0 || code < 200 {
		return
	}
	x.code = code
	x.final = x.header.Clone()
	if x.final == nil {
		x.final = make(http.Header)
	}
	if n := x.final.Get("Content-Length"); n != "" {
		x.declare(n)
	}
}

// Write buffers p, and sends the buffer once it exceeds holdBack.
func (x *exchange) Write(p []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	if !bodyAllowed(x.code) {
		return 0, http.ErrBodyNotAllowed
	}
	if x.declared >= 0 && x.written+int64(len(p)) > x.declared {
		return 0, http.ErrContentLength
	}
	x.written += int64(len(p))
	x.held = append(x.held, p...)
	if len(x.held) <= holdBack {
		return len(p), nil
	}
	if err := x.push(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// FlushError sends the buffer. Like its counterpart in net/http, it fails once
// the client has disconnected. [http.ResponseController] calls it.
func (x *exchange) FlushError() error {
	x.WriteHeader(http.StatusOK)
	return x.push()
}

// Flush implements [http.Flusher].
func (x *exchange) Flush() { _ = x.FlushError() }

// declare records the Content-Length set by a handler. Like net/http, it drops
// an invalid value.
func (x *exchange) declare(value string) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		x.final.Del("Content-Length")
		return
	}
	x.declared = n
}

// bodyAllowed reports whether a response with this status code may have a body
// (RFC 9110, sections 15.3.5 and 15.4.5).
func bodyAllowed(code int) bool {
	return code >= 200 && code != http.StatusNoContent && code != http.StatusNotModified
}
