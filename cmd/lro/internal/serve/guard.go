package serve

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// These limits protect the machine from a client that sends too much, too slowly, or nothing at
// all.
const (
	maxBody     = 4 << 20 // Azure Resource Manager's limit is 4 MB
	bodyTimeout = 30 * time.Second
	idleTimeout = 2 * time.Minute
)

// A refusal is the response to a request that must not reach the service.
type refusal struct {
	status        int
	code, message string
}

// guard returns a handler that passes requests on to next, but refuses requests from foreign web
// pages. If anyHost is false, it also refuses a Host that is not a loopback name, because a page
// can make its own host name resolve to this machine (DNS rebinding).
func (s *simulator) guard(anyHost bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			// Limit how long the body takes. net/http removes the deadline at the end of the body.
			// Without a body, the deadline would stay set, and a slow response would exceed it.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout)) // every net/http connection supports deadlines
		}
		if r.Host == "" { // HTTP/1.0 does not require Host (RFC 9112, section 3.2)
			r.Host = r.Context().Value(http.LocalAddrContextKey).(net.Addr).String()
		}
		if !anyHost && !isLoopback(hostname(r.Host)) {
			s.refuse(w, r, refusal{http.StatusMisdirectedRequest, "MisdirectedRequest", "The Host is not a name of this machine. lro serve --allow-remote accepts any Host."})
			return
		}
		if isCrossSite(r) {
			s.refuse(w, r, refusal{http.StatusForbidden, "CrossSiteRequest", "A web page of another origin sent this request."})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isCrossSite reports whether a browser marked r as a request from a foreign page. Other clients
// send neither Sec-Fetch-Site nor Origin.
func isCrossSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site": // same-site includes other ports of this machine
		return true
	}
	origin := r.Header.Get("Origin")
	return origin != "" && !strings.EqualFold(origin, baseURL(r))
}

// hostname returns host without its port and without the brackets of an IPv6 address.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// isLoopbackAddress reports whether only this machine can reach addr, an address with a port.
func isLoopbackAddress(addr string) bool { return isLoopback(hostname(addr)) }

// refuse answers r with an error, without passing r on to the service, and logs the refusal.
func (s *simulator) refuse(w http.ResponseWriter, r *http.Request, why refusal) {
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	body.Error.Code, body.Error.Message = why.code, why.message
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Connection", "close")
	w.WriteHeader(why.status)
	_ = json.NewEncoder(w).Encode(body) // the client may already be gone

	s.logUnnumbered(r, why.status, why.code)
}

// readBody returns the body of r. If the body is too large, it refuses r and returns false. If the
// body does not arrive in time or the client disconnects, it panics to close the connection.
func (s *simulator) readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		s.refuse(w, r, refusal{http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", "The body of a request has at most 4 MiB."})
		return nil, false
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client disconnected or was too slow
	}
	return body, true
}
