package transport_test

import (
	"context"
	"encoding/base64"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

var errNoIdentity = errors.New("the identity service is down")

// An outage has a Token function that fails until a certain time, and records when it is called.
type outage struct {
	mu     sync.Mutex
	start  time.Time
	until  time.Duration
	calls  []time.Duration
	failed map[string]error // the error for each origin that fails; if nil, all origins fail
}

func (o *outage) token(_ context.Context, r transport.TokenRequest) (transport.Token, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Since(o.start)
	o.calls = append(o.calls, now)
	if now >= o.until {
		return transport.Token{Value: "t"}, nil
	}
	if o.failed != nil {
		return transport.Token{Value: "t"}, o.failed[r.Origin]
	}
	return transport.Token{}, errNoIdentity
}

func (o *outage) transport(base *script) *transport.Transport {
	return transport.New(&transport.Options{Base: base, Token: o.token})
}

func seconds(counts ...int) []time.Duration {
	var ds []time.Duration
	for _, n := range counts {
		ds = append(ds, time.Duration(n)*time.Second)
	}
	return ds
}

// The Transport calls a failing Token function again only after a pause, however many requests
// come. The pause doubles each time, up to a minute.
func TestFailingTokenIsCalledAfterPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &outage{start: time.Now(), until: 20 * time.Minute}
		tr := o.transport(play(answer{status: 200}))
		var recovered time.Duration
		for recovered == 0 {
			_, err := get(t, t.Context(), tr, statuses)
			if err == nil {
				recovered = time.Since(o.start)
				break
			}
			require.ErrorIs(t, statusError(t, err), errNoIdentity)
			time.Sleep(100 * time.Millisecond)
		}
		want := seconds(0, 1, 3, 7, 15, 31, 63)
		for last := 63 * time.Second; last < o.until; {
			last += time.Minute
			want = append(want, last)
		}
		require.Equal(t, want, o.calls)
		require.Equal(t, 20*time.Minute+3*time.Second, recovered)

		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Len(t, o.calls, len(want))
	})
}

// During the pause, a request's error says how much of the pause is left.
func TestRememberedFailureNamesItsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &outage{start: time.Now(), until: time.Hour}
		tr := o.transport(play(answer{status: 200}))
		_, err := get(t, t.Context(), tr, statuses)
		require.EqualError(t, err, "lro: GET "+statuses+": getting a token: the identity service is down")
		time.Sleep(300 * time.Millisecond)
		_, err = get(t, t.Context(), tr, statuses)
		require.EqualError(t, err, "lro: GET "+statuses+": getting a token: no call for another 700ms, because the last one failed: the identity service is down")
		require.Len(t, o.calls, 1)
	})
}

// A successful call clears earlier failures, so the next pause is short again.
func TestTokenPauseStartsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &credential{life: -time.Hour, err: func(call int) error {
			if call == 4 {
				return nil
			}
			return errNoIdentity
		}}
		tr := c.transport(play(answer{status: 200}))
		for call, pause := range seconds(1, 2, 4, 0, 1, 2) {
			require.Equal(t, call, c.count())
			_, _ = get(t, t.Context(), tr, statuses)
			require.Equal(t, call+1, c.count())
			time.Sleep(max(pause-time.Nanosecond, 0))
			if pause > 0 {
				_, err := get(t, t.Context(), tr, statuses)
				require.ErrorIs(t, err, errNoIdentity)
				require.Equal(t, call+1, c.count(), "no call during the pause")
				time.Sleep(time.Nanosecond)
			}
		}
	})
}

// The Transport forgets a failure if its pause ended more than a minute ago, so the next pause is
// short again.
func TestOldTokenFailureIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &outage{start: time.Now(), until: 24 * time.Hour}
		tr := o.transport(play(answer{status: 200}))
		for range 10 {
			_, err := get(t, t.Context(), tr, statuses)
			require.EqualError(t, err, "lro: GET "+statuses+": getting a token: the identity service is down")
			time.Sleep(2 * time.Minute)
		}
		_, err := get(t, t.Context(), tr, statuses)
		require.ErrorIs(t, err, errNoIdentity)
		time.Sleep(time.Second)
		_, err = get(t, t.Context(), tr, statuses)
		require.EqualError(t, err, "lro: GET "+statuses+": getting a token: the identity service is down")
	})
}

