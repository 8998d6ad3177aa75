package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// beginners is how many operations are started at the same time. The group reads the
// operations that were started earlier in parallel.
const beginners = 32

// A widget is the resource of the service, and the result of an operation.
type widget struct {
	Name       string `json:"name,omitempty"`
	Properties struct {
		Size int `json:"size"`
	} `json:"properties"`
}

// A creation is an operation that creates a widget. The group yields the value that was
// added, so that the loop has the name when the operation has ended.
type creation struct {
	*poller.Poller[widget]
	name string
}

// A fleet begins operations and follows them.
type fleet struct {
	cfg     config
	endings []fakes.Ending // that the operations are to have
	origin  string         // of the service
	client  *http.Client
	group   *poller.Group[*creation]
	start   time.Time

	mu sync.Mutex
	counts
}

// counts are of operations.
type counts struct {
	Begun     int // and answered
	Refused   int // could not be started
	Done      int
	Failed    int
	Canceled  int
	Resumable int // not followed to the end, and a token can be made
	Lost      int // neither; there should be none
}

func newFleet(cfg config, origin string) *fleet {
	return &fleet{
		cfg:     cfg,
		endings: cfg.endings(),
		origin:  origin,
		// A real service wants credentials: see Token in transport.Options.
		client: transport.NewClient(nil),
		group:  poller.NewGroup[*creation](&poller.GroupOptions{InFlight: cfg.inflight}),
		start:  time.Now(),
	}
}

// options returns the options of every operation.
//
// The Cadence is for this demonstration only. It lets the service ask for a pause of a few
// seconds, and halves that pause for the first read after a failed one. By default, the
// poller reads every 10 s at most, whatever the service asks for. Keep the default in
// production, because reads count against the request limits of the subscription.
func (f *fleet) options() *poller.Options {
	return &poller.Options{
		Cadence: poller.Cadence{Min: f.cfg.pause / 2},
	}
}

// run begins and follows all operations, and counts how they end.
func (f *fleet) run(ctx context.Context) {
	for c, err := range f.follow(ctx) {
		f.count(c, err)
	}
}

// follow starts all operations and yields each one when it ends. When ctx ends, it yields
// the remaining ones. It starts operations while it follows earlier ones.
func (f *fleet) follow(ctx context.Context) iter.Seq2[*creation, error] {
	return func(yield func(*creation, error) bool) {
		// The wait outlives ctx until the last Begin has returned. Every operation that
		// was started is then in the group, and Wait yields it.
		waiting, endWait := context.WithCancel(context.WithoutCancel(ctx))
		defer endWait()
		ctx, cancel := context.WithCancel(ctx)
		var beginning sync.WaitGroup
		defer beginning.Wait()
		defer cancel()
		beginning.Go(func() {
			f.beginAll(ctx)
			f.group.Close() // Wait ends when these have ended
		})
		defer context.AfterFunc(ctx, func() {
			beginning.Wait()
			endWait()
		})()
		for c, err := range f.group.Wait(waiting) {
			if !yield(c, err) {
				return
			}
		}
	}
}

// beginAll begins the operations, as far as it gets before ctx ends. Each
// subscription has its own beginners: one that is throttled keeps no other waiting.
func (f *fleet) beginAll(ctx context.Context) {
	var all errgroup.Group
	for k := range subscriptions {
		all.Go(func() error {
			var g errgroup.Group
			g.SetLimit(beginners / subscriptions)
			for i := k; i < f.cfg.n && ctx.Err() == nil; i += subscriptions {
				g.Go(func() error {
					f.begin(ctx, i)
					return nil
				})
			}
			return g.Wait()
		})
	}
	_ = all.Wait() // none of them fails
}

// begin begins the i-th operation and adds it to the group.
func (f *fleet) begin(ctx context.Context, i int) {
	c, err := f.ask(ctx, i)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err == nil:
		f.Begun++
		f.group.Add(c)
	case ctx.Err() == nil:
		f.Refused++
	}
}

func (f *fleet) ask(ctx context.Context, i int) (*creation, error) {
	var want widget
	want.Properties.Size = i
	body, err := json.Marshal(want)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("w%06d", i)
	url := f.origin + collection(i%subscriptions, f.endings[i]) + "/" + name
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	p, err := poller.Begin[widget](req, f.client, f.options())
	if err != nil {
		return nil, err
	}
	return &creation{p, name}, nil
}

// count counts how an operation ended, or that its wait did.
func (f *fleet) count(c *creation, err error) {
	_, noToken := c.ResumeToken() // a program that wants to resume would store it
	f.mu.Lock()
	defer f.mu.Unlock()
	failure, failed := errors.AsType[*lroerrors.OperationError](err)
	switch {
	case err == nil:
		f.Done++
	case failed && failure.State == string(poller.Canceled):
		f.Canceled++
	case failed:
		f.Failed++
	case noToken == nil:
		f.Resumable++
	default:
		f.Lost++
	}
}

// counted returns the current counts.
func (f *fleet) counted() counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts
}
