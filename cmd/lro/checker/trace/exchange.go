package trace

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/lro-go/lro/poller/strategy"
)

// A Role is the purpose of a request.
type Role string

// The roles that a request can have.
const (
	Start    Role = "start"    // the request that starts the operation
	Status   Role = "status"   // a read of the status URL, which comes from a header or the body of a response
	Resource Role = "resource" // a read of the resource that the operation acts on
	Page     Role = "page"     // a read of one page of a listing
	Repeat   Role = "repeat"   // a second DELETE after the first one has succeeded
	Probe    Role = "probe"    // a request that the service should refuse; see Exchange.Probe
	Cancel   Role = "cancel"   // the request that cancels the operation
)

// A Phase is the stage of the operation at which a request was sent.
type Phase int

// The phases of an operation.
const (
	Before Phase = iota // until the operation starts, including the request that starts it
	During              // until a read reports the end, including that read
	After
)

// An Exchange is a request and its response.
type Exchange struct {
	N      int // the number of the request in the whole check, starting at 1
	Role   Role
	Phase  Phase
	Reader int    // the connection that the request used: 1 or 2
	Source string // for a read of the status: the source of its URL, such as the header "Location"
	Probe  string // for a probe: its name, such as "conflict"

	Method, URL   string
	RequestHeader http.Header
	RequestBody   []byte

	At         time.Time     // when the request was sent
	Took       time.Duration // the time from At until the end of the response
	StatusCode int           // 0 if there was no response
	Header     http.Header
	Body       []byte
	Err        error // why the response is missing or incomplete
}

// OK reports whether the response has a 2xx status code.
func (x *Exchange) OK() bool { return x.StatusCode/100 == 2 }

// Path returns the path of the request's URL.
func (x *Exchange) Path() string {
	u, err := url.Parse(x.URL)
	if err != nil {
		return ""
	}
	return u.Path
}

// JSON returns the body without a leading byte order mark.
func (x *Exchange) JSON() []byte { return bytes.TrimPrefix(x.Body, []byte("\xef\xbb\xbf")) }

// Object decodes the body as a JSON object. The result ok is false if the body is anything else.
func (x *Exchange) Object() (o map[string]any, ok bool) {
	err := json.Unmarshal(x.JSON(), &o)
	return o, err == nil && o != nil
}

// Lookup returns the body's value at a JSON pointer, and whether that value exists.
func (x *Exchange) Lookup(pointer string) (value any, ok bool) {
	raw, ok := strategy.Answer{Body: x.JSON()}.Lookup(pointer)
	if !ok {
		return nil, false
	}
	err := json.Unmarshal(raw, &value)
	return value, err == nil
}

// Text returns the body's string at a JSON pointer, or "" if the value is missing or not a string.
func (x *Exchange) Text(pointer string) string {
	value, _ := x.Lookup(pointer)
	text, _ := value.(string)
	return text
}

// Has reports whether the body has a non-null value at a JSON pointer.
func (x *Exchange) Has(pointer string) bool {
	value, ok := x.Lookup(pointer)
	return ok && value != nil
}

// Resolve resolves a URL from the response against the URL of the request (RFC 3986, section 5). It
// returns nil if a URL cannot be parsed or the result has no host.
func (x *Exchange) Resolve(ref string) *url.URL {
	base, err := url.Parse(x.URL)
	if err != nil {
		return nil
	}
	u, err := base.Parse(ref)
	if err != nil || u.Host == "" {
		return nil
	}
	return u
}

// Link returns the URL in a response header, in absolute form. It returns nil if the header is
// missing or is not a valid URL.
func (x *Exchange) Link(header string) *url.URL {
	link := x.Header.Get(header)
	if link == "" {
		return nil
	}
	return x.Resolve(link)
}

// Query returns the value of a URL's query parameter, or "" if the parameter is missing. It ignores
// the case of the name.
func Query(u *url.URL, name string) string {
	for key, values := range u.Query() {
		if strings.EqualFold(key, name) {
			return values[0]
		}
	}
	return ""
}
