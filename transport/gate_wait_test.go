package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

func TestContextEndsGateWait(t *testing.T) {
	cause := errors.New("shutting down")
	// The context ends either at 4 s, during the pause, or at 12 s, while the request waits for its
	// turn after the pause.
	for _, at := range []time.Duration{4 * time.Second, 12 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			base := play(throttled("10"), answer{status: 200, takes: 30 * time.Second}, answer{status: 200})
			tr := noRetries(base)
			sendAll(t, tr, 1)
			sendInBackground(t, tr)
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(at, func() { cancel(cause) })
			time.Sleep(time.Nanosecond)
			if at > 10*time.Second {
				time.Sleep(10 * time.Second)
			}
			_, err := get(t, ctx, tr, readURL)
			require.Equal(t, at, time.Since(base.start))
			se := statusError(t, err)
			require.ErrorIs(t, se, context.Canceled)
			require.ErrorIs(t, se, cause)
			require.Zero(t, se.Attempts)
		})
	}
}

func TestRequestsNotHeldAtGate(t *testing.T) {
	const s = time.Second
	within := func(d time.Duration) func(context.Context) context.Context {
		return func(ctx context.Context) context.Context {
			ctx, cancel := context.WithTimeout(ctx, d)
			context.AfterFunc(ctx, cancel)
			return ctx
		}
	}
	longest := func(d time.Duration) func(context.Context) context.Context {
		return func(ctx context.Context) context.Context { return transport.WithLongestPause(ctx, d) }
	}
	tests := []struct {
		name  string
		ctx   func(context.Context) context.Context
		after time.Duration // when the request is made; the gate is closed for the first 30 s
		limit time.Duration // MaxRetryAfter
		want  string        // the Retry-After of the gate's response; "" means that the request waits
	}{
		{"polling", longest(5 * s), 0, 0, "30"},
		{"polling, part of a second", longest(5 * s), 20*s + 1, 0, "10"},
		{"polling, 5 s to go", longest(5 * s), 25 * s, 0, ""},
		{"polling, just over 5 s to go", longest(5 * s), 25*s - 1, 0, "6"},
		{"without pauses", longest(0), 0, 0, "30"},
		{"without pauses, 1 s to go", longest(0), 29 * s, 0, "1"},
		{"deadline", within(20 * s), 0, 0, "30"},
		{"deadline with the gate", within(30 * s), 0, 0, "30"},
		{"later deadline", within(31 * s), 0, 0, ""},
		{"over MaxRetryAfter", within(time.Hour), 0, 29 * s, "30"},
		{"no pauses at all", within(time.Hour), 0, -1, "30"},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			base := play(throttled("30"), answer{status: 200})
			tr := transport.New(&transport.Options{Base: base, MaxRetryAfter: tt.limit, Retries: -1})
			sendAll(t, tr, 1)
			time.Sleep(tt.after)
			start := time.Now()
			body := &closeCounter{Reader: strings.NewReader("x")}
			req := request(t, tt.ctx(t.Context()), "GET", readURL, body)
			resp, err := tr.RoundTrip(req)
			require.NoError(t, err, tt.name)
			defer resp.Body.Close()
			require.Equal(t, 1, body.count())
			if tt.want == "" {
				require.Equal(t, 200, resp.StatusCode, tt.name)
				require.Equal(t, 30*s, time.Since(base.start), tt.name)
				return
			}
			require.Zero(t, time.Since(start), tt.name)
			require.Equal(t, 1, base.sent(), tt.name)
			require.Equal(t, tt.want, resp.Header.Get("Retry-After"), tt.name)
			requireHeld(t, req, resp)
		})
	}
}

// requireHeld asserts that resp is the gate's own response to req.
func requireHeld(t *testing.T, req *http.Request, resp *http.Response) {
	t.Helper()
	require.Equal(t, 429, resp.StatusCode)
	require.Equal(t, "429 Too Many Requests", resp.Status)
	require.Equal(t, req.URL, resp.Request.URL)
	require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Len(t, text, int(resp.ContentLength))
	require.Equal(t, fmt.Sprint(len(text)), resp.Header.Get("Content-Length"))
	var d lroerrors.Detail
	require.NoError(t, json.Unmarshal(text, &d))
	require.Equal(t, "ClientThrottleGate", d.Code)
	require.Contains(t, d.Message, "this client holds them back for "+resp.Header.Get("Retry-After")+" s")
}

// A poller's read waits at the gate for at most 5 s. If its turn comes later, the gate refuses the
// read with a 429.
func TestPollerDoesNotWaitLong(t *testing.T) {
	const s = time.Second
	for ahead, want := range map[int]int{0: 200, 1: 200, 2: 429} {
		synctest.Test(t, func(t *testing.T) {
			base := play(throttled("2"), answer{status: 200, takes: time.Hour})
			tr := transport.New(&transport.Options{Base: base, Retries: -1, HeaderTimeout: 20 * s})
			sendAll(t, tr, 1)
			for range ahead {
				go func() { _, _ = get(t, t.Context(), tr, readURL) }()
			}
			synctest.Wait()
			ctx := transport.WithLongestPause(t.Context(), 5*s)
			req := request(t, ctx, "GET", readURL, nil)
			resp, err := tr.RoundTrip(req)
			if want == 200 { // the request is sent, but the response comes too late
				_ = statusError(t, err)
				require.Equal(t, ahead+2, base.sent())
				time.Sleep(time.Hour)
				return
			}
			require.NoError(t, err)
			defer resp.Body.Close()
			require.InDelta(t, 4, time.Since(base.start).Seconds(), 0.1, "RoundTrip must not wait any longer, because the turn would be at 6 s")
			requireHeld(t, req, resp)
			time.Sleep(time.Hour)
		})
	}
}

