// Package wire performs one HTTP exchange for poller and pager: it builds and sends a
// request, and follows redirects, only to allowed origins, reads the whole response within
// limits of size and time, and decodes the errors that services send.
package wire
