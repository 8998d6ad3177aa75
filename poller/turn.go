package poller

import "context"

// acquire takes the turn to read, or fails with the context's end.
func (c *core) acquire(ctx context.Context) error {
	_, err := c.acquireUnless(ctx, func() bool { return false })
	return err
}

// acquireUnless takes the turn, unless enough, called under the lock, reports
// true before it comes. It reports whether it took it.
func (c *core) acquireUnless(ctx context.Context, enough func() bool) (bool, error) {
	for {
		ended := ctx.Err() != nil
		c.mu.Lock()
		ready, free := enough(), !c.taken && !ended
		if ready || free {
			c.taken = c.taken || !ready
			c.mu.Unlock()
			return !ready, nil
		}
		changed := c.changedLocked()
		c.mu.Unlock()
		if ended {
			return false, c.stopped(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// release gives the turn to who is waiting for it. Groups learn here what has
// changed meanwhile: without the turn they could not read.
func (c *core) release() {
	tellGroups(c.update(func() { c.taken = false }))
}

// tryAcquire takes the turn if nobody has it.
func (c *core) tryAcquire() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	free := !c.taken
	c.taken = true
	return free
}

func (c *core) isTaken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken
}
