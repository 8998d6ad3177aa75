package poller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// What a Group needs of a Poller beside its core.

func (p *Poller[T]) core() *core {
	if p == nil {
		return nil
	}
	return p.c
}

// outcome tells how an operation that is done ended, unless its result has yet to
// be read.
func (p *Poller[T]) outcome() (ended bool, err error) {
	v, err := p.atHand()
	return v != nil || err != nil, err
}

func (p *Poller[T]) keepResult(body []byte, url string) error {
	_, err := p.keep(body, url)
	return err
}

// An outcome is what came of a turn at an operation.
type outcome struct {
	ended bool // err says how
	err   error
	busy  bool // somebody else has the turn
	reads int  // that were answered, or would have been
	fails int  // of them told nothing
}

// A job is one read.
type job struct {
	m   *member
	ctx context.Context
}

// start has m read. There are as many workers as reads have been under way at
// once, so the channel never blocks. g is locked.
func (r *run) start(m *member) {
	g := r.group
	r.queue.take(m)
	m.phase, m.placed = reading, false
	ctx, cancel := context.WithCancel(r.ctx)
	r.cancels[m] = cancel
	if g.stats.InFlight++; r.workers < g.stats.InFlight {
		r.workers++
		r.wg.Go(r.work)
	}
	r.jobs <- job{m, ctx}
}

func (r *run) work() {
	for j := range r.jobs {
		r.do(j)
	}
}

func (r *run) do(j job) {
	var o outcome
	alive := false
	defer func() { r.done(j.m, &o, alive) }()
	j.m.attempt(j.ctx, &o)
	alive = true // no Doer has ended the goroutine
}

// done takes over what came of a read, and lets the next one begin.
func (r *run) done(m *member, o *outcome, alive bool) {
	g := r.group
	g.mu.Lock()
	defer g.mu.Unlock()
	if !alive {
		r.workers--
	}
	r.cancels[m]()
	delete(r.cancels, m)
	g.stats.InFlight--
	g.stats.Polls += o.reads
	g.stats.Errors += o.fails
	signal(r.wake)
	if m.phase == gone {
		return
	}
	m.phase = waiting
	switch {
	case o.ended:
		r.finish(m, over, o.err)
	case o.busy && m.op.core().isTaken():
		r.park(m)
	default:
		m.placed = o.busy // the turn was given back before we attended: the place has not been used
		r.plan(m)
	}
}

// finish has m yielded. g is locked.
func (r *run) finish(m *member, p phase, err error) {
	r.queue.take(m)
	m.phase = p
	if p == over {
		r.group.stats.Ended++
	}
	r.group.ended = append(r.group.ended, ending{m, err})
	signal(r.news)
}

// forget ends what the schedule does for a member that was dropped. g is locked.
func (r *run) forget(m *member, was phase) {
	m.op.core().neglect(m)
	r.queue.take(m)
	if was == told {
		r.told--
	}
	if cancel := r.cancels[m]; cancel != nil {
		cancel()
	}
	signal(r.news)
}

// attempt makes a read. A panic of what the caller has given ends the operation,
// and so does the end of the goroutine.
func (m *member) attempt(ctx context.Context, o *outcome) {
	returned := false
	defer func() {
		if !returned {
			o.ended, o.err = true, m.op.core().panicked(ctx, recover())
		}
	}()
	m.read(ctx, o)
	returned = true
}

// panicked is the error of an operation that cannot be followed because what the
// caller gave for it panics. The stack is for the log.
func (c *core) panicked(ctx context.Context, v any) (err error) {
	why := errors.New("the goroutine that read it was ended from within")
	if v != nil {
		why = fmt.Errorf("panic: %s", wire.Text(fmt.Sprint(v)))
	}
	e := c.waitError(lroerrors.Unfollowable, why)
	defer func() {
		_ = recover() // it may be the log that panics
		err = e
	}()
	c.Logger.LogAttrs(ctx, slog.LevelError, "lro: panic",
		slog.String("url", e.URL), slog.Any("error", why), slog.String("stack", string(debug.Stack())))
	return e
}

// read makes the next read of an operation if the turn is free: of the status,
// and of the result as soon as it has ended.
func (m *member) read(ctx context.Context, o *outcome) {
	c := m.op.core()
	if m.atHand(o) {
		return
	}
	if ctx.Err() != nil {
		o.err = c.stopped(ctx)
		return
	}
	if !c.tryAcquire() {
		o.busy = true
		return
	}
	defer c.release()
	if m.readStatus(ctx, o) && !m.atHand(o) {
		m.readResult(ctx, o)
	}
}

// atHand ends the outcome if how the operation ended can be told without a read.
func (m *member) atHand(o *outcome) bool {
	if m.op.core().isDone() { // a caller's Done, around ours, may mean something else
		o.ended, o.err = m.op.outcome()
	}
	return o.ended
}

// readStatus reads the status, unless the operation has ended or somebody has
// just read it. It reports whether the operation has ended.
func (m *member) readStatus(ctx context.Context, o *outcome) bool {
	c := m.op.core()
	st, newer, err := c.newer(int(m.known))
	if !newer {
		st, err = c.readStatus(ctx)
		o.count(err)
	}
	m.known = int32(c.readCount()) // the turn is ours
	o.settle(err)
	return err == nil && st.State.Terminal()
}

// readResult reads the result once.
func (m *member) readResult(ctx context.Context, o *outcome) {
	c := m.op.core()
	s := c.snapshot()
	body, final, err := c.fetchOnce(ctx, &s)
	if err == nil && !final {
		err = errNotYet
	}
	o.count(err)
	if o.settle(err); err == nil {
		o.ended, o.err = true, m.op.keepResult(body, wire.Redacted(s.End.URL))
	}
}

// errNotYet stands for a failure to read the result that is survived.
var errNotYet = errors.New("the result could not be read yet")

// count counts a read, unless it was given up.
func (o *outcome) count(err error) {
	if givenUp(err) {
		return
	}
	o.reads++
	if err != nil {
		o.fails++
	}
}

// settle takes over an error that is not survived. One of a read that was given
// up ends nothing.
func (o *outcome) settle(err error) {
	_, unread := err.(*lroerrors.ResultError) //nolint:errorlint // one within tells of another operation
	if endsWait(err) || unread {
		o.ended, o.err = !givenUp(err), err
	}
}

// givenUp tells the error of a read whose context ended.
func givenUp(err error) bool {
	wait, ok := err.(*lroerrors.WaitError) //nolint:errorlint // as above
	return ok && (wait.Reason == lroerrors.Deadline || wait.Reason == lroerrors.Canceled)
}
