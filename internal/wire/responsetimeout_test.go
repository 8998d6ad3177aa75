package wire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/wire"
)

// trickling returns a handler that sends n bytes every d, forever.
func trickling(n int, d time.Duration) http.Handler {
	return fakes.Endless(strings.Repeat("x", n), d)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
}

// sending holds the two ways to read a response: Send also sends the request, and ReadBody reads a
// response that the caller already has.
var sending = map[string]func(t *testing.T, h http.Handler, l wire.Limit) ([]byte, error){
	"Send": func(t *testing.T, h http.Handler, l wire.Limit) ([]byte, error) {
		ans, err := wire.Send(t.Context(), fakes.Client(h), get(t), &wire.Terms{Limit: l})
		return ans.Body, err
	},
	"ReadBody": func(t *testing.T, h http.Handler, l wire.Limit) ([]byte, error) {
		resp, err := fakes.Client(h).Do(get(t))
		require.NoError(t, err)
		defer resp.Body.Close()
		return wire.ReadBody(resp, l)
	},
}

// The time limit starts over with each MiB of the body, so a large response over a slow connection
// succeeds, but a trickling one fails.
func TestResponseTimeout(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		name  string
		limit wire.Limit
		n     int
		every time.Duration
		want  string
		took  time.Duration
	}{
		{"one byte a minute", limit(100), 1, time.Minute, "no complete response within 5m0s, the limit of ResponseTimeout", 5 * time.Minute},
		{"not quite a MiB", limit(100 * mib), mib/5 - 1, time.Minute, "no complete response within 5m0s, the limit of ResponseTimeout", 5 * time.Minute},
		{"64 MiB in five hours", limit(64*mib - 1), mib, 299 * time.Second, "body is larger than 67108863 bytes, the limit of Options.MaxStatusBytes", 64 * 299 * time.Second},
		{
			"an option",
			wire.Limit{Name: "N", Bytes: 100 * mib, Time: 2 * time.Second},
			mib, 2*time.Second + 1,
			"no complete response within 2s, the limit of ResponseTimeout", 2 * time.Second,
		},
		{"no bound", wire.Limit{Name: "N", Bytes: 99, Time: -1}, 1, time.Hour, "body is larger than 99 bytes, the limit of N", 100 * time.Hour},
	} {
		for how, send := range sending {
			t.Run(tt.name+" "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					_, err := send(t, trickling(tt.n, tt.every), tt.limit)
					require.ErrorContains(t, err, tt.want)
					require.NotErrorIs(t, err, context.DeadlineExceeded)
					require.NotErrorIs(t, err, context.Canceled)
					require.Equal(t, tt.took, time.Since(start))
				})
			})
		}
	}
}

// If a response stalls, Send and ReadBody return the part that arrived, and an error that wraps a
// TimeoutError.
func TestStalledResponse(t *testing.T) {
	half := strings.Repeat("x", 3<<20)
	for how, send := range sending {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			body, err := send(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(time.Minute)
				_, _ = io.WriteString(w, half)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}), limit(4<<20))
			late, ok := errors.AsType[*exchange.TimeoutError](err)
			require.True(t, ok, "%s: %v", how, err)
			require.Equal(t, "no further MiB of the response within 5m0s, the limit of ResponseTimeout", late.Error())
			require.True(t, late.Timeout())
			require.Len(t, body, len(half))
			require.Equal(t, 6*time.Minute, time.Since(start))
		})
	}
}

// At the time limit, Send closes a body whose reads ignore the context. ReadBody does not close a
// body that ends in time.
func TestBodyIgnoresContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		resp := &http.Response{StatusCode: 200, ContentLength: -1, Body: r}
		_, err := wire.Send(t.Context(), doer(func(*http.Request) (*http.Response, error) { return resp, nil }), get(t), &wire.Terms{Limit: limit(10)})
		require.ErrorContains(t, err, "the limit of ResponseTimeout")
		_, err = w.Write([]byte("x"))
		require.ErrorIs(t, err, io.ErrClosedPipe)
	})
	synctest.Test(t, func(t *testing.T) {
		b := &body{Reader: strings.NewReader("{}")}
		_, err := wire.ReadBody(&http.Response{Body: b, ContentLength: 2}, limit(10))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		require.False(t, b.closed, "closing the body is up to the caller")
	})
}

// Until the headers arrive, the deadline of the Doer's context is the time limit or the caller's
// deadline, whichever is earlier. After that, the context has only the caller's deadline, if any.
func TestDeadlineOfHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ctx context.Context
		deadline := func() time.Duration {
			at, ok := ctx.Deadline()
			require.True(t, ok)
			return time.Until(at)
		}
		send := func(parent context.Context, l wire.Limit, look func()) {
			_, err := wire.Send(parent, doer(func(req *http.Request) (*http.Response, error) {
				ctx = req.Context()
				look()
				return answering(200, &body{Reader: looker(func() {
					at, ok := ctx.Deadline()
					theirs, had := parent.Deadline()
					require.Equal(t, theirs, at)
					require.Equal(t, had, ok)
				})})(req)
			}), get(t), &wire.Terms{Limit: l})
			require.NoError(t, err)
			require.ErrorIs(t, ctx.Err(), context.Canceled, "the context must be released")
		}
		send(t.Context(), limit(9), func() { require.Equal(t, 5*time.Minute, deadline()) })
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		send(short, limit(9), func() { require.Equal(t, time.Minute, deadline()) })
		long, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		send(long, limit(9), func() { require.Equal(t, 5*time.Minute, deadline()) })
		send(long, wire.Limit{Bytes: 9, Time: -1}, func() { require.Equal(t, time.Hour, deadline()) })
	})
}

// A looker is an empty body that calls a function when it is read.
type looker func()

func (l looker) Read([]byte) (int, error) {
	l()
	return 0, io.EOF
}