// The gate refuses a request that must not wait, and promises it a turn after all waiting requests.
// Each refused request gets its own turn. Only a Group's requests share a turn, because the Group
// has its own queue.
func TestTurnsOfHeldRequests(t *testing.T) {
	const s = time.Second
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("10"), answer{status: 200})
		tr := noRetries(base)
		sendAll(t, tr, 1)
		turnOf := func(ctx context.Context) time.Duration {
			resp, err := tr.RoundTrip(request(t, ctx, "GET", readURL, nil))
			require.NoError(t, err)
			defer resp.Body.Close()
			return exchange.SentOf(resp.Request).Turn.Sub(base.start)
		}
		never := transport.WithLongestPause(t.Context(), 0)
		require.Equal(t, 10*s, turnOf(never))
		require.Equal(t, 20*s, turnOf(never))
		require.Equal(t, 30*s, turnOf(never))

		var turns []time.Duration
		group := exchange.WithSettings(t.Context(), exchange.Settings{Turn: func(key exchange.ThrottleKey, next time.Time) {
			require.Equal(t, "microsoft.compute", key.Provider)
			turns = append(turns, next.Sub(base.start))
		}})
		require.Equal(t, 10*s, turnOf(group))
		require.Equal(t, 10*s, turnOf(group))
		sendInBackground(t, tr)
		require.Equal(t, 20*s, turnOf(group), "the turn comes after that of the waiting request")
		time.Sleep(20 * s)
		code, err := get(t, group, tr, readURL)
		require.NoError(t, err)
		require.Equal(t, 200, code)
		require.Equal(t, []float64{10, 10, 20, 24.9}, tenths(turns))
		for i := range 20 {
			require.Less(t, turnOf(never), 86*s, i)
		}
	})
}

// If the gate refuses a request, exchange.SentOf reports when the request may be sent, unless the
// request follows a redirect.
func TestHeldRequestReportsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &redirector{redirects: map[string]string{home: "307 " + readURL}}
		client := transport.NewClient(&transport.Options{Origins: []string{readURL}, Base: trip(func(req *http.Request) (*http.Response, error) {
			if req.URL.String() == readURL {
				return response(throttled("30")), nil
			}
			return w.RoundTrip(req)
		})})
		start := time.Now()
		for i, tt := range []struct {
			url  string
			turn time.Time
		}{{readURL, time.Time{}}, {readURL, start.Add(30 * time.Second)}, {home, time.Time{}}} {
			ctx := exchange.WithSettings(t.Context(), exchange.Settings{Origins: []string{"https://arm.test"}})
			resp, err := client.Do(request(t, ctx, "GET", tt.url, nil))
			require.NoError(t, err, i)
			resp.Body.Close()
			require.Equal(t, 429, resp.StatusCode, i)
			require.Equal(t, tt.turn, exchange.SentOf(resp.Request).Turn, i)
		}
	})
}

// The gate's own 429 is not retried and does not close the gate again.
func TestHeldResponseIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("30"), answer{status: 200})
		tr := newTransport(base)
		ctx := transport.WithLongestPause(t.Context(), 5*time.Second)
		for i, want := range []int{429, 429, 429, 200, 429} {
			if i == 3 {
				time.Sleep(30 * time.Second)
			}
			resp, err := tr.RoundTrip(request(t, ctx, "HEAD", readURL, nil))
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			resp.Body.Close()
			require.Empty(t, body, "a response to HEAD has no body")
			require.Equal(t, want, resp.StatusCode)
		}
		const s = time.Second
		require.Equal(t, []time.Duration{0, 30 * s}, base.at)
	})
}

// If the longest pause is zero, the Transport neither retries nor waits at the gate.
func TestWithoutPauses(t *testing.T) {
	for _, header := range []string{"", "Retry-After: 1"} {
		synctest.Test(t, func(t *testing.T) {
			base := play(answer{status: 503, header: header})
			code, err := get(t, transport.WithLongestPause(t.Context(), 0), transport.New(&transport.Options{Base: base}), statuses)
			require.NoError(t, err)
			require.Equal(t, 503, code)
			require.Equal(t, []time.Duration{0}, base.at)
			require.Zero(t, time.Since(base.start))
		})
	}
	synctest.Test(t, func(t *testing.T) {
		base := play(throttled("10"), answer{status: 200, takes: 30 * time.Second})
		tr := noRetries(base)
		sendAll(t, tr, 1)
		sendInBackground(t, tr) // starts at 10 s
		time.Sleep(12 * time.Second)
		code, err := get(t, transport.WithLongestPause(t.Context(), 0), tr, readURL)
		require.NoError(t, err)
		require.Equal(t, 429, code)
		require.Equal(t, 12*time.Second, time.Since(base.start))
	})
}
