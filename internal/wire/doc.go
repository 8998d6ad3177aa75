// Package wire performs one HTTP exchange for poller and pager. It builds a request, follows
// redirects only to allowed origins, and limits the size of the response and how long it may take.
//
// It knows which redirects a client may follow ([Guard]), how long a response may take and how
// large it may be ([Limit]), and which error reports a request that failed ([NoAnswer], [Refusal]).
//
// It does not know what a response means or when the next request is due. It checks the URLs of
// redirects, but its callers check the URLs of requests, with [exchange.Origins.Allow]. It is a
// package of its own because packages engine, pager and poller send requests in the same way.
//
// Most callers need only [SetRequest] and [Send].
package wire
