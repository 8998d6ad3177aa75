package wire

import (
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/lro-go/lro/transport"
)

// defaultTransport is one for all pollers and pagers without a client, so that
// they share connections and the throttle gate.
var defaultTransport = sync.OnceValue(func() *transport.Transport { return transport.New(nil) })

// OrDefault returns the Doer of callers that name none, or name a nil
// *http.Client. Its redirects are left to Guard.
func OrDefault(client Doer) Doer {
	if hc, ok := client.(*http.Client); client != nil && (!ok || hc != nil) {
		return client
	}
	return &http.Client{Transport: defaultTransport()}
}

// Guard gives a *http.Client a redirect policy that stays within the origins,
// for net/http's own follows a redirect anywhere. The caller's policy still has
// its say. Another Doer's redirects are its own affair.
func Guard(client Doer, origins Origins) Doer {
	return guard(client, transport.CheckRedirect(origins.List()...))
}

// GuardMarked is Guard for requests whose context is marked with their origins. It
// makes next to nothing, for one who guards a hundred thousand times.
func GuardMarked(client Doer) Doer { return guard(client, stayAtHome) }

func guard(client Doer, ours func(*http.Request, []*http.Request) error) Doer {
	hc, ok := client.(*http.Client)
	if !ok {
		return client
	}
	guarded := *hc
	guarded.CheckRedirect = ours
	if theirs := hc.CheckRedirect; theirs != nil {
		guarded.CheckRedirect = func(req *http.Request, via []*http.Request) error {
			if err := ours(req, via); err != nil {
				return err
			}
			return theirs(req, via)
		}
	}
	return &guarded
}

// stayAtHome allows the origins that the context is marked with.
var stayAtHome = transport.CheckRedirect()

// TravellingNames are the headers of the first request that every later one
// repeats: the ids by which a service joins requests, and the language of its
// messages (resource provider API v2.0, "Client Request Headers"; IBM Cloud's
// X-Correlation-Id).
var TravellingNames = []string{"X-Ms-Client-Request-Id", "X-Ms-Correlation-Request-Id", "X-Correlation-Id", "Accept-Language"}

// Travelling returns those of the first request's headers that every later
// request repeats. No credential is among them.
func Travelling(h http.Header) http.Header {
	var kept http.Header
	for _, name := range TravellingNames {
		if v := First(h, name); v != "" && IsHeaderValue(v) {
			if kept == nil {
				kept = http.Header{}
			}
			kept.Set(name, v)
		}
	}
	return kept
}

// IsHeaderValue reports whether s can be sent and stored as the value of a header.
func IsHeaderValue(s string) bool {
	return len(s) <= 8<<10 && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' || r == 0x7f
	})
}

// JSON is the media type of whatever we ask for, and send.
const JSON = "application/json"

// AddHeaders sets all of what h holds.
func AddHeaders(to, h http.Header) {
	for name, values := range h {
		to[http.CanonicalHeaderKey(name)] = values
	}
}

// AddMissing adds what h holds and to does not name.
func AddMissing(to, h http.Header) {
	for name, values := range h {
		if _, theirs := to[http.CanonicalHeaderKey(name)]; !theirs {
			to[http.CanonicalHeaderKey(name)] = values
		}
	}
}
