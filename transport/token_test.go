package transport_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

// static returns a Token function that always returns the same token, which never expires.
func static(value string) func(context.Context, transport.TokenRequest) (transport.Token, error) {
	return func(context.Context, transport.TokenRequest) (transport.Token, error) {
		return transport.Token{Value: value}, nil
	}
}

// A credential provides a Token function that returns the tokens t1, t2, and so on.
type credential struct {
	mu    sync.Mutex
	calls int
	life  time.Duration // if 0, the tokens do not expire
	takes time.Duration
	err   func(call int) error
}

func (c *credential) token(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
	c.mu.Lock()
	c.calls++
	call := c.calls
	c.mu.Unlock()
	select {
	case <-time.After(c.takes):
	case <-ctx.Done():
		return transport.Token{}, ctx.Err()
	}
	if c.err != nil && c.err(call) != nil {
		return transport.Token{}, c.err(call)
	}
	var expires time.Time
	if c.life != 0 {
		expires = time.Now().Add(c.life)
	}
	return transport.Token{Value: fmt.Sprintf("t%d", call), Expires: expires}, nil
}

func (c *credential) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

func (c *credential) transport(base http.RoundTripper) *transport.Transport {
	return transport.New(&transport.Options{Base: base, Token: c.token})
}

func TestTokenIsRenewedBeforeExpiry(t *testing.T) {
	tests := []struct{ life, kept time.Duration }{
		{time.Hour, 55 * time.Minute},
		{24 * time.Hour, 24*time.Hour - 5*time.Minute},
		{10 * time.Minute, 9 * time.Minute},
		{100 * time.Second, 90 * time.Second},
		{0, 1000 * time.Hour}, // the token does not expire
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			c, base := &credential{life: tt.life}, play(answer{status: 200})
			tr := c.transport(base)
			for _, pause := range []time.Duration{0, tt.kept - 1, 1} {
				time.Sleep(pause)
				_, err := get(t, t.Context(), tr, statuses)
				require.NoError(t, err)
			}
			last := "Bearer t2"
			if tt.life == 0 {
				last = "Bearer t1"
			}
			require.Equal(t, []string{"Bearer t1", "Bearer t1", last}, base.auth, "%s", tt.life)
		})
	}
}

func TestExpiredTokenIsUsedOnce(t *testing.T) {
	c, base := &credential{life: -time.Hour}, play(answer{status: 200})
	tr := c.transport(base)
	for range 2 {
		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"Bearer t1", "Bearer t2"}, base.auth)
}

func TestConcurrentRequestsFetchOneToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, base := &credential{takes: 3 * time.Second, life: time.Hour}, play(answer{status: 200})
		tr := c.transport(base)
		for range 50 {
			go func() {
				_, err := get(t, t.Context(), tr, statuses)
				assert.NoError(t, err)
			}()
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.Equal(t, 1, c.count())
		require.Len(t, base.auth, 50)
		require.Subset(t, []string{"Bearer t1"}, base.auth)

		time.Sleep(time.Hour) // until the token expires
		for range 50 {
			go func() { _, _ = get(t, t.Context(), tr, statuses) }()
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.Equal(t, 2, c.count())
	})
}

// If the request that started a call to Token gives up, the call continues for the other waiting
// requests.
func TestFetchOutlivesFirstWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, base := &credential{takes: 10 * time.Second}, play(answer{status: 200})
		tr := c.transport(base)
		first, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		go func() {
			_, err := get(t, first, tr, statuses)
			assert.ErrorIs(t, statusError(t, err), context.DeadlineExceeded)
			assert.Equal(t, 2*time.Second, time.Since(base.start), "a request waits no longer than its own context")
		}()
		synctest.Wait()
		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, []time.Duration{10 * time.Second}, base.at)
		require.Equal(t, 1, c.count())
	})
}

