package poller_test

import (
	"context"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A slowService takes 10 ms per response and counts the requests in flight.
type slowService struct {
	now, most, all atomic.Int32
	visit          func(*http.Request) // if not nil, called just before the response to each read
}

func (s *slowService) RoundTrip(req *http.Request) (*http.Response, error) {
	now := s.now.Add(1)
	defer s.now.Add(-1)
	s.all.Add(1)
	for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	time.Sleep(10 * time.Millisecond)
	status := reply(succeeded)
	if req.Method == http.MethodPost {
		status = acceptedAt
	} else if s.visit != nil {
		s.visit(req)
	}
	return clientOf(serve(map[string][]reply{req.Method + " " + req.URL.Path: {status}})).Transport.RoundTrip(req)
}

const callers = 256

// concurrently calls f from many goroutines at once and waits for all of them.
func concurrently(f func()) {
	var all sync.WaitGroup
	for range callers {
		all.Go(f)
	}
	all.Wait()
}

// While the service responds quickly, package transport allows 64 concurrent requests that start an
// operation, and 64 concurrent reads.
func TestConcurrentPollers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &slowService{}
		client := transport.NewClient(&transport.Options{Base: s})
		start := time.Now()
		var began sync.WaitGroup
		began.Add(callers)
		concurrently(func() {
			p, err := poller.Begin[struct{}](newRequest(t, "POST", resource), client, nil)
			require.NoError(t, err)
			began.Done()
			began.Wait()
			require.Equal(t, 40*time.Millisecond, time.Since(start))
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
		})
		require.EqualValues(t, 64, s.most.Load())
		require.EqualValues(t, 2*callers, s.all.Load())
	})
}

// If the context ends while the limit on concurrent requests holds back a request, Begin returns
// right away with an error that matches ErrNotSent.
func TestConcurrentBeginIsCanceled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &slowService{}
		client := transport.NewClient(&transport.Options{Base: s, Retries: -1})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		start := time.Now()
		var unsent atomic.Int32
		concurrently(func() {
			_, err := poller.Begin[raw](newRequest(t, "POST", resource).WithContext(ctx), client, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			if !poller.MayHaveStarted(err) {
				require.ErrorIs(t, err, lroerrors.ErrNotSent)
				require.Equal(t, 5*time.Millisecond, time.Since(start))
				unsent.Add(1)
			}
		})
		require.EqualValues(t, 64, s.all.Load())
		require.EqualValues(t, callers-64, unsent.Load())
	})
}

// A panic or runtime.Goexit in a caller's code reaches the goroutine that called PollUntilDone,
// even with many concurrent callers.
func TestPanicInConcurrentPoller(t *testing.T) {
	for name, bug := range map[string]func(){"panic": func() { panic(errBoom) }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &slowService{}
				client := transport.NewClient(&transport.Options{Base: s})
				var bugs, panics atomic.Int32
				s.visit = func(*http.Request) {
					bugs.Add(1)
					bug()
				}
				var began sync.WaitGroup
				began.Add(callers)
				concurrently(func() {
					p, err := poller.Begin[raw](newRequest(t, "POST", resource), client, nil)
					require.NoError(t, err)
					began.Done()
					began.Wait()
					var v any
					require.False(t, returns(func() {
						v = recovered(func() { _, _ = p.PollUntilDone(t.Context()) })
						runtime.Goexit()
					}))
					if v == errBoom { //nolint:errorlint // the panic value must be errBoom itself
						panics.Add(1)
					}
				})
				require.EqualValues(t, callers, bugs.Load())
				if name == "panic" {
					require.EqualValues(t, callers, panics.Load())
				}
			})
		})
	}
}

// Many goroutines that call Begin at the same time need less than 7 KiB of stack each.
func TestStacksOfConcurrentPollers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 4 * callers
		runtime.GC()                                     // this collection sets the initial size of new stacks
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a garbage collection would shrink the stacks
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		client := transport.NewClient(&transport.Options{Base: &slowService{}})
		leave := make(chan struct{})
		var began, all sync.WaitGroup
		for range n {
			began.Add(1)
			all.Go(func() {
				_, err := poller.Begin[raw](newRequest(t, "POST", resource), client, nil)
				require.NoError(t, err)
				began.Done()
				<-leave
			})
		}
		began.Wait()
		runtime.ReadMemStats(&after)
		close(leave)
		all.Wait()
		require.Less(t, int64(after.StackInuse)-int64(before.StackInuse), int64(n*7<<10))
	})
}
