package transport

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/lro-go/lro/internal/exchange"
)

// An attempt is the context in which the base sends one attempt of a call. It follows the
// progress of the attempt with the trace events of net/http. The hooks may run in any goroutine,
// even after the attempt has ended.
type attempt struct {
	exchange.Timed
	c     *call
	trace httptrace.ClientTrace

	traced    atomic.Bool // the base reports events
	connected atomic.Bool // the attempt got a connection
	wrote     atomic.Bool // its headers were written
}

// start makes a, which must be zero, an attempt of c.
func (a *attempt) start(c *call) {
	a.c = c
	a.Start(c.Context, c.settings.Due)
}

// traceContext returns the context to send the attempt with. A trace of the caller gets the
// events too.
func (a *attempt) traceContext() context.Context {
	a.trace.GetConn = a.getConn
	a.trace.GotConn = a.gotConn
	a.trace.WroteHeaders = a.wroteHeaders
	return httptrace.WithClientTrace(a, &a.trace)
}

// getConn is called when the attempt starts to wait for a connection. Until then, the base may be
// one that reports no events.
func (a *attempt) getConn(string) {
	if !a.traced.Swap(true) {
		a.Relimit(a.timeLeft("no connection"))
	}
}

// gotConn is called when the attempt gets a connection. If that connection turns out to be closed,
// net/http may get another one.
func (a *attempt) gotConn(httptrace.GotConnInfo) {
	a.traced.Store(true)
	a.connected.Store(true)
	a.Relimit(a.timeLeft("no response headers"))
}

// wroteHeaders is called when the headers have been written.
func (a *attempt) wroteHeaders() {
	a.traced.Store(true)
	a.wrote.Store(true)
}

// wasSent reports whether the service may have received the attempt, which failed with err.
func (a *attempt) wasSent(err error) bool {
	if !a.traced.Load() {
		return !exchange.Unsent(err)
	}
	if a.wrote.Load() {
		return true
	}
	// If the caller's context ends, net/http may return while it is still writing to an HTTP/2
	// connection.
	return a.connected.Load() && a.c.Err() != nil
}

// limit limits how long the attempt waits for what is missing.
func (a *attempt) limit(missing string) { a.Limit(a.timeLeft(missing)) }

// timeLeft returns how long the attempt may wait for what is missing, and the error if it takes
// longer. The time is HeaderTimeout or, if that is less, the rest of the caller's time for the
// exchange.
func (a *attempt) timeLeft(missing string) (time.Duration, exchange.TimeoutError) {
	timeout := a.c.t.opts.HeaderTimeout
	if a.c.hasDue() && time.Until(a.c.settings.Due) <= timeout {
		return a.callersTime()
	}
	return timeout, exchange.TimeoutError{What: missing, Limit: timeout, Option: "HeaderTimeout"}
}

// callersTime returns the rest of the caller's time for the exchange, and the error if it runs out.
func (a *attempt) callersTime() (time.Duration, exchange.TimeoutError) {
	return time.Until(a.c.settings.Due), exchange.ResponseTimeout(a.c.settings.Timeout)
}
