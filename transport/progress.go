package transport

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/lro-go/lro/internal/exchange"
)

// An attempt is the state of one attempt of a call. It is also the context in which the base sends
// the request. The trace events of net/http show when the attempt gets a connection. net/http may
// call the hooks for these events in any goroutine, even after the attempt ends.
type attempt struct {
	exchange.Timed
	c       *call
	request http.Request // the request to pass to the base
	trace   httptrace.ClientTrace

	waiting   atomic.Bool // the attempt has started to wait for a connection
	connected atomic.Bool // the attempt has a connection
}

// String returns a fixed string, so that printing the context cannot leak the request's credential.
func (a *attempt) String() string { return "transport.attempt" }

// GoString is like String.
func (a *attempt) GoString() string { return a.String() }

// start initializes a zero attempt for c.
func (a *attempt) start(c *call) {
	a.c = c
	a.Start(&c.Context, c.Due)
}

// traceContext returns the context to send the attempt with. The caller's own trace, if any, also
// gets the events.
func (a *attempt) traceContext() context.Context {
	a.trace.GetConn = a.getConn
	a.trace.GotConn = a.gotConn
	return httptrace.WithClientTrace(a, &a.trace)
}

// getConn is called when the attempt starts to wait for a connection. If it is not called, a single
// limit covers the waits for a connection and for the headers.
func (a *attempt) getConn(string) {
	if !a.waiting.Swap(true) {
		a.Relimit(a.timeLeft("no connection"))
	}
}

// gotConn is called when the attempt gets a connection. If that connection turns out to be closed,
// net/http may get another one and call gotConn again.
func (a *attempt) gotConn(httptrace.GotConnInfo) {
	a.connected.Store(true)
	a.Relimit(a.timeLeft("no response headers"))
}

// unsent reports whether the service cannot have received the attempt. err is the error from the
// base.
//
// An attempt that got a connection is treated as sent, because net/http may return while another
// goroutine is still writing the headers to an HTTP/2 connection.
//
// An attempt without a connection is unsent only if err says that the connection failed, or that
// this context ended during the wait for a connection. After any other error, a base that reports
// no events may have sent the attempt.
func (a *attempt) unsent(err error) bool {
	if a.connected.Load() {
		return false
	}
	if exchange.Unsent(err) {
		return true
	}
	return a.waiting.Load() && errors.Is(err, context.Cause(a))
}

// limit sets how long the attempt may wait from now on. The parameter missing is the beginning of
// the error after HeaderTimeout, for example "no response headers".
func (a *attempt) limit(missing string) { a.Limit(a.timeLeft(missing)) }

// timeLeft returns how long the attempt may wait, and the error to return after that. The limit is
// HeaderTimeout, or the caller's remaining time if that is shorter. The parameter missing is the
// beginning of the error for HeaderTimeout.
func (a *attempt) timeLeft(missing string) (time.Duration, exchange.TimeoutError) {
	timeout := a.c.t.opts.HeaderTimeout
	if a.c.hasDue() && time.Until(a.c.Due) <= timeout {
		return a.callersTime()
	}
	return timeout, exchange.TimeoutError{What: missing, Limit: timeout, Option: "HeaderTimeout"}
}

// callersTime returns the caller's remaining time for the exchange, and the error to return after
// that.
func (a *attempt) callersTime() (time.Duration, exchange.TimeoutError) {
	return time.Until(a.c.Due), exchange.ResponseTimeout(a.c.Timeout)
}
