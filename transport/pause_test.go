package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

func TestRetryAfterOfEveryStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, code := range []int{408, 424, 429, 500, 502, 503, 504, 599} {
			for _, header := range []string{"Retry-After: 7", "Retry-After-Ms: 7000", "X-Ms-Retry-After-Ms: 7000"} {
				base := play(answer{status: code, header: header})
				_, err := get(t, t.Context(), newTransport(base), statuses)
				require.NoError(t, err)
				require.Equal(t, []time.Duration{0, 7 * time.Second, 14 * time.Second, 21 * time.Second}, base.at, "%d %s", code, header)
			}
		}
		base := play(answer{status: 503, header: "Retry-After: 0"})
		_, err := get(t, t.Context(), newTransport(base), statuses)
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 0, 0, 0}, base.at)
	})
}

func TestBackOffGrowsWithJitter(t *testing.T) {
	const s = time.Second
	bounds := []struct{ low, high time.Duration }{
		{1 * s, 2 * s}, {2 * s, 4 * s}, {4 * s, 8 * s}, {8 * s, 16 * s}, {15 * s, 30 * s}, {15 * s, 30 * s},
	}
	const rounding = time.Microsecond
	synctest.Test(t, func(t *testing.T) {
		for _, a := range []answer{{status: 503}, {err: errSocket}, {status: 503, header: "Retry-After: soon"}} {
			first := map[time.Duration]bool{}
			for range 200 {
				base := play(a)
				_, _ = get(t, t.Context(), transport.New(&transport.Options{Base: base, Retries: len(bounds)}), statuses)
				require.Len(t, base.at, len(bounds)+1)
				for i, b := range bounds {
					pause := base.at[i+1] - base.at[i]
					require.GreaterOrEqual(t, pause, b.low-rounding, "pause %d", i)
					require.LessOrEqual(t, pause, b.high+rounding, "pause %d", i)
					require.GreaterOrEqual(t, pause, s)
					require.LessOrEqual(t, pause, 30*s)
				}
				first[base.at[1]] = true
			}
			require.Greater(t, len(first), 150, "the pauses must be random")
		}
	})
}

func TestDelayOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tests := []struct{ minimum, maximum, want time.Duration }{
			{3 * time.Second, 3 * time.Second, 3 * time.Second},
			{time.Minute, 2 * time.Second, 2 * time.Second},
			{time.Minute, 0, 30 * time.Second},
			{-1, time.Second, 0},
		}
		for _, tt := range tests {
			base := play(answer{status: 500})
			tr := transport.New(&transport.Options{Base: base, MinDelay: tt.minimum, MaxDelay: tt.maximum})
			_, err := get(t, t.Context(), tr, statuses)
			require.NoError(t, err)
			require.Equal(t, []time.Duration{0, tt.want, 2 * tt.want, 3 * tt.want}, base.at, "%+v", tt)
		}
	})
}

func TestPausesReturnedToCaller(t *testing.T) {
	forever := func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithCancel(ctx) }
	for10s := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, 10*time.Second)
	}
	polling := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithCancel(transport.WithLongestPause(ctx, 5*time.Second))
	}
	tests := []struct {
		ctx        func(context.Context) (context.Context, context.CancelFunc)
		retryAfter string
		limit      time.Duration
		want       time.Duration // the pause; -1 means that RoundTrip returns the response at once
	}{
		{forever, "60", 0, time.Minute},
		{forever, "60.001", 0, -1},
		{forever, "61", 0, -1},
		{forever, "61", 61 * time.Second, 61 * time.Second},
		{forever, "99999999999999999999", 0, -1},
		{forever, "99999999999999999999", math.MaxInt64 - 1, -1},
		{forever, "1", -1, -1},
		{for10s, "9", 0, 9 * time.Second},
		{for10s, "9.999", 0, 9999 * time.Millisecond},
		{for10s, "10", 0, -1},
		{for10s, "11", 0, -1},
		{polling, "5", 0, 5 * time.Second},
		{polling, "5.001", 0, -1},
		{polling, "60", 0, -1},
	}
	for _, tt := range tests {
		for _, code := range []int{503, 429, 408} {
			synctest.Test(t, func(t *testing.T) {
				name := fmt.Sprintf("%d Retry-After: %s", code, tt.retryAfter)
				ctx, cancel := tt.ctx(t.Context())
				defer cancel()
				base := play(answer{status: code, header: "Retry-After: " + tt.retryAfter, body: "busy"}, answer{status: 200, body: "fine"})
				tr := transport.New(&transport.Options{Base: base, MaxRetryAfter: tt.limit})
				resp, err := tr.RoundTrip(request(t, ctx, "GET", statuses, nil))
				require.NoError(t, err, name)
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err, name)
				if tt.want < 0 {
					require.Zero(t, time.Since(base.start), name)
					require.Equal(t, code, resp.StatusCode, name)
					require.Equal(t, "busy", string(body), name)
					return
				}
				require.Equal(t, tt.want, time.Since(base.start), name)
				require.Equal(t, "fine", string(body), name)
			})
		}
	}
}

