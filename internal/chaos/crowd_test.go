package chaos

import (
	"context"
	"sync"

	"github.com/lro-go/lro/poller"
)

// atOnce is the maximum number of operations that a crowd starts or follows at the same time,
// outside its group.
const atOnce = 192

// A crowd is a set of callers that follow a world's operations. It records the outcomes that they
// saw.
type crowd struct {
	callers []*caller
	group   *poller.Group[member]
	tally   *tally

	mu   sync.Mutex
	seen map[*operation][]outcome
}

func newCrowd(url string, clients []poller.Doer, t *tally) *crowd {
	c := &crowd{group: poller.NewGroup[member](nil), tally: t, seen: map[*operation][]outcome{}}
	for _, client := range clients {
		c.callers = append(c.callers, &caller{url, client, t})
	}
	return c
}

// follow starts all operations and follows each one until it has ended.
func (c *crowd) follow(ctx context.Context, operations []*operation) {
	var grouped sync.WaitGroup
	grouped.Go(func() { c.wait(ctx) })
	queue := make(chan *operation)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for op := range queue {
				c.one(ctx, op)
			}
		})
	}
	for _, op := range operations {
		queue <- op
	}
	close(queue)
	workers.Wait()
	c.group.Close()
	grouped.Wait()
}

// c.one starts an operation, and then follows it or adds it to the group.
func (c *crowd) one(ctx context.Context, op *operation) {
	by := c.callers[op.index%len(c.callers)]
	p, err := by.begin(ctx, op)
	if err != nil {
		c.record(op, thing{}, err)
		return
	}
	n := op.index / len(c.callers) % (len(ways) + 2) // a number below len(ways) selects a way, and the other two select the group
	if n >= len(ways) {
		c.tally.count("followed with a Group")
		c.group.Add(member{p, op})
		return
	}
	c.tally.count("followed with " + ways[n].name)
	v, err := ways[n].follow(by, ctx, op, p)
	c.record(op, v, err)
}

// wait records the outcome of each operation that the group yields.
func (c *crowd) wait(ctx context.Context) {
	for m, err := range c.group.Wait(ctx) {
		var v thing
		if err == nil {
			v, err = m.Result(ctx)
		}
		c.record(m.op, v, err)
	}
}

func (c *crowd) record(op *operation, v thing, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[op] = append(c.seen[op], outcomeOf(op, v, err))
}
