package bench

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// waiting measures the memory and goroutines of an operation that waits an hour for its next read.
// The process exits inside the bubble, because ending the operations would cause a data race in
// go-azure-sdk.
func waiting(tb testing.TB, o order) figures {
	tb.Helper()
	synctest.Test(tb.(*testing.T), func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		before, goroutines := settled()
		service := newFresh(o.Ops)
		keep := waits[o.Subject](ctx, t, service, o.Ops)
		<-service.enough
		after, more := settled()
		runtime.KeepAlive(keep)
		report(t, figures{
			"bytes":      float64(after-before) / float64(o.Ops),
			"goroutines": float64(more-goroutines) / float64(o.Ops),
		})
	})
	return nil
}

// waits maps each subject to a function that starts operations and reads each status once. The
// operations then wait for their next reads.
var waits = map[string]func(ctx context.Context, tb testing.TB, service *fresh, ops int) any{
	lro: func(ctx context.Context, tb testing.TB, service *fresh, n int) any {
		client := &http.Client{Transport: transport.New(&transport.Options{Base: service})}
		ops := make([]*poller.Poller[widget], n)
		for i := range ops {
			p, err := poller.New[widget](newBeginResponse(ctx, tb, i, "3600"), client, nil)
			must(tb, err)
			_, err = p.Poll(ctx)
			must(tb, err)
			ops[i] = p
		}
		go waitTogether(ctx, ops) //nolint:errcheck // the call never returns
		return nil
	},
	azcore: func(ctx context.Context, tb testing.TB, service *fresh, n int) any {
		pl := fullPipeline(&http.Client{Transport: service})
		for i := range n {
			p, err := azruntime.NewPoller[widget](newBeginResponse(ctx, tb, i, "3600"), pl, nil)
			must(tb, err)
			_, err = p.Poll(ctx)
			must(tb, err)
			go p.PollUntilDone(ctx, nil) //nolint:errcheck // the call never returns
		}
		return nil
	},
	hashicorp: func(ctx context.Context, tb testing.TB, service *fresh, n int) any {
		c := hashicorpClient(tb, host, service)
		for i := range n {
			p, err := hashicorpPoller(newBeginResponse(ctx, tb, i, "1"), c) // a short pause, because PollUntilDone waits before its first read
			must(tb, err)
			go p.PollUntilDone(ctx) //nolint:errcheck // the call never returns
		}
		return nil
	},
	floor: func(ctx context.Context, tb testing.TB, service *fresh, n int) any {
		client, due := &http.Client{Transport: service}, time.Now().Add(time.Hour)
		waiting := make(byDue, n)
		for i := range waiting {
			known, err := takeNote(newBeginResponse(ctx, tb, i, "3600"))
			must(tb, err)
			op := &floorOperation{note: known, client: client}
			_, err = op.poll(ctx)
			must(tb, err)
			op.next = due
			waiting[i] = entry{due, op}
		}
		return waiting
	},
}

// fresh is a service that answers each read with a new status document and asks for a pause of an
// hour.
type fresh struct {
	left   atomic.Int64  // how many reads the service still expects
	enough chan struct{} // closed when the service expects no more reads
}

// newFresh returns a service that expects n reads.
func newFresh(n int) *fresh {
	s := &fresh{enough: make(chan struct{})}
	s.left.Store(int64(n))
	return s
}

func (s *fresh) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.left.Add(-1) == 0 {
		close(s.enough)
	}
	number := strings.TrimPrefix(req.URL.Path, operations)
	a := answer{code: http.StatusOK, body: document(group+"/operationResults/0000-"+number, "InProgress")}
	a.header = headers("Retry-After", "3600", "X-Ms-Request-Id", "request-"+number)
	return a.response(req), nil
}

// newBeginResponse returns the response to the request that started operation number i. As with
// responses from a network, no two of them share memory.
func newBeginResponse(ctx context.Context, tb testing.TB, i int, pause string) *http.Response {
	tb.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, fmt.Sprintf("%s%s/widgets/w%06d%s", host, group, i, version), http.NoBody)
	must(tb, err)
	a := answer{code: http.StatusCreated, body: resource("Creating")}
	a.header = headers("Retry-After", pause, "Azure-AsyncOperation", fmt.Sprintf("%s%s%06d%s", host, operations, i, version))
	return a.response(req)
}

// settled waits until all other goroutines in the bubble are durably blocked. It returns the live
// memory and the number of goroutines.
func settled() (bytes int64, goroutines int) {
	synctest.Wait()
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse), runtime.NumGoroutine()
}

// TestWaiting checks how many goroutines per operation the function waiting reports for the peers
// and for the floor.
func TestWaiting(t *testing.T) {
	for name, want := range map[string]float64{azcore: 1, hashicorp: 3, floor: 0} {
		if f := inChild(t, order{Measure: "waiting", Subject: name, Ops: 2}); f["goroutines"] != want {
			t.Errorf("%s: %v goroutines, want %v", name, f["goroutines"], want)
		}
	}
}
