// Package transcript writes HTTP requests and responses in the format read by fakes.ReadTranscript.
// lro serve and lro check use it.
//
// The package writes only the request headers that affect how a service responds, but all response
// headers. A caller must remove any secret ones itself.
package transcript

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
)

// Fits reports whether a transcript can contain body. No line of body may start with ###, which
// separates requests and responses.
func Fits(body []byte) bool {
	return !bytes.HasPrefix(body, []byte("###")) && !bytes.Contains(body, []byte("\n###"))
}

// WriteRequest writes a request with only the headers that affect how a service responds. It omits
// credentials and client-dependent headers such as User-Agent.
func WriteRequest(b *bytes.Buffer, method, url string, h http.Header, body []byte) {
	fmt.Fprintf(b, "%s %s HTTP/1.1\n", method, url)
	for _, name := range []string{"Content-Type", "If-Match", "If-None-Match"} {
		writeHeader(b, name, h[name])
	}
	writeBody(b, body)
}

// WriteResponse writes a response with all its headers, except a Content-Length that matches the
// length of body. ReadTranscript adds that header.
func WriteResponse(b *bytes.Buffer, code int, h http.Header, body []byte) {
	fmt.Fprintf(b, "HTTP/1.1 %d %s\n", code, http.StatusText(code))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if name == "Content-Length" && h.Get(name) == strconv.Itoa(len(body)) {
			continue
		}
		writeHeader(b, name, h[name])
	}
	writeBody(b, body)
}

func writeHeader(b *bytes.Buffer, name string, values []string) {
	for _, value := range values {
		fmt.Fprintf(b, "%s: %s\n", name, value)
	}
}

// writeBody writes the empty line that ends the headers, and then body. If body is not empty, a
// newline follows, which ReadTranscript removes.
func writeBody(b *bytes.Buffer, body []byte) {
	b.WriteByte('\n')
	if len(body) > 0 {
		b.Write(body)
		b.WriteByte('\n')
	}
}
