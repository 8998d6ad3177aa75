package chaos

import (
	"context"
	"errors"
	"sync"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// ways of waiting, but for that of a Group.
var ways = []struct {
	name   string
	follow func(c *caller, ctx context.Context, op *operation, p *thingPoller) (thing, error)
}{
	{"PollUntilDone", pollUntilDone},
	{"Updates", updates},
	{"Poll", pollLoop},
	{"a token after every read", handOver},
	{"two at once", together},
}

func pollUntilDone(_ *caller, ctx context.Context, _ *operation, p *thingPoller) (thing, error) {
	return p.PollUntilDone(ctx)
}

func updates(_ *caller, ctx context.Context, _ *operation, p *thingPoller) (thing, error) {
	for _, err := range p.Updates(ctx) {
		if err != nil {
			return thing{}, err
		}
	}
	return p.Result(ctx)
}

func pollLoop(_ *caller, ctx context.Context, _ *operation, p *thingPoller) (thing, error) {
	for !p.Done() {
		if err := pollWhenDue(ctx, p); err != nil {
			return thing{}, err
		}
	}
	return p.Result(ctx)
}

// pollWhenDue is one turn of a reconciler. Its error ends the wait.
func pollWhenDue(ctx context.Context, p *thingPoller) error {
	select {
	case <-time.After(time.Until(p.NextPoll())):
	case <-ctx.Done():
	}
	_, err := p.Poll(ctx)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return wait
	}
	return nil
}

// handOver has another poller make each read.
func handOver(c *caller, ctx context.Context, op *operation, p *thingPoller) (thing, error) {
	for {
		token, err := p.ResumeToken()
		if err != nil {
			return thing{}, err
		}
		if p, err = poller.Resume[thing](token, c.client, c.options(op)); err != nil {
			return thing{}, err
		}
		c.tally.count("tokens resumed")
		if p.Done() {
			return p.Result(ctx)
		}
		if err := pollWhenDue(ctx, p); err != nil {
			return thing{}, err
		}
	}
}

// together has two wait for the same operation. They must be told the same.
func together(_ *caller, ctx context.Context, op *operation, p *thingPoller) (thing, error) {
	var other outcome
	var wg sync.WaitGroup
	wg.Go(func() {
		v, err := p.PollUntilDone(ctx)
		other = outcomeOf(op, v, err)
	})
	v, err := updates(nil, ctx, op, p)
	wg.Wait()
	if o := outcomeOf(op, v, err); o != other {
		return thing{}, errors.New("two that wait were told different endings: " + string(o.text()) + " and " + string(other.text()))
	}
	return v, err
}

// A member is an operation in a group.
type member struct {
	*thingPoller
	op *operation
}
