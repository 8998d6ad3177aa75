package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// starters is the number of goroutines that send requests to start operations. At the same time,
// the group follows the operations that have already started.
const starters = 32

type widget struct{ Name string }

// A creation is an operation that creates a widget. The group yields the creation itself, so the
// caller can read the widget's name from it.
type creation struct {
	*poller.Poller[widget]
	name string
}

// A fleet starts operations and follows them.
type fleet struct {
	cfg    config
	origin string // the origin of the service
	client *http.Client
	group  *poller.Group[*creation]
	start  time.Time

	mu sync.Mutex
	counts
}

// counts says how many operations had each outcome.
type counts struct {
	Started                int
	Refused                int // rejected by the service
	Done, Failed, Canceled int
	Resumable              int // did not end while the fleet waited, but have a token
	Lost                   int // did not end while the fleet waited and have no token; must be 0
}

func newFleet(cfg config, origin string) *fleet {
	return &fleet{
		cfg:    cfg,
		origin: origin,
		client: transport.NewClient(nil), // a real service requires credentials: see Token in transport.Options
		group:  poller.NewGroup[*creation](nil),
		start:  time.Now(),
	}
}

// run follows all operations and counts how they end.
func (f *fleet) run(ctx context.Context) {
	for c, err := range f.follow(ctx) {
		f.count(c, err)
	}
}

// follow starts all operations and yields each one when it ends. When ctx ends, it yields the
// operations that have started but have not ended.
func (f *fleet) follow(ctx context.Context) iter.Seq2[*creation, error] {
	return func(yield func(*creation, error) bool) {
		// The wait continues after ctx has ended, until the last call to Begin has returned. By
		// then, every operation that has started is in the group, so Wait yields it.
		waiting, endWait := context.WithCancel(context.WithoutCancel(ctx))
		defer endWait()
		ctx, cancel := context.WithCancel(ctx)
		var starting sync.WaitGroup
		defer starting.Wait()
		defer cancel()
		starting.Go(func() {
			f.startAll(ctx)
			f.group.Close() // now Wait returns as soon as all operations in the group have ended
		})
		defer context.AfterFunc(ctx, func() {
			starting.Wait()
			endWait()
		})()
		for c, err := range f.group.Wait(waiting) {
			if !yield(c, err) {
				return
			}
		}
	}
}

// startAll starts all operations, or as many as it can before ctx ends. Each subscription has its
// own starters, so a throttled subscription does not delay the others.
func (f *fleet) startAll(ctx context.Context) {
	var all sync.WaitGroup
	for k := range subscriptions {
		var next atomic.Int64
		for range starters / subscriptions {
			all.Go(func() {
				for ctx.Err() == nil {
					i := k + subscriptions*int(next.Add(1)-1)
					if i >= f.cfg.n {
						return
					}
					f.startOne(ctx, i)
				}
			})
		}
	}
	all.Wait()
}

// startOne starts operation i and adds it to the group.
func (f *fleet) startOne(ctx context.Context, i int) {
	c, err := f.create(ctx, i)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.Started++
		f.group.Add(c)
		return
	}
	if ctx.Err() == nil { // otherwise, the program is stopping
		f.Refused++
	}
}

func (f *fleet) create(ctx context.Context, i int) (*creation, error) {
	name := fmt.Sprintf("w%06d", i)
	url := f.origin + collection(i%subscriptions, ending(i)) + "/" + name
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(`{"properties": {}}`))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	// The service asks for pauses of a few seconds, but by default, the poller reads a status at
	// most once every 10 s. Keep that default in production, because reads count against request
	// limits.
	p, err := poller.Begin[widget](req, f.client, &poller.Options{Cadence: poller.Cadence{Min: f.cfg.pause / 2}})
	if err != nil {
		return nil, err
	}
	return &creation{p, name}, nil
}

// count counts an operation that has ended or that the fleet has stopped waiting for.
func (f *fleet) count(c *creation, err error) {
	_, noToken := c.ResumeToken() // a program that resumes operations would store the token
	f.mu.Lock()
	defer f.mu.Unlock()
	failure, failed := errors.AsType[*lroerrors.OperationError](err)
	switch {
	case err == nil:
		f.Done++
	case failed && failure.State == poller.Canceled:
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
