// Package wire performs one HTTP exchange for poller and pager. It builds a request, follows
// redirects only to allowed origins, and limits the size of the response and how long it may take.
package wire
