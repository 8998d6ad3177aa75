package bench

import (
	"container/heap"
	"context"
	"time"

	"github.com/lro-go/lro/poller"
)

// inFlight is the maximum number of concurrent requests from a hand-written loop.
const inFlight = 64

// waitTogether adds ops to a poller.Group and waits for all of them.
func waitTogether(ctx context.Context, ops []*poller.Poller[widget]) error {
	g := poller.NewGroup[*poller.Poller[widget]](nil)
	for _, op := range ops {
		g.Add(op)
	}
	return waitFor(ctx, g)
}

// waitFor closes g and waits for its operations. It stops at the first error.
func waitFor(ctx context.Context, g *poller.Group[*poller.Poller[widget]]) error {
	g.Close()
	for _, err := range g.Wait(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}

// A pollable is an operation that the function schedule polls whenever it is due, until it has
// ended.
type pollable interface {
	due() time.Time
	poll(context.Context) (done bool, err error)
}

// schedule waits for ops in a hand-written loop with a heap and 64 workers. It stops at the first
// error.
func schedule(ctx context.Context, ops []pollable) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work, back := make(chan pollable), make(chan outcome, inFlight)
	defer close(work)
	for range inFlight {
		go func() {
			for op := range work {
				done, err := op.poll(ctx)
				back <- outcome{op, done, err}
			}
		}()
	}
	waiting := make(byDue, 0, len(ops))
	for _, op := range ops {
		waiting = append(waiting, entry{op.due(), op})
	}
	heap.Init(&waiting)
	for flying := 0; len(waiting)+flying > 0; {
		out, next, timer := waiting.next(work, flying)
		select {
		case <-timer:
		case out <- next:
			heap.Pop(&waiting)
			flying++
		case o := <-back:
			flying--
			if o.err != nil {
				return o.err
			}
			if !o.done {
				heap.Push(&waiting, entry{o.op.due(), o.op})
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

type outcome struct {
	op   pollable
	done bool
	err  error
}

// next returns the workers' channel and the operation that is due or, if none is due yet, a timer
// for the next one. It returns only nils if no operation is waiting or all workers are busy.
func (h byDue) next(work chan pollable, flying int) (out chan<- pollable, next pollable, timer <-chan time.Time) {
	if len(h) == 0 || flying == inFlight {
		return nil, nil, nil
	}
	if wait := time.Until(h[0].at); wait > 0 {
		return nil, nil, time.After(wait)
	}
	return work, h[0].op, nil
}

type entry struct {
	at time.Time
	op pollable
}

type byDue []entry

func (h byDue) Len() int           { return len(h) }
func (h byDue) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h byDue) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byDue) Push(x any)        { *h = append(*h, x.(entry)) }
func (h *byDue) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	return e
}
