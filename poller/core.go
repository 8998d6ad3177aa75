package poller

import (
	"sync"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// core is a poller without its result type: the state of one operation, and
// everything that sends, waits, limits, vets and stores.
type core struct {
	*settings
	client  Doer
	origins wire.Origins  // that may be asked: those of the settings, and the first request's
	made    time.Duration // since epoch

	mu      sync.Mutex
	s       state
	reads   int32         // completed, failed ones included
	taken   bool          // the turn: by the one status read, or read of the result, under way
	woken   *time.Time    // when the notification came that makes the next read due; nil: none has
	trouble *trouble      // that the last read met; nil: none
	changed chan struct{} // closed whenever the next read may have moved; nil: nobody waits for that
	watch   []*member     // of groups that wait, told when the next read may have moved; never changed in place
}

// epoch is what the making of pollers is counted from.
var epoch = time.Now()

// trouble is that of a read. It is not changed.
type trouble struct {
	err   error
	ended lroerrors.Reason // for which the wait is over; "" if err is survived
}

// lastErr is the error of the last read, if it failed.
func (c *core) lastErr() error {
	if c.trouble == nil {
		return nil
	}
	return c.trouble.err
}

func newCore(set *settings, origins wire.Origins, client Doer, s state) *core {
	return &core{
		settings: set,
		client:   wire.OrDefault(client),
		origins:  origins,
		made:     time.Since(epoch),
		s:        s,
	}
}

// snapshot returns a copy of the state that nobody changes.
func (c *core) snapshot() state {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s
}

// storeLocked stores what was made of a snapshot. That a cancel was accepted since
// then is not lost.
func (c *core) storeLocked(s *state) {
	if c.s.extras().Canceled && !s.extras().Canceled {
		s.stay()
	}
	s.spare()
	c.s = *s
}

// update changes what is known, wakes those who wait for the next read, and returns
// the groups' members that may have to be told.
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

// changedLocked is closed at the next update.
func (c *core) changedLocked() <-chan struct{} {
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

// status returns the status last known, with what the core adds to it.
func (c *core) status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.statusLocked()
}

func (c *core) statusLocked() Status {
	st := c.s.Status.status()
	st.Unconfirmed = c.s.confirming()
	st.ReadErr = c.lastErr()
	st.NextPoll = c.nextLocked()
	return st
}

func (c *core) isDone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.done()
}

// readCount returns how many reads have been completed.
func (c *core) readCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(c.reads)
}

// where is the URL of the operation, for people.
func (c *core) where() string {
	s := c.snapshot()
	return wire.Redacted(c.pollURL(&s))
}

// pollURL is where the next status read goes.
func (c *core) pollURL(s *state) string {
	switch {
	case s.confirming():
		return s.checkURL(c.Confirm)
	case s.Checking:
		return s.checkURL(c.crossCheck(s))
	}
	return s.Poll
}
