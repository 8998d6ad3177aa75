package poller

import (
	"cmp"
	"context"
	"net/http"
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

// state is what is known of an operation, and what a token holds.
type state struct {
	Method, Target string
	*rules

	Poll   string     // absolute
	memo   *knownMemo // of the last Move; nil: none
	Cancel *Request
	Status summary
	End    *success // of an operation that told success; not changed in place
	*extra          // nil: none

	LastRead time.Time     // when the last answer came, the first one included
	Next     time.Time     // when the next read is due
	Given    time.Duration // the pause that the service last asked for
	Failing  *failures     // nil: the last read told a status; not changed in place

	First *firstAnswer // of an operation that could not be followed yet

	Created  bool // the first answer was a 201 to a PUT
	Inline   bool // the next answer may hold the result
	Read     bool // a poll has told a status
	Now      bool // the next read is due at once: a cross-check
	Asked    bool // when it is due, the service said
	Paused   bool // it has asked for one
	Checking bool // the status is lost: a check is asked in its place
	Held     bool // no read may come before the next is due
}

// success is where the result of an operation is.
type success struct {
	Result        // URL absolute
	From   string // the URL that gave a result in hand
	Read   []byte // the document at the URL, where a check has just read it
}

// success is that of the operation, the zero one before it has succeeded.
func (s *state) success() success {
	if s.End == nil || !s.done() {
		return success{}
	}
	return *s.End
}

func (s *state) done() bool { return s.Status.State.Terminal() }

// failures is the run of reads that told no status.
func (s *state) failures() failures {
	if s.Failing == nil {
		return failures{}
	}
	return *s.Failing
}

// rules are what holds for all that is asked about an operation, the same for most.
// They are not changed.
type rules struct {
	Via     FinalStateVia
	Pointer string           // to the result within its document
	Words   map[string]State // beside the usual ones
	Header  http.Header      // of the first request, what travels with every poll
}

func makeRules(r rules) *rules {
	if r.Via == "" && r.Pointer == "" && len(r.Words)+len(r.Header) == 0 {
		return &usualRules
	}
	return new(r)
}

// with are the rules of the same service for what another request began.
func (r *rules) with(header http.Header) *rules {
	return makeRules(rules{r.Via, r.Pointer, r.Words, header})
}

var usualRules rules

// The caller's options go before what a token brought.

func (s *state) via(option FinalStateVia) FinalStateVia { return cmp.Or(option, s.Via) }

func (s *state) pointer(option string) string { return cmp.Or(option, s.Pointer) }

func (s *state) words(option map[string]State) map[string]State {
	if len(option) > 0 {
		return option
	}
	return s.Words
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

// nextLocked is when the next status read is due; zero when there is none.
func (c *core) nextLocked() time.Time {
	switch {
	case c.s.done():
		return time.Time{}
	case c.isWokenLocked():
		return earlier(c.s.due(), time.Now())
	}
	return c.s.due()
}

// isWokenLocked reports whether a notification makes the next read due. One that
// came while none may be made has to wait.
func (c *core) isWokenLocked() bool { return c.woken != nil && !c.s.early() }

// due is when the next read is due.
func (s *state) due() time.Time {
	if s.Now {
		return s.LastRead
	}
	return s.Next
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// wake makes one read due at once. A read that is under way may have been
// answered before what the notification tells, so it does not count.
func (c *core) wake() {
	tellGroups(c.update(func() { c.woken = cmp.Or(c.woken, new(time.Now())) }))
}

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

// stopped is the error of a wait that the caller's context ended.
func (c *core) stopped(ctx context.Context) error {
	reason := lroerrors.Canceled
	if ctx.Err() == context.DeadlineExceeded {
		reason = lroerrors.Deadline
	}
	e := c.waitError(reason, nil)
	e.Err = wire.ContextError(ctx)
	return e
}

// waitError tells what is known at this moment. lastErr is that of the read that
// ended the wait; nil for the one of the last read.
func (c *core) waitError(reason lroerrors.Reason, lastErr error) *lroerrors.WaitError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waitErrorLocked(reason, lastErr)
}

func (c *core) waitErrorLocked(reason lroerrors.Reason, lastErr error) *lroerrors.WaitError {
	s := c.s
	if lastErr == nil {
		lastErr = c.lastErr()
	}
	return &lroerrors.WaitError{
		Reason:   reason,
		State:    string(s.Status.State),
		Word:     s.Status.Word,
		URL:      wire.Redacted(c.pollURL(&s)),
		LastErr:  lastErr,
		Polls:    int(c.reads),
		Elapsed:  time.Since(epoch) - c.made,
		NextPoll: s.due(),
		Asked:    s.Asked && !s.Now,
		Token:    func() (string, error) { return encodeToken(s) },

		Unconfirmed: s.confirming(),
	}
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
