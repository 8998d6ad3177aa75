package bench

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"golang.org/x/sync/errgroup"

	"github.com/lro-go/lro/poller"
)

var crowdSubjects = []string{lro, azcore, floor}

// The function handles operation number i. The caller keeps the returned value until all operations
// have been handled, so that the peak memory includes it.
type each func(ctx context.Context, i int) (any, error)

// burst starts o.Ops operations at the same time, each on its own goroutine, without waiting for
// the operations to end.
func burst(tb testing.TB, o order) figures {
	tb.Helper()
	return crowd(tb, o, bursts[o.Subject](o))
}

// blocking waits for o.Ops operations at the same time, each on its own goroutine, like a caller
// without a poller.Group.
func blocking(tb testing.TB, o order) figures {
	tb.Helper()
	return crowd(tb, o, blocks[o.Subject](tb, o))
}

// beginMany starts o.Ops operations at the same time, each on its own goroutine, and waits for
// them.
func beginMany(tb testing.TB, o order) figures {
	tb.Helper()
	return crowd(tb, o, func(ctx context.Context, i int) (any, error) {
		req, err := beginRequest(ctx, o.Base, i)
		if err != nil {
			return nil, err
		}
		p, err := poller.Begin[struct{}](req, nil, everySecond) // struct{}, because the service has no resource to read as the result
		if err != nil {
			return nil, err
		}
		return p.PollUntilDone(ctx)
	})
}

func crowd(tb testing.TB, o order, do each) figures {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 5*time.Minute)
	defer cancel()
	before, kept, start := cpu(tb), make([]any, o.Ops), make(chan struct{})
	var all errgroup.Group
	for i := range o.Ops {
		all.Go(func() (err error) {
			<-start
			kept[i], err = do(ctx, i)
			return err
		})
	}
	close(start)
	must(tb, all.Wait())
	runtime.KeepAlive(kept)
	return figures{"cpu": (cpu(tb) - before).Seconds(), "memory": peakMemory(tb)}
}

var bursts = map[string]func(o order) each{
	lro: func(o order) each {
		return func(ctx context.Context, i int) (any, error) {
			req, err := beginRequest(ctx, o.Base, i)
			if err != nil {
				return nil, err
			}
			return poller.Begin[widget](req, nil, nil)
		}
	},
	azcore: func(o order) each {
		pl := fullPipeline(nil)
		return func(ctx context.Context, i int) (any, error) {
			raw, err := beginRequest(ctx, o.Base, i)
			if err != nil {
				return nil, err
			}
			req, err := azruntime.NewRequestFromRequest(raw)
			if err != nil {
				return nil, err
			}
			resp, err := pl.Do(req)
			if err != nil {
				return nil, err
			}
			return azruntime.NewPoller[widget](resp, pl, nil)
		}
	},
	floor: func(o order) each {
		client := &http.Client{Transport: keeping(inFlight)}
		return func(ctx context.Context, i int) (any, error) {
			req, err := beginRequest(ctx, o.Base, i)
			if err != nil {
				return nil, err
			}
			resp, err := client.Do(req)
			if err != nil {
				return nil, err
			}
			return takeNote(resp)
		}
	},
}

// beginRequest returns the request that starts the operation on widget number i of a fleetService.
func beginRequest(ctx context.Context, base string, i int) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, fmt.Sprintf("%s%s/widgets/%d%s", base, group, i, version),
		bytes.NewReader(resource("Creating")))
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

var blocks = map[string]func(tb testing.TB, o order) each{
	lro: func(tb testing.TB, o order) each {
		return func(ctx context.Context, i int) (any, error) {
			p, err := poller.New[widget](fleetResponse(ctx, tb, o.Base, i), nil, everySecond)
			if err != nil {
				return nil, err
			}
			return p.PollUntilDone(ctx)
		}
	},
	azcore: func(tb testing.TB, o order) each {
		pl := fullPipeline(nil)
		return func(ctx context.Context, i int) (any, error) {
			p, err := azruntime.NewPoller[widget](fleetResponse(ctx, tb, o.Base, i), pl, nil)
			if err != nil {
				return nil, err
			}
			return p.PollUntilDone(ctx, nil)
		}
	},
	floor: func(tb testing.TB, o order) each {
		return func(ctx context.Context, i int) (any, error) {
			known, err := takeNote(fleetResponse(ctx, tb, o.Base, i))
			if err != nil {
				return nil, err
			}
			op := &floorOperation{note: known, client: http.DefaultClient}
			for done := false; !done && err == nil; {
				select {
				case <-ctx.Done():
					return nil, ctx.Err()
				case <-time.After(time.Second):
					done, err = op.poll(ctx)
				}
			}
			return op, err
		}
	},
}

func TestCrowds(t *testing.T) {
	const ops = 20
	for _, name := range crowdSubjects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFleetService(t, ops, 1)
			inChild(t, order{Measure: "burst", Subject: name, Base: s.URL, Ops: ops})
			s.check(t, name)
			if runtime.GOOS == "darwin" {
				t.Skip("SSL_CERT_FILE has no effect on this system")
			}
			s, certFile := newHTTP2Service(t, ops, 2)
			inChild(t, order{Measure: "blocking", Subject: name, Base: s.URL, Ops: ops}, "SSL_CERT_FILE="+certFile)
			s.check(t, name)
		})
	}
}
