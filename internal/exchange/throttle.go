package exchange

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// MaxThrottle is the longest that a 429 holds back other requests with the same key.
const MaxThrottle = time.Minute

// A ThrottleKey identifies requests that ARM and its resource providers throttle together. Each
// combination of subscription and provider has separate limits for reads and for writes (ARM
// documentation, "Throttling").
type ThrottleKey struct {
	Host, Subscription, Provider string
	Write                        bool
}

// ThrottleKeyOf returns the key of a request. It ignores the case of the path, as ARM does ("Case
// Insensitivity for Requests"). If the path names several providers, the key has the last one,
// which handles the request.
func ThrottleKeyOf(method string, u *url.URL) ThrottleKey {
	bare := *u
	bare.User = nil
	host, err := OriginOf(&bare)
	if err != nil {
		host = LowerASCII(u.Host)
	}
	key := ThrottleKey{Host: host, Write: isWrite(method)}
	previous := ""
	for segment := range strings.SplitSeq(strings.ToLower(u.Path), "/") {
		switch previous {
		case "subscriptions":
			key.Subscription = cmp.Or(key.Subscription, segment)
		case "providers":
			key.Provider = cmp.Or(segment, key.Provider)
		}
		previous = segment
	}
	return key
}

// isWrite reports whether services count a request with this method as a write.
func isWrite(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return true
}
