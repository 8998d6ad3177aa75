package transport

import (
	"context"
	"errors"
	"net/http"
	"net/url"
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
	Claims string // the claims that the service requires, as JSON that has been decoded from base64; usually empty
}

// A Token is a bearer token.
type Token struct {
	Value   string    `json:"-"` // if it is empty, the Transport adds no Authorization header to requests to this origin
	Expires time.Time // if it is zero, the token is valid until the service rejects it
}

// A token is renewed no earlier than tokenMargin before it expires.
const tokenMargin = 5 * time.Minute

// tokens caches one bearer token for each origin. However many requests need a token, a single
// call fetches it.
type tokens struct {
	fetch func(context.Context, TokenRequest) (Token, error)
	limit time.Duration // the time limit of one fetch
	calls singleflight.Group

	mu      sync.Mutex
	origins map[string]credential
	flights map[TokenRequest]*flight
}

// A credential holds the token for one origin, if there is one, and the claims for the next
// token.
type credential struct {
	token  Token
	known  bool      // the token has been fetched and has not been rejected
	renew  time.Time // when to fetch the next token; zero means never
	claims string    // the claims that the service requires in the next token
}

// A flight is a fetch in progress. Its context ends when no caller is waiting for it any longer.
type flight struct {
	request TokenRequest
	ctx     context.Context
	cancel  context.CancelFunc
	waiting int
}

// A landing is the outcome of a fetch.
type landing struct {
	flight   *flight
	token    Token
	err      error
	panicked any
}

// get returns the token for req. If a new one cannot be fetched, get returns the old one until it
// expires. If fetch panics, get panics in every caller that waits for the token.
func (ts *tokens) get(req *http.Request) (string, error) {
	home, err := exchange.OriginOf(bare(req.URL))
	if err != nil {
		return "", err
	}
	for {
		c, f, result := ts.join(req.Context(), home)
		if f == nil {
			return c.token.sendable(req.URL)
		}
		l, err := ts.wait(req.Context(), f, result)
		switch {
		case err != nil:
			return "", err
		case l.panicked != nil:
			panic(l.panicked)
		case l.err == nil:
			return l.token.sendable(req.URL)
		case l.flight == f:
			return "", l.err
		} // otherwise, an older fetch failed after all its callers had stopped waiting: try again
	}
}

// sendable returns the value of the token, or an error if the token would be sent over plain http
// to another machine.
func (t Token) sendable(u *url.URL) (string, error) {
	if t.Value == "" || exchange.LowerASCII(u.Scheme) == "https" || exchange.IsLoopback(u) {
		return t.Value, nil
	}
	return "", errors.New("a bearer token is not sent over plain http: use https, or return an empty Token for this origin")
}

// join returns the credential for an origin. Unless its token is fresh, join also starts a fetch,
// or joins the one in progress. The context of a fetch has the values of the first caller's
// context, but does not end with that context, because other callers may be waiting for the
// token.
func (ts *tokens) join(ctx context.Context, home string) (credential, *flight, <-chan singleflight.Result) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	c := ts.origins[home]
	r := TokenRequest{Origin: home, Claims: c.claims}
	f := ts.flights[r]
	if c.known && (before(c.renew) || f != nil && before(c.token.Expires)) { // while one caller renews a token early, the others use the old one
		return c, nil, nil
	}
	if f == nil {
		f = &flight{request: r}
		all := exchange.WithSettings(context.WithoutCancel(ctx), *exchange.SettingsOf(context.Background())) // the settings of one caller must not affect the others
		f.ctx, f.cancel = context.WithTimeoutCause(all, ts.limit, &exchange.TimeoutError{What: "no token", Limit: ts.limit, Option: "HeaderTimeout"})
		ts.flights[r] = f
	}
	f.waiting++
	return c, f, ts.calls.DoChan(r.Origin+" "+r.Claims, func() (any, error) { return ts.renew(f), nil })
}

// wait waits for a fetch. The last caller that stops waiting ends the context of the fetch.
func (ts *tokens) wait(ctx context.Context, f *flight, result <-chan singleflight.Result) (l landing, err error) {
	select {
	case <-ctx.Done():
		err = redact.RequestError(ctx, nil)
	case <-f.ctx.Done(): // fetch may ignore its context
		l = landing{flight: f, err: context.Cause(f.ctx)}
	case r := <-result:
		l = r.Val.(landing)
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		ts.forget(f)
	}
	if c := ts.origins[f.request.Origin]; err == nil && l.err != nil && c.known && before(c.token.Expires) {
		l.token, l.err = c.token, nil
	}
	return l, err
}

func (ts *tokens) forget(f *flight) {
	if ts.flights[f.request] == f {
		delete(ts.flights, f.request)
	}
}

// renew fetches a token and caches it.
func (ts *tokens) renew(f *flight) landing {
	l := ts.call(f)
	if l.err == nil {
		l.err = l.token.check()
	} else if f.ctx.Err() != nil { // the error may look like the caller's deadline, but it is due to the context of the fetch
		l.err = context.Cause(f.ctx)
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.forget(f) // the next fetch needs a flight of its own, with its own time limit
	c := ts.origins[f.request.Origin]
	switch {
	case c.claims != f.request.Claims || l.panicked != nil: // nothing to cache: the service now requires other claims, or fetch panicked
	case l.err == nil:
		c = credential{token: l.token, known: true}
		// If Expires is zero (the token does not expire), renew is zero too.
		c.renew = l.token.Expires.Add(-min(max(time.Until(l.token.Expires), 0)/10, tokenMargin))
	case f.ctx.Err() == nil:
		c.claims = "" // if the claims still matter, the service will demand them again
	}
	ts.origins[f.request.Origin] = c
	return l
}

// call calls fetch in a goroutine of its own. In singleflight's goroutine, a panic would crash
// the program, and runtime.Goexit would leave the callers waiting forever.
func (ts *tokens) call(f *flight) (l landing) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		l = landing{flight: f, err: errors.New("Token called runtime.Goexit")}
		defer func() { l.panicked = recover() }()
		l.token, l.err = ts.fetch(f.ctx, f.request)
	}()
	<-done
	return l
}

// check rejects a token that is not allowed in a header. For example, a token that was read from a
// file may end with a newline.
func (t Token) check() error {
	if strings.ContainsFunc(t.Value, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return errors.New("the token contains a character that is not allowed in a header")
	}
	return nil
}

// reject forgets the token that the service rejected, unless a newer one has replaced it. claims
// are the claims that the service requires in the next token.
func (ts *tokens) reject(req *http.Request, value, claims string) {
	home, _ := exchange.OriginOf(bare(req.URL)) // cannot fail, because get has succeeded for this URL
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if c := ts.origins[home]; c.known && c.token.Value == value {
		ts.origins[home] = credential{claims: claims}
	}
}

func before(t time.Time) bool { return t.IsZero() || time.Now().Before(t) }
