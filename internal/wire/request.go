package wire

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// JSON is the media type of requests and responses.
const JSON = "application/json"

// SetRequest takes ownership of u and makes req a request to it, with a JSON body unless body is
// empty. The request accepts JSON. The caller must have checked u with [exchange.Origins.Allow],
// and must add its own headers. Apart from body, the request shares no memory with other requests,
// because a Doer may change it in place. SetRequest does not allocate req, because [Send] allocates
// the copy that is sent.
func SetRequest(req *http.Request, method string, u *url.URL, body []byte) {
	*req = http.Request{
		Method:     method,
		URL:        u,
		Host:       strings.TrimSuffix(u.Host, ":"), // without an empty port, as in http.NewRequest; the URL stays unchanged
		Header:     http.Header{"Accept": {JSON}},
		Body:       http.NoBody,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", JSON)
		SetBody(req, body)
	}
}

// SetBody sets a body that a client can read again, for a retry or a redirect.
func SetBody(req *http.Request, body []byte) {
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, _ = req.GetBody()
}

// AddHeaders sets all headers of h in its first argument. It copies the values, because a Doer
// may change its request, and other requests also use h.
func AddHeaders(to, h http.Header) {
	for name, values := range h {
		to[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
}

// AddMissing sets those headers of h that its first argument lacks. It copies the values.
func AddMissing(to, h http.Header) {
	for name, values := range h {
		name = http.CanonicalHeaderKey(name)
		if _, theirs := to[name]; !theirs {
			to[name] = slices.Clone(values)
		}
	}
}
