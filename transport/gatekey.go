package transport

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/internal/failure"
	"github.com/lro-go/lro/internal/origin"
)

// A gateKey is what ARM and its resource providers throttle by: reads and writes are counted
// separately, for each subscription and provider.
type gateKey struct {
	host, subscription, provider string
	write                        bool
}

// gateKeyOf returns the key of a request. ARM compares paths without case ("Case
// Insensitivity for Requests"). If the path has several providers, the last one answers: it
// extends the resource of the others.
func gateKeyOf(req *http.Request) gateKey {
	key := gateKey{host: origin.Lower(req.URL.Host), write: true}
	if home, err := origin.Of(bare(req.URL)); err == nil {
		key.host = home
	}
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

// heldResponse returns the response to a request that the gate does not let through. Its
// body is an OData v4 error (ARM, "Error Response Content") with a code of its own, so that
// callers can distinguish it from the service's.
func heldResponse(req *http.Request, held time.Duration) *http.Response {
	seconds := int64((held + time.Second - 1) / time.Second)
	body := fmt.Sprintf(`{"error":{"code":"ClientThrottleGate","message":"not sent: the service throttled requests `+
		`like this one, so this client holds them back for %d s"}}`, seconds)
	text := fmt.Sprintf("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: %d\r\n"+
		"Content-Length: %d\r\n\r\n%s", seconds, len(body), body)
	resp, _ := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), req) // always valid
	return resp
}
