package transport_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

const crowdSize = 1000

// A source has a Token function. It counts the calls, and records the largest number that ran at
// once.
type source struct {
	calls, running, most atomic.Int32
	fetch                func(ctx context.Context, call int) error
}

func (s *source) token(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
	call := int(s.calls.Add(1))
	s.most.Store(max(s.most.Load(), s.running.Add(1)))
	defer s.running.Add(-1)
	return transport.Token{Value: fmt.Sprintf("t%d", call)}, s.fetch(ctx, call)
}

func (s *source) transport(base *script) *transport.Transport {
	return transport.New(&transport.Options{Base: base, Token: s.token})
}

// gather sends crowdSize requests at once and waits for them.
func gather(t *testing.T, tr *transport.Transport, each func(i int, code int, err error), limit func(i int) time.Duration) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range crowdSize {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), limit(i))
			defer cancel()
			code, err := get(t, ctx, tr, statuses)
			each(i, code, err)
		})
	}
	wg.Wait()
}

func anHour(int) time.Duration { return time.Hour }

func TestCrowdSharesOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{fetch: func(context.Context, int) error { time.Sleep(time.Second); return nil }}
		base := play(answer{status: 200})
		gather(t, s.transport(base), func(_, code int, err error) {
			assert.NoError(t, err)
			assert.Equal(t, 200, code)
			assert.Equal(t, time.Second, time.Since(base.start))
		}, anHour)
		require.EqualValues(t, 1, s.calls.Load())
		require.Equal(t, crowdSize, base.sent())
	})
}

// If a call fails, every request that waits for it fails. The next call follows after a pause.
func TestCrowdSharesOneFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{fetch: func(_ context.Context, call int) error {
			time.Sleep(time.Second)
			if call == 1 {
				return errSocket
			}
			return nil
		}}
		base := play(answer{status: 200})
		tr := s.transport(base)
		gather(t, tr, func(_, _ int, err error) { assert.ErrorIs(t, err, errSocket) }, anHour)
		require.EqualValues(t, 1, s.calls.Load())
		time.Sleep(time.Second)
		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, []string{"Bearer t2"}, base.auth)
	})
}

// The waiting requests give up one by one. The context of the call ends when the last one gives
// up.
func TestCrowdLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var ended time.Duration
		s := &source{fetch: func(ctx context.Context, _ int) error {
			<-ctx.Done()
			ended = time.Since(start)
			return ctx.Err()
		}}
		limit := func(i int) time.Duration { return time.Duration(i+1) * time.Millisecond }
		base := play(answer{status: 200})
		gather(t, s.transport(base), func(i, _ int, err error) {
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, limit(i), time.Since(start))
		}, limit)
		synctest.Wait()
		require.Equal(t, crowdSize*time.Millisecond, ended)
		require.EqualValues(t, 1, s.calls.Load())
		require.Zero(t, base.sent())
	})
}

// A Token function may ignore its context. While a call is running, no other call starts, even
// if every request that waited for it has given up. Later requests use the token that the call
// returns.
func TestTokenCallOutlivesWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{fetch: func(context.Context, int) error { time.Sleep(30 * time.Second); return nil }}
		base := play(answer{status: 200})
		tr := s.transport(base)
		for range 3 { // these requests start at 0, 5 and 10 s
			gather(t, tr, func(_, _ int, err error) { assert.ErrorIs(t, err, context.DeadlineExceeded) }, func(int) time.Duration { return 5 * time.Second })
		}
		gather(t, tr, func(_, _ int, err error) { assert.NoError(t, err) }, anHour)
		require.Equal(t, 30*time.Second, time.Since(base.start))
		require.EqualValues(t, 1, s.calls.Load())
		require.Equal(t, crowdSize, base.sent())
	})
}

// If all requests that wait for a call give up, and the call then fails because its context has
// ended, later requests share one new call.
func TestTokenCallFailsWithoutWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{fetch: func(ctx context.Context, call int) error {
			if call > 1 {
				time.Sleep(time.Second)
				return nil
			}
			time.Sleep(30 * time.Second)
			return ctx.Err()
		}}
		base := play(answer{status: 200})
		tr := s.transport(base)
		gather(t, tr, func(_, _ int, err error) { assert.ErrorIs(t, err, context.DeadlineExceeded) }, func(int) time.Duration { return 5 * time.Second })
		gather(t, tr, func(_, _ int, err error) { assert.NoError(t, err) }, anHour)
		require.Equal(t, 31*time.Second, time.Since(base.start))
		require.EqualValues(t, 2, s.calls.Load())
		require.EqualValues(t, 1, s.most.Load(), "calls at once")
		require.Equal(t, "Bearer t2", base.auth[0])
	})
}

// A call that never returns does not block requests without a deadline forever.
func TestHangingTokenCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		s := &source{fetch: func(context.Context, int) error { <-done; return nil }}
		base := play(answer{status: 200})
		tr := s.transport(base)
		for n := range 2 {
			_, err := get(t, context.Background(), tr, statuses)
			require.ErrorContains(t, statusError(t, err), "getting a token: no token within 1m0s, the limit of HeaderTimeout")
			require.Equal(t, time.Duration(n+1)*time.Minute, time.Since(base.start))
		}
		require.EqualValues(t, 1, s.calls.Load())
		close(done)
		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.EqualValues(t, 1, s.calls.Load())
	})
}
