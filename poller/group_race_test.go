package poller_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// TestRace runs two groups, PollUntilDone, Updates, Cancel, Remove and WakeUp on the same
// operations in real time, so that the race detector can find data races.
func TestRace(t *testing.T) {
	t.Parallel()
	var throttled atomic.Int32
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch x := rand.IntN(40); {
		case r.Method == http.MethodPost:
			write(w, "202\nLocation: "+r.URL.Path)
		case x < 4 && throttled.Add(1) <= 5: // only a few times, because each 429 makes the throttle gate slower
			write(w, "429\nRetry-After-Ms: 3")
		case x < 6:
			write(w, "500")
		case x < 8:
			write(w, "drop")
		case x < 9:
			write(w, "200 1")
		default:
			write(w, "202\nRetry-After: 0")
		}
	})
	client := through(h, transport.Options{MinDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond})
	opts := &poller.Options{
		Cadence:       poller.Cadence{First: time.Millisecond, Default: 4 * time.Millisecond, Max: 5 * time.Millisecond},
		CancelRequest: func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: "/cancel"}, nil },
	}
	gs := []*poller.Group[named]{poller.NewGroup[named](&poller.GroupOptions{InFlight: 3}), poller.NewGroup[named](nil)}
	var ops []named
	for i := range 60 {
		op := followWith(t, client, fmt.Sprint("subscriptions/s/providers/P.Q/", i), opts)
		ops = append(ops, op)
		gs[0].Add(op)
		gs[1].Add(op)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var wg, others sync.WaitGroup
	stop := make(chan struct{})
	for _, g := range gs {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				one, done := context.WithTimeout(ctx, 50*time.Millisecond)
				for _, err := range g.Wait(one) {
					_ = err
					if n%3 == 0 {
						break
					}
				}
				done()
				if s := g.Stats(); s.Waiting+s.InFlight == 0 {
					return
				}
			}
		})
	}
	for i := range 6 {
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(200 * time.Microsecond):
				}
				op, g := ops[rand.IntN(len(ops))], gs[rand.IntN(2)]
				c, done := context.WithTimeout(ctx, 5*time.Millisecond)
				switch i {
				case 0:
					_, _ = op.PollUntilDone(c)
				case 1:
					for _, err := range op.Updates(c) {
						_ = err
					}
				case 2:
					_ = op.Cancel(c)
				case 3:
					g.Remove(op)
					if !op.Done() {
						g.Add(op)
					}
				case 4:
					op.WakeUp()
					_ = g.Stats()
					_ = g.String()
					_, _ = op.ResumeToken()
				case 5:
					_, _ = op.Poll(c)
					_, _ = op.Result(c)
				}
				done()
			}
		})
	}
	wg.Wait()
	close(stop)
	others.Wait()
	require.NoError(t, ctx.Err())
	for _, op := range ops {
		if !op.Done() { // the operation may have been removed before it ended
			_, err := op.PollUntilDone(context.Background())
			_ = err
		}
	}
}
