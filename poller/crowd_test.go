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

// A square is a service to which a crowd comes. It takes 10 ms for a response, and counts the
// requests that are in progress at once.
type square struct {
	now, most, all atomic.Int32
	visit          func(*http.Request) // called at the end of each read; nil does nothing
}

func (s *square) RoundTrip(req *http.Request) (*http.Response, error) {
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

const crowd = 256

// together calls f from many goroutines at once.
func together(f func()) {
	var all sync.WaitGroup
	for range crowd {
		all.Go(f)
	}
	all.Wait()
}

// If many callers begin operations and wait for them at the same time, at most 64 requests that begin one
// are in progress, and at most 64 reads.
func TestCrowdOfPollers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &square{}
		client := transport.NewClient(&transport.Options{Base: s})
		start := time.Now()
		var began sync.WaitGroup
		began.Add(crowd)
		together(func() {
			p, err := poller.Begin[struct{}](newRequest(t, "POST", resource), client, nil)
			require.NoError(t, err)
			began.Done()
			began.Wait()
			require.Equal(t, 40*time.Millisecond, time.Since(start))
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
		})
		require.EqualValues(t, 64, s.most.Load())
		require.EqualValues(t, 2*crowd, s.all.Load())
	})
}

// The callers in a crowd return when their context ends, and then nothing was sent for those that
// waited.
func TestCrowdIsCanceled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &square{}
		client := transport.NewClient(&transport.Options{Base: s, Retries: -1})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		start := time.Now()
		var unsent atomic.Int32
		together(func() {
			_, err := poller.Begin[raw](newRequest(t, "POST", resource).WithContext(ctx), client, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			if !poller.MayHaveStarted(err) {
				require.ErrorIs(t, err, lroerrors.ErrNotSent)
				require.Equal(t, 5*time.Millisecond, time.Since(start))
				unsent.Add(1)
			}
		})
		require.EqualValues(t, 64, s.all.Load())
		require.EqualValues(t, crowd-64, unsent.Load())
	})
}

// In a crowd, a panic in the caller's code still reaches the caller of PollUntilDone, and so does
// runtime.Goexit.
func TestPanicInCrowd(t *testing.T) {
	for name, bug := range map[string]func(){"panic": func() { panic(errBoom) }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &square{}
				client := transport.NewClient(&transport.Options{Base: s})
				var bugs, panics atomic.Int32
				s.visit = func(*http.Request) {
					bugs.Add(1)
					bug()
				}
				var began sync.WaitGroup
				began.Add(crowd)
				together(func() {
					p, err := poller.Begin[raw](newRequest(t, "POST", resource), client, nil)
					require.NoError(t, err)
					began.Done()
					began.Wait()
					var v any
					require.False(t, returns(func() {
						v = recovered(func() { _, _ = p.PollUntilDone(t.Context()) })
						runtime.Goexit()
					}))
					if v == errBoom { //nolint:errorlint // compares identity
						panics.Add(1)
					}
				})
				require.EqualValues(t, crowd, bugs.Load())
				if name == "panic" {
					require.EqualValues(t, crowd, panics.Load())
				}
			})
		})
	}
}

// The stacks of the callers in a crowd stay small, both before and after their exchanges.
func TestCrowdStacks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 4 * crowd
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would shrink the stacks
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		client := transport.NewClient(&transport.Options{Base: &square{}})
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
