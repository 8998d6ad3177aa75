package transport

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/lro-go/lro/internal/redact"
)

// Options configures a [Transport]. Nil and the zero value both select the defaults. [New] copies
// the Options.
type Options struct {
	// Base sends the attempts, and must obey their contexts. By default, a Transport uses a base
	// that it shares with all other Transports without a Base. The shared base copies the settings
	// of http.DefaultTransport (TLS, proxies) on first use. It keeps separate connections for reads
	// (GET and HEAD) and writes, so that a write never waits behind reads. It opens at most 1,024
	// connections to an HTTP/1 host for reads, as many as a poller.Group uses, and 400 for writes.
	// It opens far fewer to an HTTP/2 host, and closes them if the host is silent for 15 s and then
	// does not answer a ping within 15 s. It accepts up to 1 MiB of response headers. If the
	// program has replaced http.DefaultTransport with a value of another type, the Transport uses
	// that value unchanged, without these limits.
	Base http.RoundTripper

	// Retries is the maximum number of attempts after the first; 3 by default. In all options of
	// this module, 0 means the default. A negative limit means no limit, except for MaxRetryAfter,
	// and a negative count or pause means zero.
	Retries int

	// Policy reports whether to retry after a response, or after err if no response came. It must
	// not change req. The Transport does not call Policy if it cannot retry anyway, for example
	// because the context has ended, no retries are left, or it could not obtain a credential. If
	// the attempt was not sent, err matches ErrNotSent of package github.com/lro-go/lro/errors.
	// [DefaultPolicy] by default.
	Policy func(req *http.Request, resp *http.Response, err error) bool

	// MinDelay is the shortest pause between attempts if the service does not ask for one. The nth
	// pause, counted from zero, is a random duration between MinDelay·2ⁿ and MinDelay·2ⁿ⁺¹. If
	// MinDelay·2ⁿ⁺¹ exceeds MaxDelay, the pause is between half of MaxDelay and MaxDelay. 1 s by
	// default, or MaxDelay if that is smaller.
	MinDelay time.Duration

	MaxDelay time.Duration // the longest pause between attempts if the service does not ask for one; 30 s by default

	// MaxRetryAfter limits the pauses that the service asks for. If a response asks for a longer
	// pause, the Transport returns it right away. 1 min by default. If MaxRetryAfter is negative,
	// the Transport returns every response that asks for a pause.
	MaxRetryAfter time.Duration

	// HeaderTimeout limits how long an attempt waits for the response headers once it has a
	// connection. The wait for a connection, including the dial and the TLS handshake, has a
	// separate limit of the same length. An attempt that gets no connection in time was not sent.
	// If Base does not report the events of net/http/httptrace, a single limit covers both waits.
	// HeaderTimeout also limits each call to Token, but not how long reading the body takes. 1 min
	// by default, the time that ARM gives a resource provider ("Client Request Timeout").
	HeaderTimeout time.Duration

	// UserAgent names the program in the User-Agent header, for example "myctl/1.4"; none by
	// default. The Transport appends "lro-go/VERSION (GOOS; GOARCH; GOVERSION)". A request that
	// already has a User-Agent header keeps it. The Transport also adds an x-ms-client-request-id
	// to a request that has none. All attempts of a request share this ID, and polls repeat the ID
	// of the request that started the operation.
	UserAgent string

	// Token returns a bearer token for an origin; none by default. The Transport caches one token
	// per origin, and refreshes it when a tenth of its lifetime is left, or 5 minutes if that is
	// less. So Token need not cache anything and should return a new token each time. If requests
	// to an origin must not have an Authorization header, for example because their URLs are
	// signed, return an empty [Token]. The Transport never sends a token over plain http, except to
	// a loopback address: a request that would send one to any other address fails.
	//
	// After a 401, the Transport discards the token and repeats the request once with a new one, in
	// addition to Retries. If the 401 demands claims (continuous access evaluation), they are
	// passed to the next call to Token. At most one call runs at a time for each combination of
	// origin and claims, however many requests wait for it. While a call renews a token that has
	// not expired, only the request that started the call waits. If a call fails, so do the
	// requests that waited for it, unless the old token is still valid.
	//
	// After a failure, the Transport waits for 1 s before it calls Token again for the same origin
	// and claims. This pause doubles with each further failure, up to 1 min, and starts over once a
	// call succeeds. A request that needs a token during the pause fails right away with an error
	// that wraps the last one. So once Token works again, requests succeed after a minute at the
	// latest. A call that ends because no request is waiting any longer is not a failure.
	//
	// A call's context has the values of the first waiting request's context. It ends when no
	// request is waiting any longer, or after HeaderTimeout. A call that ignores its context may
	// outlive all requests. No other goroutine of a Transport outlives the RoundTrip that started
	// it.
	Token func(ctx context.Context, r TokenRequest) (Token, error)

	// Authorize may modify a request to add a credential. The Transport calls it for each
	// attempt, after Token. An error ends the exchange. None by default.
	Authorize func(*http.Request) error

	// Origins lists further origins, such as "https://management.azure.com", that a redirect may
	// lead to; none by default. Pollers and pagers add their own Origins to the list, so set it
	// only for other requests. Invalid entries match nothing.
	Origins []string

	// FollowWrites lets a 307 or 308 move a request other than GET and HEAD to any path of an
	// allowed origin; see [CheckRedirect]. Set it only if you trust the service to choose what to
	// write: a DELETE of one resource may then delete another.
	FollowWrites bool

	// NoThrottleGate disables the throttle gate, which holds back requests that the service would
	// throttle.
	//
	// A 429 closes the gate for the request's key: its host, subscription, provider namespace and
	// kind (read or write). The gate stays closed for as long as Retry-After asks, but for at most
	// a minute. Without Retry-After, the pause is MinDelay, and doubles up to MaxDelay if more 429s
	// follow. After the pause, requests with the same key start one by one, in order of arrival.
	// Each answer doubles their pace until the service refuses another request. From then on, the
	// pace rises slowly, and a 429 after an answer cuts it by at least 5%. In this way, processes
	// share a limit without knowing about each other. The Transport removes the gate after a few
	// minutes without a 429.
	//
	// The gate itself returns a 429, with the error code ClientThrottleGate, if a request is not
	// allowed to wait until its turn, or has already waited at the gate for MaxRetryAfter times
	// Retries (or for MaxRetryAfter, without retries). Such a request is not sent.
	NoThrottleGate bool

	Logger *slog.Logger // receives a debug record of each attempt; none by default
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
	r.MaxDelay = limitOf(r.MaxDelay, 30*time.Second)
	r.MinDelay = min(max(cmp.Or(r.MinDelay, time.Second), 0), r.MaxDelay)
	r.MaxRetryAfter = cmp.Or(r.MaxRetryAfter, time.Minute)
	r.HeaderTimeout = limitOf(r.HeaderTimeout, time.Minute)
	return r
}

// limitOf returns the limit that the option value d sets: d itself if it is positive, def if it is
// 0, and no limit if it is negative.
func limitOf(d, def time.Duration) time.Duration {
	if d < 0 {
		return math.MaxInt64 / 2 // half, because MaxInt64 overflows when it is converted to a float64 and back
	}
	return cmp.Or(d, def)
}

// String describes the options. It prints only the type of Base, because Base may be a struct that
// holds a credential.
func (o Options) String() string {
	return fmt.Sprintf("{Base:%T Retries:%d MinDelay:%s MaxDelay:%s MaxRetryAfter:%s HeaderTimeout:%s UserAgent:%q Token:%t Authorize:%t Origins:%v FollowWrites:%t NoThrottleGate:%t}",
		o.Base, o.Retries, o.MinDelay, o.MaxDelay, o.MaxRetryAfter, o.HeaderTimeout, redact.Text(o.UserAgent), o.Token != nil, o.Authorize != nil,
		redact.RawURLs(o.Origins), o.FollowWrites, o.NoThrottleGate)
}

// GoString quotes the text of String, because %#v would otherwise print o.Base, which may hold a
// credential.
func (o Options) GoString() string { return fmt.Sprintf("transport.Options(%q)", o.String()) }
