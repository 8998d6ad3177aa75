package transport

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"time"
)

// Options configure a [Transport]. The zero Options, and nil, mean the defaults. They are
// copied.
type Options struct {
	// Base sends the attempts; it must obey their contexts. Nil means a base shared by all
	// Transports without one. It copies the settings of http.DefaultTransport (TLS, proxies)
	// on first use, opens about 400 connections to an HTTP/1 host and far fewer to an HTTP/2
	// host, and accepts response headers up to 1 MiB. If the program has replaced
	// http.DefaultTransport by another type, that is used unchanged, without these limits.
	Base http.RoundTripper

	// Retries is how many attempts may follow the first. 0 means 3, a negative number none.
	Retries int

	// Policy reports whether to retry after a response, or after err if none came. It must
	// not change req. It is not asked if another attempt is impossible: the context has
	// ended, or a credential could not be obtained. Nil means [DefaultPolicy].
	Policy func(req *http.Request, resp *http.Response, err error) bool

	// MinDelay and MaxDelay bound the pause between attempts unless the service asks for
	// one. 0 means 1 s and 30 s. The nth pause, counted from zero, is chosen at random
	// between MinDelay·2ⁿ and MinDelay·2ⁿ⁺¹.
	MinDelay, MaxDelay time.Duration

	// MaxRetryAfter is the longest pause that is slept because the service asked for it. A
	// response that asks for more is returned at once. 0 means 60 s; with a negative value
	// every response that asks for a pause is returned.
	MaxRetryAfter time.Duration

	// HeaderTimeout limits how long an attempt waits for the response headers, including the
	// wait for a connection. It does not limit the body. 0 means 60 s, the time that ARM gives
	// a resource provider ("Client Request Timeout"); a negative value means no limit. It also
	// limits each call to Token.
	HeaderTimeout time.Duration

	// UserAgent names the program in the User-Agent header, for example "myctl/1.4". It is
	// put in front of "lro-go/VERSION (GOOS; GOARCH; GOVERSION)". A request that has a
	// User-Agent header keeps its own.
	UserAgent string

	// Token returns a bearer token for an origin. The Transport caches one token for each
	// origin and refreshes it when a tenth of its lifetime is left, or 5 minutes if that is
	// less, so the function need not cache: it returns a new token each time. With an empty
	// Token, requests have no Authorization header. A token is never sent over plain http,
	// except to a loopback address; such a request fails.
	//
	// A 401 drops the token, and the request is repeated once with a new one, in addition to
	// Retries. If the 401 demands claims (continuous access evaluation), the next call
	// gets them. At most one call runs for each origin and claims, however many requests
	// wait for it. While a call renews a token that has not expired, only the request that
	// started the call waits. An error ends the exchange, unless the old token still serves.
	//
	// The context of a call to Token has the values of the first request that waits for it. It ends
	// when the last waiting request leaves, or after HeaderTimeout. A call that ignores its
	// context may outlive all requests.
	Token func(ctx context.Context, r TokenRequest) (Token, error)

	// Authorize is called for each attempt, after Token, with a request that it may change.
	// An error ends the exchange.
	Authorize func(*http.Request) error

	// Origins are further origins, such as "https://management.azure.com", that a redirect
	// may lead to. Invalid ones match nothing.
	Origins []string

	// FollowWrites lets a 307 or 308 move a request other than GET and HEAD to any path of an
	// allowed origin; see [CheckRedirect]. Set it only if you trust the service to choose what
	// is written: a DELETE of one resource may then delete another.
	FollowWrites bool

	// NoThrottleGate disables the throttle gate.
	NoThrottleGate bool

	// Logger receives a debug record of each attempt. Nil means none.
	Logger *slog.Logger
}

// resolved returns a copy of o with the defaults filled in.
func (o *Options) resolved() Options {
	var r Options
	if o != nil {
		r = *o
	}
	if r.Base == nil {
		r.Base = defaultBase()
	}
	if r.Policy == nil {
		r.Policy = DefaultPolicy
	}
	r.Logger = cmp.Or(r.Logger, slog.New(slog.DiscardHandler))
	r.Origins = slices.Clone(r.Origins)
	r.Retries = max(cmp.Or(r.Retries, 3), 0)
	r.MaxDelay = cmp.Or(max(r.MaxDelay, 0), 30*time.Second)
	r.MinDelay = min(cmp.Or(max(r.MinDelay, 0), time.Second), r.MaxDelay)
	r.MaxRetryAfter = cmp.Or(r.MaxRetryAfter, time.Minute)
	if r.HeaderTimeout = cmp.Or(r.HeaderTimeout, time.Minute); r.HeaderTimeout < 0 {
		r.HeaderTimeout = math.MaxInt64
	}
	return r
}