// When the last waiting request gives up, the Transport cancels the call to Token. Later requests
// do not get the error of the canceled call.
func TestFetchEndsWithLastWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended time.Duration
		start, calls := time.Now(), 0
		base := play(answer{status: 200})
		tr := transport.New(&transport.Options{Base: base, Token: func(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
			if calls++; calls > 1 {
				return transport.Token{Value: "t2"}, nil
			}
			<-ctx.Done()
			ended = time.Since(start)
			time.Sleep(10 * time.Second) // the canceled call returns late
			return transport.Token{}, ctx.Err()
		}})
		for _, limit := range []time.Duration{2 * time.Second, 4 * time.Second} {
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				_, err := get(t, ctx, tr, statuses)
				assert.ErrorIs(t, statusError(t, err), context.DeadlineExceeded)
				assert.Equal(t, limit, time.Since(start))
			}()
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		require.Equal(t, 4*time.Second, ended)
		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, []time.Duration{14 * time.Second}, base.at, "the second call must start after the first has returned")
	})
}

// If a Token function ignores its context, a later request uses the token of the abandoned call. It
// waits for that call if necessary, because at most one call runs at a time.
func TestTokenOfAbandonedFetch(t *testing.T) {
	tests := []struct {
		second bool
		want   string
	}{{false, "Bearer t1"}, {true, "Bearer t1"}}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			base := play(answer{status: 200})
			tr := transport.New(&transport.Options{Base: base, Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
				calls++
				value := fmt.Sprintf("t%d", calls)
				if calls == 1 {
					time.Sleep(10 * time.Second)
				}
				return transport.Token{Value: value}, nil
			}})
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			_, err := get(t, ctx, tr, statuses)
			require.ErrorIs(t, statusError(t, err), context.DeadlineExceeded)
			synctest.Wait()
			if tt.second {
				_, err = get(t, t.Context(), tr, statuses)
				require.NoError(t, err)
			}
			time.Sleep(20 * time.Second)
			synctest.Wait()
			_, err = get(t, t.Context(), tr, statuses)
			require.NoError(t, err)
			require.Equal(t, tt.want, base.auth[len(base.auth)-1])
		})
	}
}

// If the Token function panics, RoundTrip panics for all requests that wait for the token. A caller
// can recover, and the Transport calls the function again for the next request. If the function
// calls runtime.Goexit, the request fails.
func TestPanickingTokenFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, calls := play(answer{status: 200}), 0
		tr := transport.New(&transport.Options{Base: base, Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
			time.Sleep(time.Second)
			switch calls++; calls {
			case 1:
				panic("mine")
			case 2:
				runtime.Goexit() // as t.FailNow does
			}
			return transport.Token{Value: "t3"}, nil
		}})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				assert.PanicsWithValue(t, "mine", func() { _, _ = get(t, t.Context(), tr, statuses) })
			})
		}
		wg.Wait()
		_, err := get(t, t.Context(), tr, statuses)
		require.ErrorContains(t, statusError(t, err), "getting a token: Token called runtime.Goexit")
		time.Sleep(time.Second)
		_, err = get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, []string{"Bearer t3"}, base.auth)
	})
}

func TestFetchTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, base := &credential{takes: time.Hour}, play(answer{status: 200})
		_, err := get(t, t.Context(), c.transport(base), statuses)
		require.ErrorContains(t, statusError(t, err), "getting a token: no token within 1m0s")
		require.NotErrorIs(t, err, context.DeadlineExceeded, "the caller's context has not ended")
		require.Equal(t, time.Minute, time.Since(base.start))

		c = &credential{takes: time.Hour}
		_, err = get(t, t.Context(), transport.New(&transport.Options{Base: base, Token: c.token, HeaderTimeout: -1}), statuses)
		require.NoError(t, err)
	})
}

