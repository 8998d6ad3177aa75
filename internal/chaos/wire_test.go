package chaos

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"strconv"
)

// connection takes over the request's connection from the HTTP server.
func (x *request) connection() *conn {
	c, _, err := x.w.(http.Hijacker).Hijack()
	if err != nil { // a restart has reset the connection
		panic(http.ErrAbortHandler)
	}
	return c.(*conn)
}

// drop sends the given bytes. Then it closes or resets the connection, with equal probability.
func (x *request) drop(raw []byte) {
	c := x.connection()
	_, _ = c.Write(raw)
	if x.rand.IntN(2) == 0 {
		c.reset()
		return
	}
	c.Close()
}

// askMore sends the given answer instead of the service's. Half of the time, the service handles
// the request first.
func (x *request) askMore(send func(answer), a answer) {
	if x.rand.IntN(2) == 0 {
		x.ask()
	}
	send(a)
}

// retryAfter returns headers for a JSON response. At random, they include a Retry-After-Ms, a valid
// or invalid Retry-After, or neither.
func (x *request) retryAfter() http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	switch n := x.rand.IntN(20); {
	case n == 0:
		h.Set("Retry-After", "1")
	case n < 8:
		h.Set("Retry-After-Ms", strconv.Itoa(5*n))
	case n == 8:
		h.Set("Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT")
	case n == 9:
		h.Set("Retry-After", "soon")
	}
	return h
}

// head returns the answer's status line and headers, with the given headers added.
func (a answer) head(more http.Header) []byte {
	h := a.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	maps.Copy(h, more)
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", a.code, http.StatusText(a.code))
	_ = h.Write(&b)
	b.WriteString("\r\n")
	return b.Bytes()
}

// raw encodes the answer as a server would send it.
func (a answer) raw() []byte { return a.rawWith("Content-Type", "application/json") }

// rawWith encodes the answer as a server would send it, with an additional header.
func (a answer) rawWith(name, value string) []byte {
	h := http.Header{name: {value}}
	if a.code != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	return append(a.head(h), a.body...)
}
