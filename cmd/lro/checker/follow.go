package checker

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// A follower waits for an operation to end.
type follower struct {
	*runner
	op      *trace.Operation
	watches []trace.Watch // where to read the status; watches[0] decides when the operation has ended

	disturbs    bool // whether to send the requests that interfere with the operation; see disturb
	started     time.Time
	ran         bool      // whether the resource has shown that the operation is in progress
	over        bool      // whether the resource has shown progress and, in its last read, the end
	silentSince time.Time // when the status became useless (see givesUp); zero while it is useful
	round       int
}

// follow reads the status and the resource of op until the operation ends, and then several more
// times.
func (r *runner) follow(ctx context.Context, op *trace.Operation) error {
	f := &follower{runner: r, op: op, watches: r.spec.Watches(op), disturbs: true, started: time.Now()}
	err := f.wait(ctx)
	if err != nil || op.End == trace.Unfinished {
		return err
	}
	r.Log("the operation has ended: " + string(op.End))
	return r.readAfterEnd(ctx, op, f.watches)
}

// awaitAccepted waits for the operation that the invalid request x started. It returns right away
// if the service refused x or if x is not a PUT.
func (r *runner) awaitAccepted(ctx context.Context, op *trace.Operation, x *trace.Exchange) error {
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

// wait waits for the operation to end, and sets End. The operation stays Unfinished if it does not
// end within Timeout.
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
		if f.givesUp(state) {
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

// read reads the status at each watch, and at watches[0] over both connections. It returns the
// state at watches[0] over the first connection. Unless the operation has ended, read also reads
// the resource and calls disturb.
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

// readResource reads the resource, and updates f.ran and f.over. It does nothing if op has no known
// resource or the status is read from the resource anyway.
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

// givesUp reports whether the status has been useless for at least Patience. A status is useless in
// these cases:
//
//   - It cannot be read.
//   - Its word suggests the end of the operation, but is not in the specification.
//   - It stays in progress, although the resource shows that the operation has ended.
func (f *follower) givesUp(state trace.State) bool {
	isUseful := state == trace.InProgress && !f.over
	if isUseful {
		f.silentSince = time.Time{}
		return false
	}
	if f.silentSince.IsZero() {
		f.silentSince = time.Now()
	}
	return time.Since(f.silentSince) >= f.Patience
}

// pause waits until the next round. After a 429 or 503, it waits at least as long as pauseOf says.
func (f *follower) pause(ctx context.Context) error {
	d := f.Interval
	for _, x := range f.op.Exchanges[max(len(f.op.Exchanges)-4, 0):] {
		if isBusy(x) {
			d = max(d, pauseOf(x))
		}
	}
	return sleep(ctx, d)
}
