package chaos

import (
	"context"
	"errors"
	"sync"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// ways lists the ways to wait for an operation without a Group.
var ways = []struct {
	name   string
	follow func(c *caller, ctx context.Context, op *operation, p *thingPoller) (thing, error)
}{
	{"PollUntilDone", pollUntilDone},
	{"Updates", updates},
	{"Poll", pollLoop},
	{"a new poller before every read", resumeEveryRead},
	{"two waits at the same time", twoWaits},
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
	return p.PollUntilDone(ctx)
}

func pollLoop(_ *caller, ctx context.Context, _ *operation, p *thingPoller) (thing, error) {
	for {
		if v, over, err := turn(ctx, p); over {
			return v, err
		}
	}
}

// turn makes the next read when it is due, as a reconciler would. The second result reports whether
// the wait has ended.
func turn(ctx context.Context, p *thingPoller) (v thing, over bool, err error) {
	select {
	case <-time.After(time.Until(p.NextPoll())):
	case <-ctx.Done():
	}
	if _, err := p.Poll(ctx); isWait(err) {
		return v, true, err
	}
	if !p.Done() {
		return v, false, nil
	}
	v, err = p.Result(ctx)
	_, again := err.(*lroerrors.StatusError) //nolint:errorlint // only an unwrapped StatusError means that the wait continues
	return v, !again, err
}

func isWait(err error) bool {
	_, ok := errors.AsType[*lroerrors.WaitError](err)
	return ok
}

// resumeEveryRead makes each read with a new poller, resumed from the previous poller's token.
func resumeEveryRead(c *caller, ctx context.Context, op *operation, p *thingPoller) (thing, error) {
	for {
		token, err := p.ResumeToken()
		if err != nil {
			return thing{}, err
		}
		if p, err = poller.Resume[thing](token, c.client, c.options(op)); err != nil {
			return thing{}, err
		}
		c.tally.count("tokens resumed")
		if v, over, err := turn(ctx, p); over {
			return v, err
		}
	}
}

// twoWaits waits for the same operation in two goroutines. Both waits must return the same outcome.
func twoWaits(_ *caller, ctx context.Context, op *operation, p *thingPoller) (thing, error) {
	var other outcome
	var wg sync.WaitGroup
	wg.Go(func() {
		v, err := p.PollUntilDone(ctx)
		other = outcomeOf(op, v, err)
	})
	v, err := updates(nil, ctx, op, p)
	wg.Wait()
	if o := outcomeOf(op, v, err); o != other {
		return thing{}, errors.New("two waits for the same operation returned different outcomes: " + string(o.text()) + " and " + string(other.text()))
	}
	return v, err
}

// A member is an operation in a group.
type member struct {
	*thingPoller
	op *operation
}
