package engine

import (
	"context"
	"slices"
)

// An Observer is notified when the time of the next read may have changed, or when the turn to read
// has become free. The Core calls Changed without holding its lock.
type Observer interface{ Changed() }

// TryAcquire takes the turn to read if it is free, and reports whether it did.
func (c *Core) TryAcquire() bool { return c.taken.CompareAndSwap(false, true) }

// IsTaken reports whether a caller has the turn to read.
func (c *Core) IsTaken() bool { return c.taken.Load() }

// acquire waits for the turn to read, and reports whether it got the turn. It gives up when the goal is
// reached or ctx ends.
func (c *Core) acquire(ctx context.Context, goal Goal) (bool, error) {
	for {
		hasEnded := ctx.Err() != nil // check ctx first, so that a goal reached before ctx ended takes precedence
		hasReached, changed := c.peek(goal)
		if hasReached {
			return false, nil
		}
		if hasEnded {
			return false, c.Stopped(ctx)
		}
		if c.TryAcquire() {
			return true, nil
		}
		if changed == nil {
			continue // another caller got the turn after peek
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// peek reports whether the goal is reached. If a caller holds the turn to read, peek also returns a
// channel closed by the next update.
func (c *Core) peek(goal Goal) (hasReached bool, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken.Load() {
		return c.hasReachedLocked(goal), c.changedLocked()
	}
	return c.hasReachedLocked(goal), nil
}

// Release frees the turn to read and wakes the callers waiting for it. It notifies the observers
// only then, because they cannot read until the turn is free.
func (c *Core) Release() {
	notify(c.update(func() { c.taken.Store(false) }))
}

// update calls its argument with the lock held, and wakes all waiting goroutines. The caller must
// notify the observers that update returns.
func (c *Core) update(change func()) []Observer {
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
func (c *Core) changedLocked() <-chan struct{} {
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

// notify calls the observers. The caller must not hold a lock.
func notify(observers []Observer) {
	for _, o := range observers {
		o.Changed()
	}
}

// Observe makes c call o.Changed whenever the time of the next read may have changed or the turn to
// read becomes free.
func (c *Core) Observe(o Observer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observers = append(slices.Clip(c.observers), o)
}

// Ignore undoes Observe. A notification already under way may still call Changed once.
func (c *Core) Ignore(o Observer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observers = slices.DeleteFunc(slices.Clone(c.observers), func(other Observer) bool { return other == o })
}
