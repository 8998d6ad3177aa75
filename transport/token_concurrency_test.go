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

const requestCount = 1000

// A tokenSource provides a Token function, and records the number of calls and the largest number
// of concurrent calls.
type tokenSource struct {
	calls, running, most atomic.Int32
	fetch                func(ctx context.Context, call int) error
}

func (s *tokenSource) token(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
	call := int(s.calls.Add(1))
	s.most.Store(max(s.most.Load(), s.running.Add(1)))
	defer s.running.Add(-1)
	return transport.Token{Value: fmt.Sprintf("t%d", call)}, s.fetch(ctx, call)
}

func (s *tokenSource) transport(base *script) *transport.Transport {
	return transport.New(&transport.Options{Base: base, Token: s.token})
}

// sendMany sends requestCount requests concurrently and waits until all have ended.
func sendMany(t *testing.T, tr *transport.Transport, each func(i int, code int, err error), limit func(i int) time.Duration) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range requestCount {
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

func TestRequestsShareTokenCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tokenSource{fetch: func(context.Context, int) error { time.Sleep(time.Second); return nil }}
		base := play(answer{status: 200})
		sendMany(t, s.transport(base), func(_, code int, err error) {
			assert.NoError(t, err)
			assert.Equal(t, 200, code)
			assert.Equal(t, time.Second, time.Since(base.start))
		}, anHour)
		require.EqualValues(t, 1, s.calls.Load())
		require.Equal(t, requestCount, base.sent())
	})
}

// If a call to Token fails, so does every request that waits for it. The Transport pauses before it
// calls Token again.
func TestRequestsShareTokenFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tokenSource{fetch: func(_ context.Context, call int) error {
			time.Sleep(time.Second)
			if call == 1 {
				return errSocket
			}
			return nil
		}}
		base := play(answer{status: 200})
		tr := s.transport(base)
		sendMany(t, tr, func(_, _ int, err error) { assert.ErrorIs(t, err, errSocket) }, anHour)
		require.EqualValues(t, 1, s.calls.Load())
		time.Sleep(time.Second)
		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, []string{"Bearer t2"}, base.auth)
	})
}

// The context of a call to Token ends when the last waiting request gives up.
func TestTokenCallEndsAfterLastWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var ended time.Duration
		s := &tokenSource{fetch: func(ctx context.Context, _ int) error {
			<-ctx.Done()
			ended = time.Since(start)
			return ctx.Err()
		}}
		limit := func(i int) time.Duration { return time.Duration(i+1) * time.Millisecond }
		base := play(answer{status: 200})
		sendMany(t, s.transport(base), func(i, _ int, err error) {
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, limit(i), time.Since(start))
		}, limit)
		synctest.Wait()
		require.Equal(t, requestCount*time.Millisecond, ended)
		require.EqualValues(t, 1, s.calls.Load())
		require.Zero(t, base.sent())
	})
}

// If a Token function ignores its context, its call continues after all waiting requests have given
// up. Later requests wait for that call and use its token.
func TestTokenCallOutlivesWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tokenSource{fetch: func(context.Context, int) error { time.Sleep(30 * time.Second); return nil }}
		base := play(answer{status: 200})
		tr := s.transport(base)
		for range 3 { // these batches start at 0, 5 and 10 s
			sendMany(t, tr, func(_, _ int, err error) { assert.ErrorIs(t, err, context.DeadlineExceeded) }, func(int) time.Duration { return 5 * time.Second })
		}
		sendMany(t, tr, func(_, _ int, err error) { assert.NoError(t, err) }, anHour)
		require.Equal(t, 30*time.Second, time.Since(base.start))
		require.EqualValues(t, 1, s.calls.Load())
		require.Equal(t, requestCount, base.sent())
	})
}

// If a call to Token fails because all waiting requests have given up, later requests share one new
// call.
func TestTokenCallFailsWithoutWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tokenSource{fetch: func(ctx context.Context, call int) error {
			if call > 1 {
				time.Sleep(time.Second)
				return nil
			}
			time.Sleep(30 * time.Second)
			return ctx.Err()
		}}
		base := play(answer{status: 200})
		tr := s.transport(base)
		sendMany(t, tr, func(_, _ int, err error) { assert.ErrorIs(t, err, context.DeadlineExceeded) }, func(int) time.Duration { return 5 * time.Second })
		sendMany(t, tr, func(_, _ int, err error) { assert.NoError(t, err) }, anHour)
		require.Equal(t, 31*time.Second, time.Since(base.start))
		require.EqualValues(t, 2, s.calls.Load())
		require.EqualValues(t, 1, s.most.Load(), "calls must not overlap")
		require.Equal(t, "Bearer t2", base.auth[0])
	})
}

// Even if a call to Token never returns, requests without a deadline fail after HeaderTimeout.
func TestHangingTokenCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		s := &tokenSource{fetch: func(context.Context, int) error { <-done; return nil }}
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
