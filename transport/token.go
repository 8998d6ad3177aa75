package transport

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// tokenMargin is how long before its expiry a token is renewed, at most.
const tokenMargin = 5 * time.Minute

// A tokenCache keeps one bearer token and renews it once however many ask.
type tokenCache struct {
	fetch func(context.Context) (string, time.Time, error)
	limit time.Duration // of one fetch; none if negative

	mu     sync.Mutex
	token  bearerToken
	flight *flight // that newcomers join; nil: none
	count  int     // flights so far
	group  singleflight.Group
}

type bearerToken struct {
	value   string    // empty: none
	renew   time.Time // when to fetch the next one; zero: never
	expires time.Time // zero: never
}

func (b bearerToken) fresh() bool  { return b.value != "" && before(b.renew) }
func (b bearerToken) usable() bool { return b.value != "" && before(b.expires) }

func before(t time.Time) bool { return t.IsZero() || time.Now().Before(t) }

// A flight is one call of fetch and those who wait for it.
type flight struct {
	ctx     context.Context
	cancel  context.CancelFunc
	key     string
	waiting int
}

// get returns the token at hand, or a new one. Where that cannot be had, the
// old one does as long as it lives. A panic of fetch goes on in each who waits for it.
func (c *tokenCache) get(ctx context.Context) (string, error) {
	c.mu.Lock()
	if c.token.fresh() {
		defer c.mu.Unlock()
		return c.token.value, nil
	}
	f, result := c.join(ctx)
	c.mu.Unlock()
	defer c.leave(f)

	select {
	case <-ctx.Done():
		return "", ended(ctx, nil)
	case r := <-result:
		if r.Err == nil {
			return r.Val.(string), nil
		}
		if p, ok := errors.AsType[*panicError](r.Err); ok {
			panic(p.value)
		}
		return c.fallback(r.Err)
	}
}

func (c *tokenCache) fallback(err error) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token.usable() {
		return c.token.value, nil
	}
	return "", err
}

// drop forgets value, unless a newer token has taken its place.
func (c *tokenCache) drop(value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token.value == value {
		c.token = bearerToken{}
	}
}

// join makes the caller one of those who wait for a flight, c.mu being held.
// The flight does not end with the context of who began it, but when the last
// one waiting leaves, so that it outlives no call. Each flight has a key of its
// own: nobody joins one that has been given up.
func (c *tokenCache) join(ctx context.Context) (*flight, <-chan singleflight.Result) {
	if c.flight == nil {
		c.count++
		c.flight = &flight{key: strconv.Itoa(c.count)}
		c.flight.ctx, c.flight.cancel = fetchContext(ctx, c.limit)
	}
	f := c.flight
	f.waiting++
	return f, c.group.DoChan(f.key, func() (any, error) { return c.renew(f) })
}

func (c *tokenCache) leave(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		c.land(f)
	}
}

// land lets newcomers begin another flight, c.mu being held. It reports whether
// f was the one they would have joined.
func (c *tokenCache) land(f *flight) bool {
	if c.flight != f {
		return false
	}
	c.flight = nil
	return true
}

// renew fetches a token and keeps it.
func (c *tokenCache) renew(f *flight) (string, error) {
	value, expires, err := c.call(f.ctx)
	if err == nil {
		err = checkToken(value)
	} else if _, panicked := errors.AsType[*panicError](err); !panicked && f.ctx.Err() != nil {
		// Not the caller's deadline, and not to be taken for it.
		err = &timeoutError{what: "no token", limit: c.limit}
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	current := c.land(f)
	if err != nil {
		return "", err
	}
	if current || !c.token.fresh() { // a flight that was given up may end after a later one
		c.token = bearerToken{value: value, expires: expires, renew: renewal(time.Now(), expires)}
	}
	return value, nil
}

// A panicError carries a panic of fetch to those who wait.
type panicError struct{ value any }

func (e *panicError) Error() string { return "the Token function panicked" }

// call calls fetch on a goroutine of its own, which it may end from within.
// singleflight makes of a panic the end of the program, which nobody could recover
// from, and of a goroutine that ends a wait without end.
func (c *tokenCache) call(ctx context.Context) (value string, expires time.Time, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = errors.New("the Token function ended its goroutine")
		defer func() {
			if p := recover(); p != nil {
				err = &panicError{p}
			}
		}()
		value, expires, err = c.fetch(ctx)
	}()
	<-done
	return value, expires, err
}

// renewal is when to renew a token that was fetched now. The zero time, never,
// stays zero.
func renewal(now, expires time.Time) time.Time {
	return expires.Add(-min(max(expires.Sub(now), 0)/10, tokenMargin))
}

// checkToken refuses what cannot stand in a header, such as the line end of the
// file that a token was read from: net/http would, once for each attempt.
func checkToken(value string) error {
	if value == "" {
		return errors.New("the token is empty")
	}
	for _, c := range []byte(value) {
		if c <= ' ' || c > '~' {
			return errors.New("the token holds a character that may not stand in a header")
		}
	}
	return nil
}

func fetchContext(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx = context.WithoutCancel(ctx)
	if limit < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}
