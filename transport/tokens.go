package transport

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
)

// A TokenRequest describes the token to fetch.
type TokenRequest struct {
	Origin string // the only origin that receives the token, in the form that [Origin] returns
	Claims string // the claims that the service requires, as JSON decoded from base64; usually empty
}

// A Token is a bearer token.
type Token struct {
	Value   string    `json:"-"` // if empty, the Transport adds no Authorization header to requests to the TokenRequest's origin
	Expires time.Time // if zero, the token is valid until the service rejects it
}

// String describes the token without revealing its value.
func (t Token) String() string { return fmt.Sprintf("token of %d bytes", len(t.Value)) }

// GoString keeps %#v from printing the token's value.
func (t Token) GoString() string { return fmt.Sprintf("transport.Token(%q)", t.String()) }

// String describes the request without revealing its claims.
func (r TokenRequest) String() string {
	return fmt.Sprintf("token for %s (claims: %t)", redact.RawURL(r.Origin), r.Claims != "")
}

// check returns an error if the token contains a character that is not visible ASCII, for example
// the newline at the end of a token file.
func (t Token) check() error {
	isForbidden := func(c rune) bool { return c <= ' ' || c > '~' }
	if strings.ContainsFunc(t.Value, isForbidden) {
		return errors.New("the token contains a character that is not allowed in a header")
	}
	return nil
}

// sendable returns the token's value, or an error if the token would be sent over plain http to
// another machine.
func (t Token) sendable(u *url.URL) (string, error) {
	if t.Value == "" || exchange.LowerASCII(u.Scheme) == "https" || exchange.IsLoopback(u) {
		return t.Value, nil
	}
	return "", errors.New("a bearer token is not sent over plain http: use https, or return an empty Token for this origin")
}

// tokenMargin is how long before its expiry a token is due for renewal. A token with a short
// lifetime is due when a tenth of its lifetime is left.
const tokenMargin = 5 * time.Minute

// tokens caches one bearer token per origin. A single call fetches a token, however many requests
// need it.
type tokens struct {
	fetch func(context.Context, TokenRequest) (Token, error)
	limit time.Duration // the time limit for each fetch
	calls singleflight.Group

	mu       sync.Mutex
	origins  map[string]credential
	flights  map[TokenRequest]*flight
	failures tokenFailures
}

func newTokens(fetch func(context.Context, TokenRequest) (Token, error), limit time.Duration) *tokens {
	return &tokens{
		fetch:    fetch,
		limit:    limit,
		origins:  map[string]credential{},
		flights:  map[TokenRequest]*flight{},
		failures: tokenFailures{},
	}
}

// A credential holds an origin's token, if there is one, and the claims for the next token.
type credential struct {
	token  Token
	known  bool      // the token has been fetched and not rejected
	renew  time.Time // when to fetch the next token; zero means never
	claims string    // the claims that the service requires in the next token
}

// newCredential returns the credential for a newly fetched token.
func newCredential(t Token) credential {
	lifetime := max(time.Until(t.Expires), 0)
	margin := min(lifetime/10, tokenMargin)
	return credential{token: t, known: true, renew: t.Expires.Add(-margin)} // zero if Expires is zero
}

// isFresh reports whether there is a token that is not yet due for renewal.
func (c credential) isFresh() bool { return c.known && before(c.renew) }

// isValid reports whether there is a token that has not expired.
func (c credential) isValid() bool { return c.known && before(c.token.Expires) }

// before reports whether t is in the future or zero.
func before(t time.Time) bool { return t.IsZero() || time.Now().Before(t) }

// A flight is a fetch in progress. Its context ends after the time limit, or when no caller is
// waiting anymore.
type flight struct {
	request TokenRequest
	ctx     context.Context
	cancel  context.CancelFunc
	waiting int
}

// newFlight returns a flight for r. Its context has the values of ctx but does not end with ctx,
// because other callers may be waiting for the token.
func newFlight(ctx context.Context, r TokenRequest, limit time.Duration) *flight {
	defaults := *exchange.SettingsOf(context.Background()) // one caller's settings must not affect the others
	ctx = exchange.WithSettings(context.WithoutCancel(ctx), defaults)
	late := &exchange.TimeoutError{What: "no token", Limit: limit, Option: "HeaderTimeout"}
	f := &flight{request: r}
	f.ctx, f.cancel = context.WithTimeoutCause(ctx, limit, late)
	return f
}

// An outcome is the result of a flight.
type outcome struct {
	flight   *flight
	token    Token
	err      error
	panicked any
}

// get returns the token for a request to u. It waits for the token, but at most until ctx ends. If
// the fetch fails, get returns the old token if that is still valid, and the error otherwise.
// During the pause after a failed fetch, get does the same without a new fetch. If fetch panics,
// get panics in every caller that waits for the token.
func (ts *tokens) get(ctx context.Context, u *url.URL) (string, error) {
	origin, err := exchange.OriginOf(bare(u))
	if err != nil {
		return "", err
	}

	for {
		c, f, result, err := ts.join(ctx, origin)
		if err != nil {
			return "", err
		}
		if f == nil {
			return c.token.sendable(u)
		}

		o, err := ts.wait(ctx, f, result)
		if err != nil {
			return "", err
		}
		if o.panicked != nil {
			panic(o.panicked)
		}
		if o.err == nil {
			return o.token.sendable(u)
		}
		if o.flight == f {
			return "", o.err
		}
		// The error comes from an older fetch that was canceled, so try again.
	}
}

