package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// waiting is what an operation costs that nothing happens to: live heap and
// stacks, and goroutines. Each subject follows o.Ops of them to their end, which
// does not come: the first read is due in an hour.
func waiting(tb testing.TB, o order) figures {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 2*time.Hour)
	tb.Cleanup(cancel) // which a child does not come to: go-azure-sdk has a data race there
	before, goroutines := settled()
	keep := waits[o.Subject](ctx, tb, o.Ops)
	after, more := settled()
	runtime.KeepAlive(keep)
	return figures{
		"bytes":      float64(after-before) / float64(o.Ops),
		"goroutines": float64(more-goroutines) / float64(o.Ops),
	}
}

// waits begin so many operations and follow them, by subject.
var waits = map[string]func(ctx context.Context, tb testing.TB, ops int) any{
	lro: func(ctx context.Context, tb testing.TB, n int) any {
		client := &http.Client{Transport: transport.New(&transport.Options{Base: fresh{}})}
		ops := make([]*poller.Poller[widget], n)
		for i := range ops {
			p, err := poller.New[widget](freshBegun(ctx, tb, i), client, nil)
			must(tb, err)
			ops[i] = p
		}
		go waitTogether(ctx, ops) //nolint:errcheck // it is left waiting
		return nil
	},
	azcore: func(ctx context.Context, tb testing.TB, n int) any {
		pl := fullPipeline(&http.Client{Transport: fresh{}})
		for i := range n {
			p, err := azruntime.NewPoller[widget](freshBegun(ctx, tb, i), pl, nil)
			must(tb, err)
			go p.PollUntilDone(ctx, nil) //nolint:errcheck // it is left waiting
		}
		return nil
	},
	hashicorp: func(ctx context.Context, tb testing.TB, n int) any {
		c := hashicorpClient(tb, host, fresh{})
		for i := range n {
			p, err := hashicorpPoller(freshBegun(ctx, tb, i), c)
			must(tb, err)
			go p.PollUntilDone(ctx) //nolint:errcheck // it is left waiting
		}
		return nil
	},
	floor: func(ctx context.Context, tb testing.TB, n int) any {
		due := time.Now().Add(time.Hour)
		waiting := make(byDue, n)
		for i := range waiting {
			known, err := takeNote(freshBegun(ctx, tb, i))
			must(tb, err)
			waiting[i] = entry{due, &noted{note: known, next: due}}
		}
		return waiting
	},
}

// fresh is a service that nobody asks.
type fresh struct{}

func (fresh) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nothing is due")
}

// freshBegun is the response that began the ith operation, with a header, a
// request and URLs that are no other's, as off a connection.
func freshBegun(ctx context.Context, tb testing.TB, i int) *http.Response {
	tb.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, fmt.Sprintf("%s%s/widgets/w%06d%s", host, group, i, version), http.NoBody)
	must(tb, err)
	a := answer{code: http.StatusCreated, body: resource("Creating")}
	a.header = headers("Retry-After", "3600", "Azure-AsyncOperation", fmt.Sprintf("%s%s%06d%s", host, operations, i, version))
	return a.response(req)
}

// settled is what lives once everything that was started has come to rest:
// there are as many goroutines as at the last look.
func settled() (bytes int64, goroutines int) {
	for last := -1; last != goroutines; {
		last = goroutines
		time.Sleep(50 * time.Millisecond)
		goroutines = runtime.NumGoroutine()
	}
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse), goroutines
}

// What waits in a goroutine is seen to do so.
func TestWaiting(t *testing.T) {
	for name, want := range map[string]float64{azcore: 1, hashicorp: 3, floor: 0} {
		if f := inChild(t, order{Measure: "waiting", Subject: name, Ops: 2}); f["goroutines"] != want {
			t.Errorf("%s: %v goroutines, want %v", name, f["goroutines"], want)
		}
	}
}
