// Package wire performs one HTTP exchange for poller and pager.
//
// A client from [Guard] follows redirects only to allowed origins. A [Limit] bounds the size of a
// response and the time that it may take. [NoAnswer] and [Refusal] return the error for a request
// that failed.
//
// The package does not interpret responses, and does not decide when to send a request. It checks
// the URLs of redirects. Its callers check the URLs of requests, with [exchange.Origins.Allow]. It
// is a package of its own because packages engine, pager and poller send requests in the same way.
//
// Most callers need only [SetRequest] and [Send].
package wire
