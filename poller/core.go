package poller

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lro-go/lro/internal/wire"
)

// A core is a poller without its result type: the record of one operation, and the code
// that reads, waits, limits, vets and stores.
type core struct {
	*settings
	client  Doer         // with redirects limited to the origins
	origins wire.Origins // that may be read: the origins in the settings, and the first request's
	made    int64        // when the core was created, in Unix nanoseconds
	read    source

	reads atomic.Int32 // completed, failed ones included
	early atomic.Int64 // when a notification last led to an early read, in Unix nanoseconds; 0: never
	taken atomic.Bool  // whether a caller has the turn to read

	mu      sync.Mutex
	rec     record
	polls   int32         // completed reads of the status
	first   string        // the headers of the first response as HTTP writes them, until the first read
	woken   *time.Time    // when the notification came that makes the next read due; nil if none is pending
	trouble *trouble      // why the last read failed; nil if it succeeded
	changed chan struct{} // closed when the next read may have moved; nil if no caller waits for that
	watch   []*member     // of waiting groups, notified when the next read may have moved; copied before each change
}

func newCore(set *settings, origins wire.Origins, client Doer, r record) *core {
	c := &core{settings: set, client: wire.Guard(client), origins: origins, made: time.Now().UnixNano(), rec: r}
	c.read = (*core).overHTTP
	return c
}

// snapshot returns a copy of the record.
func (c *core) snapshot() record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rec
}

// update applies a change, wakes every caller that waits for the next read, and returns
// the group members to notify.
func (c *core) update(change func()) []*member {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
	return c.watch
}

// changedLocked returns a channel that the next update closes.
func (c *core) changedLocked() <-chan struct{} {
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

// status returns the last known status, with NextPoll and ReadErr filled in.
func (c *core) status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.statusLocked()
}

func (c *core) statusLocked() Status {
	st := c.rec.Status.copied(unchanged)
	st.NextPoll = c.nextLocked()
	if c.trouble != nil {
		st.ReadErr = c.trouble.err
	}
	return st
}

// troubleLocked returns the error of the last read, as the caller that read got it.
func (c *core) troubleLocked() error {
	switch t := c.trouble; {
	case t == nil:
		return nil
	case t.result != nil:
		return t.result
	case t.ended != "":
		return c.waitErrorLocked(t.ended, t.err, nil)
	default:
		return t.err
	}
}

// wasHeld reports whether our own throttle gate held back the last read.
func (c *core) wasHeld() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble != nil && c.trouble.unsent
}

// isDone reports whether the operation has ended: succeeded, failed or canceled.
func (c *core) isDone() bool {
	r := c.snapshot()
	return r.done()
}

// attempt makes one read, unless another read finished while we waited for the turn and
// the next is not due yet, or enough reports true. enough is called under the lock.
// seen is the number of reads that the caller knows about.
func (c *core) attempt(ctx context.Context, seen int32, enough func() bool) (Status, error) {
	turn, err := c.acquire(ctx, enough)
	if !turn {
		return c.status(), err
	}
	defer c.release()
	if st, ok, err := c.newer(seen, enough); ok {
		return st, err
	}
	return c.readOnce(ctx)
}

// newer reports whether no read is needed: enough reports true, another caller has just
// read, or a Move.Hold forbids reading. It then returns the known status, with the
// error of the other caller's read.
func (c *core) newer(seen int32, enough func() bool) (Status, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case enough(), c.rec.isHeld():
		return c.statusLocked(), true, nil
	case c.reads.Load() != seen && now().Before(c.nextLocked()):
		return c.statusLocked(), true, c.troubleLocked()
	}
	return Status{}, false, nil
}

// hasEnded reports, under the lock, whether nothing is left to read.
func (c *core) hasEnded() bool { return c.rec.Phase == ended }

// acquire takes the turn to read, unless enough reports true before the turn is free.
// It reports whether it took the turn. enough is called under the lock.
func (c *core) acquire(ctx context.Context, enough func() bool) (bool, error) {
	for {
		over := ctx.Err() != nil
		c.mu.Lock()
		ready := enough()
		var changed <-chan struct{}
		if c.taken.Load() {
			changed = c.changedLocked()
		}
		c.mu.Unlock()
		switch {
		case ready:
			return false, nil
		case over:
			return false, c.stopped(ctx)
		case c.taken.CompareAndSwap(false, true):
			return true, nil
		case changed == nil:
			continue // another caller has just taken it
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// release frees the turn for the next caller that waits for it. Only here are groups
// notified, because they cannot read without the turn.
func (c *core) release() {
	tellGroups(c.update(func() { c.taken.Store(false) }))
}
