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

// A baseOf adapts a Doer to http.RoundTripper, the type of Base in transport.Options.
type baseOf struct{ poller.Doer }

func (b baseOf) RoundTrip(req *http.Request) (*http.Response, error) { return b.Do(req) }

// A 16 KiB stack must be enough for a goroutine that polls through package transport. Otherwise, Go
// doubles it to 32 KiB. The test does not run under the race detector, which makes stack frames
// larger.
func TestPollingStack(t *testing.T) {
	const n = 256
	all := protocols()
	runtime.GC() // frees the stacks of earlier goroutines, which new ones would otherwise reuse
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a garbage collection would shrink the stacks
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	polled, leave := make(chan error), make(chan struct{})
	for _, w := range all {
		client := transport.NewClient(&transport.Options{Base: baseOf{w.poll}})
		for range n {
			resp := w.firstResponse(t)
			p, err := poller.New[struct{}](resp, client, nil)
			require.NoError(t, err)
			resp.Body.Close()
			go func() {
				_, err := p.Poll(t.Context())
				polled <- err
				<-leave
			}()
		}
	}
	for range n * len(all) {
		require.NoError(t, <-polled)
	}
	runtime.ReadMemStats(&after)
	close(leave)
	grown := int64(after.StackInuse) - int64(before.StackInuse)
	require.Greater(t, grown, int64(n*len(all)*8<<10), "the measurement must include the stacks")
	require.LessOrEqual(t, grown, int64(n*len(all)*17<<10))
}
