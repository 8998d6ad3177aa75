package transport

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

const requestIDHeader = "X-Ms-Client-Request-Id"

// identified returns req, or a copy of it with a client request id if it has none (resource
// provider API v2.0, "Client Request Headers"). The id is the same for every attempt.
func identified(req *http.Request) *http.Request {
	if req.Header.Get(requestIDHeader) != "" {
		return req
	}
	named := *req
	if named.Header = req.Header.Clone(); named.Header == nil {
		named.Header = http.Header{}
	}
	named.Header[requestIDHeader] = []string{newID()}
	return &named
}

// newID returns a random UUID (RFC 9562, section 5.4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// userAgent returns the User-Agent of a program that describes itself as product (RFC 9110,
// section 10.1.5).
func userAgent(product string) string {
	ours := fmt.Sprintf("lro-go/%s (%s; %s; %s)", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	return strings.TrimSpace(product + " " + ours)
}

const modulePath = "github.com/lro-go/lro"

// version returns the version of this module that the program was built with.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Replace != nil && m.Path == modulePath {
			m = m.Replace
		}
		if m.Path == modulePath && m.Version != "" {
			return strings.Trim(m.Version, "()") // "(devel)" would be a comment
		}
	}
	return "devel"
})