func TestFailingCredentialsAreNotRetried(t *testing.T) {
	refused := errors.New("AADSTS700016: no such application")
	wrapped := &url.Error{Op: "Post", URL: "https://login.test/token?client_secret=SECRET", Err: refused}
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 200})
		c := &credential{err: func(call int) error {
			if call == 1 {
				return wrapped
			}
			return nil
		}}
		tr := c.transport(base)
		_, err := get(t, t.Context(), tr, statuses)
		se := statusError(t, err)
		require.ErrorIs(t, se, refused)
		require.Zero(t, se.Attempts)
		require.NotContains(t, fmt.Sprintf("%v %+v", se, se.Err), "SECRET")
		require.Zero(t, base.sent())
		_, err = get(t, t.Context(), tr, statuses)
		require.ErrorIs(t, statusError(t, err), refused, "the Transport must remember the error for a second")
		require.NotContains(t, fmt.Sprintf("%v %+v", err, err), "SECRET")
		require.Equal(t, 1, c.count())
		time.Sleep(time.Second)
		_, err = get(t, t.Context(), tr, statuses)
		require.NoError(t, err)

		calls := 0
		tr = transport.New(&transport.Options{Base: base, Authorize: func(*http.Request) error { calls++; return refused }})
		_, err = get(t, t.Context(), tr, statuses)
		require.ErrorIs(t, statusError(t, err), refused)
		require.ErrorContains(t, err, "authorizing")
		require.Equal(t, 1, calls)
		require.Equal(t, 1, base.sent())
		require.Equal(t, time.Second, time.Since(base.start))
	})
}

// If the Transport cannot renew a token, it uses the old token until the old token expires.
func TestOldTokenIsUsedWhileCredentialFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 200})
		c := &credential{life: time.Hour, err: func(call int) error {
			if call > 1 {
				return errSocket
			}
			return nil
		}}
		tr := c.transport(base)
		for _, pause := range []time.Duration{0, 56 * time.Minute, 4*time.Minute - 1} {
			time.Sleep(pause)
			_, err := get(t, t.Context(), tr, statuses)
			require.NoError(t, err)
		}
		require.Equal(t, []string{"Bearer t1", "Bearer t1", "Bearer t1"}, base.auth)
		time.Sleep(time.Nanosecond)
		_, err := get(t, t.Context(), tr, statuses)
		require.ErrorIs(t, statusError(t, err), errSocket)
		require.Len(t, base.auth, 3)
	})
}

func TestInvalidTokens(t *testing.T) {
	for _, value := range []string{"S3CRET\n", "S3CRET\r\nX: y", "S3 CRET", "S3CRET\u00e9", "\x7f"} {
		base := play(answer{status: 200})
		_, err := get(t, t.Context(), transport.New(&transport.Options{Base: base, Token: static(value)}), statuses)
		require.ErrorContains(t, statusError(t, err), "the token", "%q", value)
		require.NotContains(t, err.Error(), "S3")
		require.Zero(t, base.sent())
	}
}

func TestAuthorizeRunsOnEveryAttemptAfterToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 503}, answer{err: errSocket}, answer{status: 401}, answer{status: 200})
		var seen []string
		c := &credential{}
		tr := transport.New(&transport.Options{Base: base, Token: c.token, Authorize: func(r *http.Request) error {
			seen = append(seen, r.Header.Get("Authorization"))
			r.Header.Set("Authorization", fmt.Sprintf("Signature %d", len(seen)))
			return nil
		}})
		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, []string{"Bearer t1", "Bearer t1", "Bearer t1", "Bearer t2"}, seen)
		require.Equal(t, []string{"Signature 1", "Signature 2", "Signature 3", "Signature 4"}, base.auth)
	})
}

func TestTokenContext(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "trace")
	tr := transport.New(&transport.Options{Base: play(answer{status: 200}), Token: func(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
		require.Equal(t, "trace", ctx.Value(key{}))
		return transport.Token{Value: "t0"}, nil
	}})
	_, err := get(t, ctx, tr, statuses)
	require.NoError(t, err)
}

// While the Transport renews a token that has not expired, only the request that started the
// renewal waits. Other requests use the old token.
func TestRenewalDelaysOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, calls := play(answer{status: 200}), 0
		tr := transport.New(&transport.Options{Base: base, Token: func(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
			if calls++; calls > 1 {
				<-ctx.Done()
				return transport.Token{}, ctx.Err()
			}
			return transport.Token{Value: "t1", Expires: time.Now().Add(time.Hour)}, nil
		}})
		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		time.Sleep(56 * time.Minute)
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				_, err := get(t, t.Context(), tr, statuses)
				assert.NoError(t, err)
				want := time.Duration(0)
				if i == 0 {
					want = time.Minute // the limit for the call to Token, after which the request uses the old token
				}
				assert.Equal(t, want, time.Since(start))
			})
			synctest.Wait()
		}
		wg.Wait()
		require.Equal(t, 2, calls)
	})
}
