package poller_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

// errBoom is the value with which buggy code panics in tests.
var errBoom = errors.New("boom")

// A hookedResult is a result whose UnmarshalJSON calls the function in the variable decoding.
type hookedResult struct{}

var decoding func()

func (*hookedResult) UnmarshalJSON([]byte) error {
	decoding()
	return nil
}

// A buggy is a strategy that calls the function in its field bug for each response after the first,
// and otherwise works like arm.Auto.
type buggy struct{ bug func() }

func (b buggy) Step(a strategy.Answer) (strategy.Move, error) {
	if !a.First {
		b.bug()
	}
	return arm.Auto.Step(a)
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("a log with a bug") }

// callerCode names parts of the caller's code that may run during a read.
var callerCode = []string{"Doer", "Strategy", "UnmarshalJSON"}

// beginBuggy starts an operation at the service s. The caller's code calls the function bug once,
// during a read. The parameter where names the part of the code that calls it (see callerCode).
func beginBuggy(t *testing.T, s http.Handler, where string, opts poller.Options, bug func()) *poller.Poller[hookedResult] {
	t.Helper()
	var once sync.Mutex // not a sync.OnceFunc, which would repeat the panic in each call
	call := func(here string) func() {
		return func() {
			if here == where && once.TryLock() {
				bug()
			}
		}
	}
	decoding = call("UnmarshalJSON")
	opts.Strategy = buggy{call("Strategy")}
	client := doer(func(req *http.Request) (*http.Response, error) {
		if req.Method == http.MethodGet {
			call("Doer")()
		}
		return clientOf(s).Do(req)
	})
	p, err := poller.Begin[hookedResult](newRequest(t, "POST", "/a"), client, &opts)
	require.NoError(t, err)
	return p
}

// recovered calls f and returns the value that f panics with, or nil.
func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// A panic in the caller's code reaches the caller that was reading. Another caller can then read.
func TestPanicReachesCaller(t *testing.T) {
	calls := map[string]func(ctx context.Context, p *poller.Poller[hookedResult]) error{
		"PollUntilDone": func(ctx context.Context, p *poller.Poller[hookedResult]) error {
			_, err := p.PollUntilDone(ctx)
			return err
		},
		"Updates": func(ctx context.Context, p *poller.Poller[hookedResult]) error {
			for _, err := range p.Updates(ctx) {
				if err != nil {
					return err
				}
			}
			_, err := p.Result(ctx)
			return err
		},
	}
	for name, call := range calls {
		for _, where := range callerCode {
			t.Run(name+" "+where, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := fleet(map[string][]reply{"a": {"200 {}"}})
					takes := time.Second
					if where == "UnmarshalJSON" {
						takes = 0 // UnmarshalJSON runs under a mutex, and a bubble's clock stops while a goroutine waits for a mutex
					}
					p := beginBuggy(t, s, where, poller.Options{}, func() { time.Sleep(takes); panic(errBoom) })
					var other sync.WaitGroup
					other.Go(func() {
						time.Sleep(time.Minute + takes/2) // until the first caller reads
						synctest.Wait()
						require.NoError(t, call(t.Context(), p))
						require.Equal(t, time.Minute+takes, time.Since(s.began), "woken")
					})
					require.Same(t, errBoom, recovered(func() { _ = call(t.Context(), p) }))
					require.Equal(t, time.Minute+takes, time.Since(s.began))
					other.Wait()
					require.NoError(t, call(t.Context(), p))
					require.True(t, p.Done())
				})
			})
		}
	}
}

// If the caller's code calls runtime.Goexit, the caller's goroutine ends, and another caller can
// then read.
func TestGoexitReachesCaller(t *testing.T) {
	for _, where := range callerCode {
		t.Run(where, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := beginBuggy(t, fleet(map[string][]reply{"a": {"200 {}"}}), where, poller.Options{}, runtime.Goexit)
				require.False(t, returns(func() { _, _ = p.PollUntilDone(t.Context()) }))
				_, err := p.PollUntilDone(t.Context())
				require.NoError(t, err)
			})
		})
	}
}

// returns reports whether f returns. It runs f in a separate goroutine, because f may call
// runtime.Goexit.
func returns(f func()) (returned bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
		returned = true
	}()
	<-done
	return returned
}

// A panicsOnce is a slog.Handler that panics on the first record.
type panicsOnce struct {
	slog.Handler
	done *bool
}

func (h panicsOnce) Enabled(context.Context, slog.Level) bool { return true }

func (h panicsOnce) Handle(context.Context, slog.Record) error {
	if *h.done {
		return nil
	}
	*h.done = true
	panic("logger")
}

// A panickingResult is a result whose UnmarshalJSON panics once.
type panickingResult struct{}

var hasPanicked bool

func (*panickingResult) UnmarshalJSON([]byte) error {
	if hasPanicked {
		return nil
	}
	hasPanicked = true
	panic("unmarshal")
}

// A panic in a Logger or in UnmarshalJSON does not make the poller repeat the read.
func TestReadCountsBeforePanic(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(widget))
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), s.client(), &poller.Options{Logger: slog.New(panicsOnce{slog.DiscardHandler, new(bool)})})
		require.NoError(t, err)
		require.PanicsWithValue(t, "logger", func() { _, _ = p.Poll(t.Context()) })
		require.True(t, p.Done())
		require.Equal(t, 1, count(s.requests(), get(monitor)))
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, count(s.requests(), get(monitor)))
	})
	bubble(t, func(t *testing.T) {
		hasPanicked = false
		s := serve(asyncPut(widget))
		p, err := poller.Begin[panickingResult](newRequest(t, "PUT", resource), s.client(), nil)
		require.NoError(t, err)
		require.PanicsWithValue(t, "unmarshal", func() { _, _ = p.PollUntilDone(t.Context()) })
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, count(s.requests(), get(resource)))
	})
}
