package poller

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/wire"
)

// A core is the part of a Poller that does not depend on the type of the result. It holds the
// record of one operation, makes the reads, and waits between them.
type core struct {
	*settings
	client  Doer             // the caller's client, with redirects limited to the origins
	origins exchange.Origins // the allowed origins: Options.Origins and the origin of the first request
	made    int64            // when the core was created, in Unix nanoseconds
	read    source
	last    atomic.Pointer[parsedLink] // the URL of the last request

	reads atomic.Int32 // completed reads, including failed ones
	taken atomic.Bool  // whether a caller has the turn to read
	early atomic.Int64 // when a notification last led to an early read, in Unix nanoseconds; 0 means never

	mu      sync.Mutex
	polls   int32 // completed reads of the status
	rec     record
	first   *firstHeader  // the headers of the first response, kept until the first read
	woken   *time.Time    // when the pending notification arrived; nil if none is pending
	trouble *trouble      // why the last read failed; nil if it succeeded
	changed chan struct{} // closed when the time of the next read may have changed; nil if no caller is waiting for that
	// observers are notified when the time of the next read may have changed. The slice is never
	// modified in place.
	observers []observer
}

func newCore(set *settings, origins exchange.Origins, client Doer, r record) *core {
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

// update calls change under the lock and wakes all goroutines that are waiting for the next read.
// It returns the observers, for a caller that must then notify them.
func (c *core) update(change func()) []observer {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
	return c.observers
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
	st := *copyStatus(c.rec.Status, unchanged)
	st.NextPoll = c.nextLocked()
	if c.trouble != nil {
		st.ReadErr = c.trouble.err
	}
	return st
}

// troubleLocked returns the same error as the call to readOnce that made the last read.
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

// wasHeld reports whether the throttle gate of package transport held back the last read.
func (c *core) wasHeld() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble != nil && c.trouble.unsent
}

// isDone reports whether the operation has ended: succeeded, failed or canceled.
func (c *core) isDone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rec.done()
}

// isRead reports whether nothing is left to read.
func (c *core) isRead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hasEnded()
}

// attempt waits for its turn to read and then reads once. It skips the read if enough reports true,
// or if another caller has read in the meantime and the next read is not due yet. seen is the
// number of reads that the caller knows about. enough is called under the lock.
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

// newer reports whether a read can be skipped. That is the case if enough reports true, if another
// caller has just read, or if a Move.Hold forbids reading. If so, newer also returns the last known
// status and, if another caller has read, the error of that read.
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

// hasEnded reports whether nothing is left to read. The caller holds the lock.
func (c *core) hasEnded() bool { return c.rec.Phase == ended }

// acquire waits for its turn to read, and reports whether the turn came. It gives up when enough
// reports true or ctx ends. enough is called under the lock.
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
			continue // another caller got the turn after we looked
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// release ends the turn of its caller and wakes the callers that are waiting for theirs. It
// notifies observers only after that, because they cannot read while another caller has the turn.
func (c *core) release() {
	notify(c.update(func() { c.taken.Store(false) }))
}

// An observer learns that the time of the next read may have changed, or that the turn to read has
// become free.
type observer interface{ Changed() }

// notify calls Changed of each observer. The caller must not hold the core's lock, because an
// observer takes its own lock first, and calls methods of the core under it.
func notify(observers []observer) {
	for _, o := range observers {
		o.Changed()
	}
}
