//go:build !race

package poller_test

import (
	"net/http"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// baseOf is a base of package transport that responds like a Doer.
type baseOf struct{ poller.Doer }

func (b baseOf) RoundTrip(req *http.Request) (*http.Response, error) { return b.Do(req) }

// A goroutine that polls through package transport needs a stack of at most 16 KiB. Go doubles a
// stack that is too small, so a little more would take 32 KiB in each goroutine of a program that
// waits for many operations. The race detector makes frames larger.
func TestPollingStack(t *testing.T) {
	const n = 256
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would shrink the stacks
	for _, w := range protocols() {
		client := transport.NewClient(&transport.Options{Base: baseOf{w.poll}})
		polled, leave := make(chan error), make(chan struct{})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range n {
			resp := w.began(t)
			p, err := poller.New[struct{}](resp, client, nil)
			require.NoError(t, err)
			resp.Body.Close()
			go func() {
				_, err := p.Poll(t.Context())
				polled <- err
				<-leave
			}()
		}
		for range n {
			require.NoError(t, <-polled)
		}
		runtime.ReadMemStats(&after)
		close(leave)
		require.LessOrEqual(t, (after.StackInuse-before.StackInuse)/n, uint64(17<<10), w.name)
	}
}