// The Transport does not retry if the back-off pause would last until the deadline, or longer than
// the longest pause that the caller allows.
func TestBackOffEndsBeforeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		fixed := func(base *script) *transport.Transport {
			return transport.New(&transport.Options{Base: base, MinDelay: 2 * time.Second, MaxDelay: 2 * time.Second})
		}
		base := play(answer{err: errSocket})
		_, err := get(t, ctx, fixed(base), statuses)
		require.ErrorIs(t, statusError(t, err), errSocket)
		require.NotErrorIs(t, err, context.DeadlineExceeded, "the deadline has not passed yet")
		require.Equal(t, []time.Duration{0, 2 * time.Second}, base.at)
		require.Equal(t, 2*time.Second, time.Since(base.start))

		slow := transport.New(&transport.Options{Base: play(answer{status: 500}), MinDelay: 6 * time.Second, MaxDelay: 6 * time.Second})
		start := time.Now()
		code, err := get(t, transport.WithLongestPause(t.Context(), 5*time.Second), slow, statuses)
		require.NoError(t, err)
		require.Equal(t, 500, code)
		require.Zero(t, time.Since(start))
	})
}

func TestContextEndsPause(t *testing.T) {
	cause := errors.New("shutting down")
	for _, a := range []answer{{status: 503, header: "Retry-After: 50"}, {err: errSocket}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(500*time.Millisecond, func() { cancel(cause) })
			base := play(a)
			_, err := get(t, ctx, newTransport(base), statuses+query)
			require.Equal(t, 500*time.Millisecond, time.Since(base.start))
			se := statusError(t, err)
			require.ErrorIs(t, se, context.Canceled)
			require.ErrorIs(t, se, cause)
			require.Equal(t, 1, se.Attempts)
			if a.err != nil {
				require.ErrorIs(t, se, errSocket, "the error also wraps the failure of the attempt")
			}
			require.NotContains(t, se.Error(), "SECRET")
		})
	}
}

func TestContextEndsAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		base := play(answer{status: 200, takes: time.Hour})
		_, err := get(t, ctx, newTransport(base), statuses)
		require.ErrorIs(t, statusError(t, err), context.DeadlineExceeded)
		require.Equal(t, 3*time.Second, time.Since(base.start))
		require.Equal(t, 1, base.sent())

		_, err = get(t, ctx, newTransport(base), statuses)
		require.ErrorIs(t, statusError(t, err), context.DeadlineExceeded)
		require.Equal(t, 1, base.sent(), "nothing is sent when the context has ended")
	})
}

// If the context ends just as a response arrives, RoundTrip returns the response, even if the
// Policy would allow a retry.
func TestContextEndsWithResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		base := play(answer{status: 503, body: "busy"})
		tr := transport.New(&transport.Options{
			Base:   trip(func(r *http.Request) (*http.Response, error) { defer cancel(); return base.RoundTrip(r) }),
			Policy: func(*http.Request, *http.Response, error) bool { return true },
		})
		code, err := get(t, ctx, tr, statuses)
		require.NoError(t, err)
		require.Equal(t, 503, code)
		require.Equal(t, 1, base.sent())
	})
}

func TestLongestPause(t *testing.T) {
	ctx := t.Context()
	require.Equal(t, time.Duration(math.MaxInt64), transport.LongestPause(ctx))
	for _, d := range []time.Duration{5 * time.Second, 0} {
		ctx = transport.WithLongestPause(ctx, d)
		require.Equal(t, d, transport.LongestPause(ctx), "the last value wins")
	}
	require.Zero(t, transport.LongestPause(transport.WithLongestPause(ctx, -1)))
}

// If MaxRetryAfter is negative, the Transport does not retry after a response with a Retry-After,
// but retries other failures as usual.
func TestNoRetryAfterIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, header := range []string{"Retry-After: 1", "Retry-After: 60", "Retry-After-Ms: 1"} {
			base := play(answer{status: 503, header: header}, answer{status: 200})
			_, err := get(t, t.Context(), transport.New(&transport.Options{Base: base, MaxRetryAfter: -1}), statuses)
			require.NoError(t, err)
			require.Equal(t, []time.Duration{0}, base.at, header)
		}
		base := play(answer{status: 503}, answer{status: 200})
		_, err := get(t, t.Context(), transport.New(&transport.Options{Base: base, MaxRetryAfter: -1}), statuses)
		require.NoError(t, err)
		require.Len(t, base.at, 2)
	})
}
