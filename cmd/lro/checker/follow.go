package checker

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// A follower waits for the end of an operation.
type follower struct {
	*runner
	op      *trace.Operation
	watches []trace.Watch // the first one decides

	disturbs bool // whether to send the requests of disturb
	started  time.Time
	ran      bool      // whether the resource has shown that the operation is in progress
	over     bool      // whether the resource has shown the end after that
	doubt    time.Time // since when the status cannot be read, or should have ended; zero if neither is so
	round    int
}

// follow reads the status of op until it ends, and the resource next to it. Then it reads both several
// times.
func (r *runner) follow(ctx context.Context, op *trace.Operation) error {
	f := &follower{runner: r, op: op, watches: r.spec.Watches(op), disturbs: true, started: time.Now()}
	err := f.wait(ctx)
	if err != nil || op.End == trace.Unfinished {
		return err
	}
	r.Log("the operation has ended: " + string(op.End))
	return r.lookAgain(ctx, op, f.watches)
}

// settle waits for the end of an operation that an invalid request has started, because the service
// did not refuse it. The rules do not apply to this operation.
func (r *runner) settle(ctx context.Context, op *trace.Operation, x *trace.Exchange) error {
	if !x.OK() || x.Method != http.MethodPut {
		return nil
	}
	start := *x
	start.Role = trace.Start
	other := &trace.Operation{Method: x.Method, URL: x.URL, Resource: op.Resource, Exchanges: []*trace.Exchange{&start}}
	r.others = append(r.others, other)
	f := &follower{runner: r, op: other, watches: r.spec.Watches(other), started: time.Now()}
	return f.wait(ctx)
}

// wait waits for the end of the operation. The operation is unfinished if the time is up first.
func (f *follower) wait(ctx context.Context) error {
	if len(f.watches) == 0 {
		f.op.End = trace.Succeeded
		return nil
	}
	f.op.Polled = f.watches[0].Source
	if err := f.readResource(ctx, trace.During); err != nil {
		return err
	}
	for time.Since(f.started) < f.Timeout {
		state, err := f.read(ctx)
		if err != nil {
			return err
		}
		if state.Terminal() {
			f.op.End = state.End()
			return nil
		}
		if f.lost(state) {
			f.op.End = trace.Silent
			return nil
		}
		if err := f.pause(ctx); err != nil {
			return err
		}
	}
	f.Log("the operation has not ended within the timeout")
	return nil
}

// read makes one round of reads. It reads the status at each of its places, at the first place over
// both connections. Unless the operation has ended, it then reads the resource and calls disturb. It
// returns the state that the first place reports.
func (f *follower) read(ctx context.Context) (trace.State, error) {
	f.round++
	state := trace.Unknown
	phase := trace.During
	for i := range f.watches {
		x, err := f.status(ctx, f.op, phase, &f.watches[i], 1)
		if err != nil {
			return state, err
		}
		if i > 0 || x == nil {
			continue
		}
		state = f.spec.State(f.op, x)
		if state.Terminal() {
			phase = trace.After
		}
		if _, err := f.status(ctx, f.op, phase, &f.watches[i], 2); err != nil {
			return state, err
		}
	}
	if state.Terminal() {
		return state, nil
	}
	if err := f.readResource(ctx, phase); err != nil {
		return state, err
	}
	return state, f.disturb(ctx)
}

// readResource reads the resource, unless it is a place of the status, and notes what it shows.
func (f *follower) readResource(ctx context.Context, phase trace.Phase) error {
	if f.op.Resource == "" || f.watches[0].Role == trace.Resource {
		return nil
	}
	x := f.resource(f.op, 1)
	if err := f.runner.read(ctx, f.op, phase, x); err != nil {
		return err
	}
	hidden := f.op.Created() && x.StatusCode == http.StatusNotFound
	state := f.spec.State(f.op, x)
	if hidden || state == trace.InProgress {
		f.ran = true
	}
	ended := !hidden && !slices.Contains([]trace.State{trace.InProgress, trace.Unknown}, state)
	f.over = f.ran && ended
	return nil
}

// lost reports whether to give up, because the status cannot be read, or does not end although the
// resource or the word shows that the operation has ended.
func (f *follower) lost(state trace.State) bool {
	clear := state == trace.InProgress && !f.over
	if clear {
		f.doubt = time.Time{}
		return false
	}
	if f.doubt.IsZero() {
		f.doubt = time.Now()
	}
	return time.Since(f.doubt) >= f.Patience
}

// pause waits until the next round. It obeys a 429 or 503.
func (f *follower) pause(ctx context.Context) error {
	d := f.Interval
	for _, x := range f.op.Exchanges[max(len(f.op.Exchanges)-4, 0):] {
		if isBusy(x) {
			d = max(d, pauseOf(x))
		}
	}
	return sleep(ctx, d)
}
