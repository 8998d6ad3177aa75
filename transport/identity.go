package transport

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// requestIDHeader carries the client's ID for a request (resource provider API v2.0, "Client
// Request Headers"). All attempts of a request share one ID.
const requestIDHeader = "X-Ms-Client-Request-Id"

// newID returns a random UUID (RFC 9562, section 5.4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])  // never fails
	b[6] = b[6]&0x0f | 0x40 // version 4
	b[8] = b[8]&0x3f | 0x80 // variant 10

	var s [32]byte
	hex.Encode(s[:], b[:])
	return string(s[:8]) + "-" + string(s[8:12]) + "-" + string(s[12:16]) + "-" + string(s[16:20]) + "-" + string(s[20:])
}

// userAgent returns the value of the User-Agent header (RFC 9110, section 10.1.5). product
// describes the program, and may be empty.
func userAgent(product string) string {
	return strings.TrimSpace(fmt.Sprintf("%s lro-go/%s (%s; %s; %s)", product, version(), runtime.GOOS, runtime.GOARCH, runtime.Version()))
}

// version returns the version of this module that the program was built with.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "github.com/lro-go/lro" && m.Version != "" {
			return strings.Trim(m.Version, "()") // in a User-Agent, "(devel)" would be a comment
		}
	}
	return "devel"
})
