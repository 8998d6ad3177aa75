package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"golang.org/x/sync/errgroup"

	"github.com/lro-go/lro/poller"
)

// These subjects send all requests through one transport, which keeps up to 256 connections open.
// By default, go-azure-sdk makes a new transport, and so a new connection, for each request, and
// would need more connections than a process may open.
const (
	azcoreTuned    = "azcore, tuned"
	hashicorpTuned = "hashicorp, tuned"
)

var fleetSubjects = []string{lro, azcore, azcoreTuned, hashicorpTuned, floor}

// everySecond lets lro poll every second, as the service asks. By default, lro polls at most once
// every 10 s.
var everySecond = &poller.Options{Cadence: poller.Cadence{Min: time.Second}}

// fleet follows o.Ops operations over the network at the same time. It measures how long this
// takes, and the CPU time and peak memory of the process.
func fleet(tb testing.TB, o order) figures {
	tb.Helper()
	before, start := cpu(tb), time.Now()
	ctx, cancel := context.WithTimeout(tb.Context(), 10*time.Minute)
	defer cancel()
	must(tb, fleets[o.Subject](ctx, tb, o))
	return figures{"cpu": (cpu(tb) - before).Seconds(), "memory": peakMemory(tb), "seconds": time.Since(start).Seconds()}
}

var fleets = map[string]func(ctx context.Context, tb testing.TB, o order) error{
	lro: func(ctx context.Context, tb testing.TB, o order) error {
		g := poller.NewGroup[*poller.Poller[widget]](nil)
		for i := range o.Ops { // no slice holds the pollers, so that only the group keeps them in memory
			p, err := poller.New[widget](fleetResponse(ctx, tb, o.Base, i), nil, everySecond)
			must(tb, err)
			g.Add(p)
		}
		return waitFor(ctx, g)
	},
	azcore: func(ctx context.Context, tb testing.TB, o order) error {
		return azcoreFleet(ctx, tb, o, fullPipeline(nil))
	},
	azcoreTuned: func(ctx context.Context, tb testing.TB, o order) error {
		return azcoreFleet(ctx, tb, o, fullPipeline(&http.Client{Transport: keeping(256)}))
	},
	hashicorpTuned: func(ctx context.Context, tb testing.TB, o order) error {
		c := hashicorpClient(tb, o.Base, keeping(256))
		var all errgroup.Group
		for i := range o.Ops {
			p, err := hashicorpPoller(fleetResponse(ctx, tb, o.Base, i), c)
			must(tb, err)
			all.Go(func() error {
				var result widget
				if err := p.PollUntilDone(ctx); err != nil {
					return err
				}
				return p.FinalResult(&result)
			})
		}
		return all.Wait()
	},
	floor: func(ctx context.Context, tb testing.TB, o order) error {
		client := &http.Client{Transport: keeping(inFlight)}
		ops := make([]pollable, o.Ops)
		for i := range ops {
			known, err := takeNote(fleetResponse(ctx, tb, o.Base, i))
			must(tb, err)
			ops[i] = &floorOperation{note: known, next: time.Now().Add(time.Second), client: client}
		}
		return schedule(ctx, ops)
	},
}

func azcoreFleet(ctx context.Context, tb testing.TB, o order, pl azruntime.Pipeline) error {
	tb.Helper()
	var all errgroup.Group
	for i := range o.Ops {
		p, err := azruntime.NewPoller[widget](fleetResponse(ctx, tb, o.Base, i), pl, nil) //nolint:bodyclose // the body is in memory
		must(tb, err)
		all.Go(func() error {
			_, err := p.PollUntilDone(ctx, nil)
			return err
		})
	}
	return all.Wait()
}

// keeping returns a transport that opens at most conns connections to a host and keeps all of them
// open while idle.
func keeping(conns int) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.MaxConnsPerHost = 0, conns, conns
	return t
}

// fleetResponse returns the response to the POST that started operation number i. The final status
// document has the result, so that no subject needs a final GET.
func fleetResponse(ctx context.Context, tb testing.TB, base string, i int) *http.Response {
	tb.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("%s%s/widgets/w%06d/restart%s", base, group, i, version), http.NoBody)
	must(tb, err)
	a := answer{code: http.StatusAccepted, body: []byte("{}")}
	a.header = headers("Retry-After", "1", "Azure-AsyncOperation", fmt.Sprintf("%s%s%06d%s", base, operations, i, version))
	return a.response(req)
}

// A floorOperation is an operation that a hand-written loop follows.
type floorOperation struct {
	note
	next   time.Time
	client *http.Client
}

func (o *floorOperation) due() time.Time { return o.next }

func (o *floorOperation) poll(ctx context.Context) (done bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.Poll, http.NoBody)
	if err != nil {
		return false, err
	}
	resp, err := o.client.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	var doc struct {
		Status string          `json:"status"`
		Result json.RawMessage `json:"properties"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
		return false, err
	}
	o.State, o.next = doc.Status, time.Now().Add(time.Second)
	return doc.Status == "Succeeded", nil
}
