package wire

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/lro-go/lro/internal/exchange"
)

// JSON is the media type of requests and responses.
const JSON = "application/json"

// SetRequest makes *req a request to u that accepts JSON and has the given propagated headers. If
// body is not empty, it becomes the body of the request, as JSON. [Send] sends a copy of *req.
//
// The caller must have checked u with [exchange.Origins.Allow], and must not use u again.
func SetRequest(req *http.Request, method string, u *url.URL, body []byte, repeated exchange.Propagated) {
	var values struct { // all header values, in one allocation
		accept   [1]string
		repeated exchange.Propagated
	}
	values.accept[0] = JSON
	values.repeated = repeated
	header := http.Header{"Accept": values.accept[:]}
	for i, name := range exchange.PropagatedNames {
		if repeated[i] != "" {
			header[name] = values.repeated[i : i+1 : i+1]
		}
	}
	*req = http.Request{
		Method:     method,
		URL:        u,
		Host:       strings.TrimSuffix(u.Host, ":"), // drops an empty port, as http.NewRequest does; the URL keeps it
		Header:     header,
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

// SetBody sets a body that can be read again for a retry or a redirect.
func SetBody(req *http.Request, body []byte) {
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, _ = req.GetBody()
}

// AddHeaders copies all headers of src into dst. It clones the values, because other requests share
// src and a Doer may modify its request.
func AddHeaders(dst, src http.Header) {
	for name, values := range src {
		dst[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
}

// AddMissing is like AddHeaders, but skips the headers that dst already has.
func AddMissing(dst, src http.Header) {
	for name, values := range src {
		name = http.CanonicalHeaderKey(name)
		if _, theirs := dst[name]; !theirs {
			dst[name] = slices.Clone(values)
		}
	}
}