// join returns an origin's credential if its token is fresh. Otherwise, join starts a fetch and
// returns it, unless a fetch is already in progress or has just failed. In these two cases, join
// returns the credential if the old token is still valid. If not, it returns the fetch in progress
// or the error of the failed fetch.
func (ts *tokens) join(ctx context.Context, origin string) (credential, *flight, <-chan singleflight.Result, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()

	c := ts.origins[origin]
	if c.isFresh() {
		return c, nil, nil, nil
	}
	r := TokenRequest{Origin: origin, Claims: c.claims}
	f := ts.flights[r]
	failed := ts.failures.during(r)
	mustNotFetch := f != nil || failed != nil
	if mustNotFetch && c.isValid() { // use the old token during another caller's fetch, or during the pause after a failed one
		return c, nil, nil, nil
	}
	if failed != nil {
		return c, nil, nil, failed
	}

	if f == nil {
		f = newFlight(ctx, r, ts.limit)
		ts.flights[r] = f
	}
	f.waiting++
	result := ts.calls.DoChan(r.Origin+" "+r.Claims, func() (any, error) { return ts.renew(f), nil })
	return c, f, result, nil
}

// wait returns the outcome of a fetch, or an error if ctx ends first. The last caller to stop
// waiting cancels the fetch. If the fetch fails while the old token is still valid, the outcome
// contains the old token.
func (ts *tokens) wait(ctx context.Context, f *flight, result <-chan singleflight.Result) (o outcome, err error) {
	select {
	case <-ctx.Done():
		err = redact.RequestError(ctx, nil)
	case <-f.ctx.Done(): // fetch may ignore its context
		o = outcome{flight: f, err: context.Cause(f.ctx)}
	case r := <-result:
		o = r.Val.(outcome)
	}

	ts.mu.Lock()
	defer ts.mu.Unlock()
	f.waiting--
	if f.waiting == 0 {
		f.cancel()
		ts.forget(f)
	}

	if o.err != nil {
		c := ts.origins[f.request.Origin]
		if c.isValid() {
			o.token = c.token
			o.err = nil
		}
	}
	return o, err
}

// forget removes f from ts.flights, so that the next caller gets a new flight with its own time
// limit. If f's call is still running, the new flight waits for that call.
func (ts *tokens) forget(f *flight) {
	if ts.flights[f.request] == f {
		delete(ts.flights, f.request)
	}
}

// renew fetches a token and caches it.
func (ts *tokens) renew(f *flight) outcome {
	o := ts.call(f)
	if o.err == nil {
		o.err = o.token.check()
	} else if f.ctx.Err() != nil { // the fetch was canceled or timed out: report the cause
		o.err = context.Cause(f.ctx)
	}

	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.forget(f)
	ts.remember(o)
	origin := f.request.Origin
	c := ts.origins[origin]
	if o.panicked != nil || c.claims != f.request.Claims {
		return o // nothing to cache: fetch panicked, or the service now requires other claims
	}

	if o.err == nil {
		ts.origins[origin] = newCredential(o.token)
	} else if f.ctx.Err() == nil {
		c.claims = "" // if the service still requires these claims, it will demand them again
		ts.origins[origin] = c
	}
	return o
}

// remember records a failed fetch, so that the next one starts only after a pause. A success clears
// the record. remember ignores a fetch that panicked, or that failed after all callers had given
// up.
func (ts *tokens) remember(o outcome) {
	if o.panicked != nil {
		return
	}
	if o.err == nil {
		delete(ts.failures, o.flight.request)
		return
	}
	wasAbandoned := errors.Is(o.flight.ctx.Err(), context.Canceled)
	if !wasAbandoned {
		ts.failures.add(o.flight.request, o.err)
	}
}

// call runs fetch in its own goroutine. In singleflight's goroutine, a panic would crash the
// program, and runtime.Goexit would leave the callers waiting forever.
func (ts *tokens) call(f *flight) (o outcome) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		o = outcome{flight: f, err: errors.New("Token called runtime.Goexit")}
		defer func() { o.panicked = recover() }()
		o.token, o.err = ts.fetch(f.ctx, f.request)
	}()
	<-done
	return o
}

// reject drops the token that the service rejected with a 401, unless a newer one has replaced it.
// The next token will have the claims that the 401 requires.
func (ts *tokens) reject(req *http.Request, value string, unauthorized http.Header) {
	origin, _ := exchange.OriginOf(bare(req.URL)) // cannot fail, because tokens.get has succeeded for this URL
	claims := claimsOf(unauthorized)
	ts.mu.Lock()
	defer ts.mu.Unlock()

	c := ts.origins[origin]
	if c.known && c.token.Value == value {
		ts.origins[origin] = credential{claims: claims}
	}
}

// bearerClaims matches the claims parameter of a Bearer challenge, even after other parameters (RFC
// 9110, section 11.6.1). The claims are base64, so they contain no escapes.
var bearerClaims = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|,)[ \t]*bearer[ \t]+(?:[^\s=",]+[ \t]*=[ \t]*(?:"(?:[^"\\]|\\.)*"|[^\s",]+)[ \t]*,[ \t]*)*` +
		`claims[ \t]*=[ \t]*"([A-Za-z0-9+/_-]+)=*"`)
})

// claimsOf returns the claims that a 401 requires in the next token, as JSON, or "" if there are
// none (Microsoft identity platform, "Claims challenges").
func claimsOf(h http.Header) string {
	fromURLAlphabet := strings.NewReplacer("-", "+", "_", "/")
	for _, challenge := range h.Values("WWW-Authenticate") {
		for _, match := range bearerClaims().FindAllStringSubmatch(challenge, -1) {
			encoded := fromURLAlphabet.Replace(match[1])
			claims, err := base64.RawStdEncoding.DecodeString(encoded)
			if err == nil && json.Valid(claims) {
				return string(claims)
			}
		}
	}
	return ""
}
