// Package wire performs one HTTP exchange for poller and pager. It builds a request, follows
// redirects only to allowed origins, and limits the size and time of the response.
package wire
