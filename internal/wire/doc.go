// Package wire performs one HTTP exchange for poller and pager.
//
// A client from [Guard] follows redirects only to allowed origins. A [Limit] bounds the size of a
// response and the time it may take. [NoAnswer] and [Refusal] return the error for a failed
// request.
//
// The package does not interpret responses or decide when to send a request. It checks the URLs of
// redirects. Its callers check the URLs of requests, with [exchange.Origins.Allow]. The package is
// separate because packages engine, pager and poller send requests in the same way.
//
// Most callers need only [SetRequest] and [Send].
package wire
