package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lro-go/lro/internal/failure"
)

// A gateKey is what ARM and its resource providers throttle by: reads and
// writes are counted apart, for each subscription and provider.
type gateKey struct {
	host, subscription, provider string
	write                        bool
}

// gateKeyOf reads a key off the request. ARM compares paths without case
// ("Case Insensitivity for Requests"). Of several providers in the path the
// last is the one who answers: it extends the resource of the others.
func gateKeyOf(req *http.Request) gateKey {
	key := gateKey{host: gateHost(req.URL), write: true}
	switch failure.Method(req) {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		key.write = false
	}
	last := ""
	for s := range strings.SplitSeq(strings.ToLower(req.URL.Path), "/") {
		switch {
		case last == "subscriptions" && key.subscription == "":
			key.subscription = s
		case last == "providers" && s != "":
			key.provider = s
		}
		last = s
	}
	return key
}

func gateHost(u *url.URL) string {
	if origin, err := homeOrigin(u); err == nil {
		return origin
	}
	return lower(u.Host)
}

// heldResponse is the answer to a request that the gate does not let through.
func heldResponse(req *http.Request, held time.Duration) *http.Response {
	seconds := int64((held + time.Second - 1) / time.Second)
	body := heldBody(seconds)
	resp := &http.Response{
		Status:     "429 " + http.StatusText(http.StatusTooManyRequests),
		StatusCode: http.StatusTooManyRequests,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Content-Type":   {"application/json"},
			"Content-Length": {strconv.Itoa(len(body))},
			"Retry-After":    {strconv.FormatInt(seconds, 10)},
		},
		ContentLength: int64(len(body)),
		Body:          io.NopCloser(bytes.NewReader(body)),
		Request:       req,
	}
	if req.Method == http.MethodHead {
		resp.Body = http.NoBody
	}
	return resp
}

// heldBody is an OData v4 error (ARM, "Error Response Content") that tells
// apart our own answer from the service's.
func heldBody(seconds int64) []byte {
	type detail struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	body, _ := json.Marshal(struct { // strings only: it cannot fail
		Error detail `json:"error"`
	}{detail{
		Code: "ClientThrottleGate",
		Message: fmt.Sprintf("not sent: the service throttled requests like this one, "+
			"and this client's own throttle gate holds it for %d s", seconds),
	}})
	return body
}