// A failed call for one origin does not affect other origins.
func TestTokenFailureOfOneOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &outage{start: time.Now(), until: time.Hour, failed: map[string]error{"https://arm.test": errNoIdentity}}
		tr := o.transport(play(answer{status: 200}))
		for range 3 {
			_, err := get(t, t.Context(), tr, statuses)
			require.ErrorIs(t, err, errNoIdentity)
			_, err = get(t, t.Context(), tr, "https://other.test/op")
			require.NoError(t, err)
		}
		require.Len(t, o.calls, 2)
	})
}

// During the pause after a failed call with claims, the Transport fetches a token without claims at
// most once.
func TestTokenFailureOfClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		challenge := `WWW-Authenticate: Bearer claims="` + base64.StdEncoding.EncodeToString([]byte(`{"a":1}`)) + `"`
		base := play(answer{status: 401, header: challenge})
		calls := map[string][]time.Duration{}
		tr := transport.New(&transport.Options{Base: base, Token: func(_ context.Context, r transport.TokenRequest) (transport.Token, error) {
			calls[r.Claims] = append(calls[r.Claims], time.Since(base.start))
			if r.Claims != "" {
				return transport.Token{}, errNoIdentity
			}
			return transport.Token{Value: "t"}, nil
		}})
		for range 600 {
			_, err := get(t, t.Context(), tr, statuses)
			require.ErrorIs(t, err, errNoIdentity)
			time.Sleep(100 * time.Millisecond)
		}
		require.Equal(t, seconds(0, 1, 3, 7, 15, 31), calls[`{"a":1}`])
		for _, count := range []int{len(calls[""]), base.sent()} {
			require.LessOrEqual(t, count, 7, "the token without claims is not fetched and rejected in each pause")
		}
	})
}

// If a caller's context ends while the caller waits for a token, there is no pause before the next
// call to Token.
func TestEndedContextIsNotRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 200})
		c := &credential{takes: time.Second}
		tr := c.transport(base)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := get(t, ctx, tr, statuses)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, time.Second+time.Millisecond, time.Since(base.start))
	})
}

// A call to Token that exceeds HeaderTimeout is treated as failed, so the Transport pauses after
// it.
func TestTokenTimeoutIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 200})
		c := &credential{takes: time.Hour}
		tr := c.transport(base)
		_, err := get(t, t.Context(), tr, statuses)
		require.ErrorContains(t, err, "no token within 1m0s")
		synctest.Wait()
		_, err = get(t, t.Context(), tr, statuses)
		require.ErrorContains(t, err, "no token within 1m0s")
		require.Equal(t, time.Minute, time.Since(base.start))
		require.Equal(t, 1, c.count())
	})
}

// If the Transport cannot renew a token that has not expired, it keeps using the token, and pauses
// between calls to Token.
func TestOldTokenIsUsedDuringPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 200})
		c := &credential{life: time.Hour, err: func(call int) error {
			if call == 1 {
				return nil
			}
			return errNoIdentity
		}}
		tr := c.transport(base)
		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		time.Sleep(55 * time.Minute)
		for range 240 {
			_, err := get(t, t.Context(), tr, statuses)
			require.NoError(t, err)
			time.Sleep(time.Second)
		}
		require.Equal(t, 1+7+2, c.count(), "the first call, and renewals after 0, 1, 3, 7, 15, 31, 63, 123 and 183 s")
	})
}

// After a pause, all requests share one call to Token.
func TestOneCallAfterPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &outage{start: time.Now(), until: time.Hour}
		tr := o.transport(play(answer{status: 200}))
		for range 2 {
			var wg sync.WaitGroup
			for range 100 {
				wg.Go(func() {
					_, err := get(t, t.Context(), tr, statuses)
					assert.ErrorIs(t, err, errNoIdentity)
				})
			}
			wg.Wait()
			time.Sleep(time.Second)
		}
		require.Equal(t, seconds(0, 1), o.calls)
	})
}
