package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lro-go/lro/internal/exchange"
)

// JSON is the media type of requests and responses.
const JSON = "application/json"

// NewRequest builds a request to u that accepts JSON, with a JSON body unless body is empty. The
// caller must have checked u with [exchange.Origins.Allow], and must add its own headers. Apart from body,
// the request shares no memory with other requests, because a Doer may change it in place.
func NewRequest(method string, u *url.URL, body []byte) *http.Request {
	own := &struct { // in one allocation
		req    http.Request
		url    url.URL
		accept [1]string
	}{url: *u, accept: [1]string{JSON}}
	own.req = http.Request{
		Method: method, URL: &own.url, Header: http.Header{"Accept": own.accept[:]},
		Host: strings.TrimSuffix(u.Host, ":"), // without an empty port, as in http.NewRequest; the URL stays unchanged
		Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if len(body) > 0 {
		own.req.Header.Set("Content-Type", JSON)
		SetBody(&own.req, body)
	}
	return &own.req
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

// Travelling holds the values of the headers in TravellingNames. If a value is "", that header is
// not sent. No value is a credential. The type is an array because a map would take 400 bytes for
// each waiting operation.
type Travelling [len(exchange.TravellingNames)]string

// TravellingOf returns the values of the headers in TravellingNames. If several sets have a value
// for a header, the first value is used.
func TravellingOf(sets ...http.Header) (t Travelling) {
	for i, name := range exchange.TravellingNames {
		for _, h := range sets {
			v := exchange.FirstValue(h, name)
			if v != "" && IsHeaderValue(v) {
				t[i] = strings.Clone(v)
				break
			}
		}
	}
	return t
}

// Header returns t as a new http.Header, or nil if t is empty.
func (t Travelling) Header() http.Header {
	if t == (Travelling{}) {
		return nil
	}

	h := http.Header{}
	for i, v := range t {
		if v != "" {
			h[exchange.TravellingNames[i]] = []string{v}
		}
	}
	return h
}

// MarshalJSON encodes t as if it were an [http.Header].
func (t Travelling) MarshalJSON() ([]byte, error) { return json.Marshal(t.Header()) }

// UnmarshalJSON accepts only the headers in TravellingNames, with one value each.
func (t *Travelling) UnmarshalJSON(b []byte) error {
	var h http.Header
	if err := json.Unmarshal(b, &h); err != nil {
		return err
	}

	for name, values := range h {
		i := slices.Index(exchange.TravellingNames[:], name)
		if i < 0 || len(values) != 1 || !IsHeaderValue(values[0]) {
			return errors.New("a header that may not be repeated")
		}
		t[i] = values[0]
	}
	return nil
}

// IsHeaderValue reports whether s can be sent and stored as a header value.
func IsHeaderValue(s string) bool {
	const longest = 8 << 10
	if len(s) > longest || !utf8.ValidString(s) {
		return false
	}
	isControl := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	return !strings.ContainsFunc(s, isControl)
}
