package transport

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Options configure a [Transport]. The zero Options, and nil, mean the
// defaults. They are copied: changing them later changes nothing.
type Options struct {
	// Base sends the attempts; it must heed their contexts. Nil means a clone
	// of http.DefaultTransport, shared by all Transports without a Base, that
	// keeps enough idle connections for a fleet of operations on one host, and
	// takes response headers of 1 MiB at most.
	Base http.RoundTripper

	// Retries is how many attempts may follow the first. 0 means 3, a negative
	// number none.
	Retries int

	// Policy says whether to try again after an answer, or after err where
	// none came. It must not change req and may not be asked at all: an ended
	// context and a failing credential always end the exchange. Nil means
	// [DefaultPolicy].
	Policy func(req *http.Request, resp *http.Response, err error) bool

	// MinDelay and MaxDelay bound the pause between attempts where the service
	// asks for none. 0 means 1 s and 30 s. The nth pause, counted from zero, is
	// drawn between MinDelay·2ⁿ and MinDelay·2ⁿ⁺¹.
	MinDelay, MaxDelay time.Duration

	// MaxRetryAfter is the longest pause that is slept because the service asked
	// for it; a response that asks for more is handed up at once. 0 means 60 s,
	// a negative value that every pause is handed up.
	MaxRetryAfter time.Duration

	// HeaderTimeout is the time that an attempt has until its response headers
	// are here; reading the body is not limited. 0 means 60 s, the time that
	// ARM gives a resource provider ("Client Request Timeout"). A negative
	// value means no limit. It bounds a call of Token too.
	HeaderTimeout time.Duration

	// Token returns a bearer token and when it expires; the zero time means
	// not before the service refuses it. The token is kept and asked for
	// again when a tenth of its time, 5 minutes at most, is left, once however
	// many requests need it. A 401 drops it, and the request is sent once more
	// beside the Retries. An error ends the exchange, unless a token is at hand
	// that has not expired yet. The context is not the request's: it has its
	// values, and ends when nobody waits for the token any more.
	Token func(ctx context.Context) (value string, expires time.Time, err error)

	// Authorize is called for every attempt, after Token, on a request of its
	// own that it may change. An error ends the exchange.
	Authorize func(*http.Request) error

	// Origins are further origins, such as "https://management.azure.com", that
	// a redirect may lead to. One that is not an origin matches nothing.
	Origins []string

	// NoThrottleGate lets requests through whatever the service answered to others.
	NoThrottleGate bool

	// Logger gets a debug record of each attempt. Nil means none.
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
	if r.Logger == nil {
		r.Logger = slog.New(slog.DiscardHandler)
	}
	r.Retries = max(defaultTo(r.Retries, 3), 0)
	r.MaxDelay = positiveOr(r.MaxDelay, 30*time.Second)
	r.MinDelay = min(positiveOr(r.MinDelay, time.Second), r.MaxDelay)
	r.MaxRetryAfter = defaultTo(r.MaxRetryAfter, time.Minute)
	r.HeaderTimeout = defaultTo(r.HeaderTimeout, time.Minute)
	return r
}

func defaultTo[T int | time.Duration](v, unset T) T {
	if v == 0 {
		return unset
	}
	return v
}

func positiveOr(d, unset time.Duration) time.Duration {
	if d <= 0 {
		return unset
	}
	return d
}

// defaultBase is made once, so that all Transports without a Base share its
// connections, as clients of http.DefaultTransport do.
var defaultBase = sync.OnceValue(func() http.RoundTripper {
	std, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // replaced by the program, which will know why
		return http.DefaultTransport
	}
	base := std.Clone()
	// net/http keeps 2 a host: a fleet would dial anew for each poll.
	base.MaxIdleConns, base.MaxIdleConnsPerHost = 128, 128
	// net/http takes 10 MiB: a fleet would hold that for each read under way.
	base.MaxResponseHeaderBytes = 1 << 20
	return base
})
