package poller

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/lro-go/lro/internal/exchange"
)

const (
	// After longRead without a response, a read gives up its place, so that a silent service
	// does not delay the operations of other services.
	longRead = 10 * time.Second

	// A read that is overdue by at least late takes the place of a read that has waited for its
	// response for at least shortRead.
	late, shortRead = 2 * time.Second, time.Second

	// maxLong limits the reads that continue without a place. It is half of maxConnections.
	maxLong, maxConnections = 512, 1024

	// maxUnused limits how many contexts of reads are kept for later reads.
	maxUnused = 64
)

// errGivenUp is the error of a read that is abandoned because another read needs its connection.
var errGivenUp = errors.New("no complete response yet, and other operations of the Group needed the connection")

// A lane is a queue of members whose reads share a limit. Most members are in the open lane. The
// fresh lane has the members that have not been read yet. The slow lane has the members whose last
// read gave up its place and got no response. These two lanes never use all places. Members that a
// service throttles together wait in a throttled lane, whose first read is a probe.
type lane struct {
	members queue[*member]
	key     exchange.ThrottleKey // the key of a throttled lane
	until   time.Duration        // no read starts before this time
	width   int                  // how many reads may be in flight
	flying  int                  // reads in flight, except the ones that have given up their places
	index   int32                // position among the run's throttled lanes
}

// isThrottled reports whether l is a throttled lane. A nil lane is not.
func (l *lane) isThrottled() bool { return l != nil && l.key != (exchange.ThrottleKey{}) }

// ready returns the time at which the next read of the lane may start, or parked if that depends on
// an event.
func (l *lane) ready() time.Duration {
	if len(l.members) == 0 || l.flying >= l.width || l.members[0].begin == parked {
		return parked
	}
	return max(l.members[0].begin, l.until)
}

func (l *lane) before(o *lane) bool { return l.ready() < o.ready() }
func (l *lane) position() *int32    { return &l.index }

// A flight is a read in flight. When the read ends, a later read can use its context, unless the
// context was canceled.
type flight struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	m      *member
	lane   *lane
	began  time.Duration
	turn   *list.Element // an element of run.placed or, once the read has given up its place, of run.long
	long   bool          // whether the read has given up its place
}

// openLanes creates the lanes of a new run.
func (r *run) openLanes() {
	r.throttled = map[exchange.ThrottleKey]*lane{}
	for _, l := range []**lane{&r.open, &r.fresh, &r.slow} {
		*l = &lane{width: math.MaxInt}
	}
}

// home returns the lane in which m waits unless m is throttled.
func (r *run) home(m *member) *lane {
	return []*lane{unknown: r.fresh, prompt: r.open, slow: r.slow}[m.pulse]
}

// put moves a member to a lane or, if it is already there, to its new position. The caller holds
// g.mu.
func (r *run) put(m *member, l *lane) {
	if m.lane != l {
		r.take(m)
	}
	m.lane = l
	l.members.put(m)
	r.moved(l)
}

// take removes a member from its lane. The caller holds g.mu.
func (r *run) take(m *member) {
	if l := m.lane; l != nil {
		l.members.take(m)
		m.lane = nil
		r.moved(l)
	}
}

// moved updates the position of a throttled lane, and removes it if it is no longer needed.
func (r *run) moved(l *lane) {
	switch {
	case r.throttled[l.key] != l: // l is not a throttled lane, or another one has replaced it
	case len(l.members) == 0 && l.flying == 0:
		r.closed.take(l)
		delete(r.throttled, l.key)
	default:
		r.closed.put(l)
	}
}

// lanes extends its argument with the lanes that may be ready, in the order in which they become
// ready.
func (r *run) lanes(list []*lane) []*lane {
	list = append(list, r.open, r.fresh, r.slow)
	if len(r.closed) > 0 {
		list = append(list, r.closed[0])
	}
	slices.SortStableFunc(list, func(a, b *lane) int { return cmp.Compare(a.ready(), b.ready()) })
	return list
}

// nextLane chooses among the lanes whose first member may be read now, and returns the one whose
// first member has been due the longest. If there is none, it returns the time at which to look
// again. The caller holds g.mu.
func (r *run) nextLane(now time.Duration) (*lane, time.Duration) {
	next := r.giveUpLong(now)
	var list [4]*lane
	for _, l := range r.lanes(list[:0]) { // another lane may have room even if the first is full
		if ready := l.ready(); ready > now {
			next = min(next, ready)
		} else if room := r.room(l, now); room <= now {
			return l, now
		} else {
			next = min(next, room)
		}
	}
	return nil, next
}

// room makes room for the next read of a lane, and returns the argument now. If no room can be made
// yet, it returns the time at which to try again.
func (r *run) room(l *lane, now time.Duration) time.Duration {
	for !r.hasRoom(l) {
		oldest := r.placed.Front()
		if oldest == nil || l == r.slow || !r.group.elastic || r.group.untaken > 0 {
			return parked
		}
		f := oldest.Value.(*flight)
		at := max(l.members[0].begin+late, f.began+shortRead)
		full, longest := r.long.Len() >= r.mostLong(), r.long.Front()
		if full {
			at = max(at, longest.Value.(*flight).began+longRead)
		}
		if at > now {
			return at
		}
		if full {
			given := r.long.Remove(longest).(*flight)
			given.turn = nil
			given.cancel(errGivenUp)
		}
		r.giveUp(f)
	}
	return now
}

// hasRoom reports whether a read of a lane may start. While there are members whose reads get
// prompt responses, an eighth of the places is reserved for them.
func (r *run) hasRoom(l *lane) bool {
	n := r.group.options.InFlight
	if r.placed.Len()+r.group.untaken >= n || len(r.flights) >= max(n+r.mostLong(), maxConnections) {
		return false
	}
	isDoubtful, anyPrompt := l == r.fresh || l == r.slow, len(r.open.members)+r.open.flying+len(r.throttled) > 0
	return !isDoubtful || !anyPrompt || r.fresh.flying+r.slow.flying < n-n/8
}

// mostLong returns how many reads may continue without a place.
func (r *run) mostLong() int { return min(8*r.group.options.InFlight, maxLong) }

// giveUpLong makes the reads that have waited for longRead give up their places. It returns the
// time at which the next read will have waited that long.
func (r *run) giveUpLong(now time.Duration) time.Duration {
	for e := r.placed.Front(); e != nil && r.long.Len() < r.mostLong() && r.group.untaken == 0; e = r.placed.Front() {
		f := e.Value.(*flight)
		if at := f.began + longRead + 1; at > now {
			return at
		}
		r.giveUp(f)
	}
	return parked
}

// giveUp takes away a read's place; the read continues without one.
func (r *run) giveUp(f *flight) {
	r.placed.Remove(f.turn)
	f.turn, f.long = r.long.PushBack(f), true
	f.lane.flying--
	r.moved(f.lane)
}

// takeOff records that a read is starting, and returns the context of the read.
func (r *run) takeOff(m *member) context.Context {
	var f *flight
	if last := len(r.unused) - 1; last >= 0 {
		f, r.unused[last], r.unused = r.unused[last], nil, r.unused[:last]
	} else {
		f = new(flight)
		f.ctx, f.cancel = context.WithCancelCause(r.ctx)
	}
	f.m, f.lane, f.began = m, m.lane, r.now()
	f.lane.flying++
	f.turn = r.placed.PushBack(f)
	r.flights[m] = f
	r.take(m)
	return f.ctx
}

// land records that a read has ended. Each response widens a throttled lane by one read; after a
// 429, hold narrows it to one.
func (r *run) land(m *member, answered bool) {
	f := r.flights[m]
	delete(r.flights, m)
	if m.pulse = prompt; !answered && (f.turn == nil || r.now()-f.began > longRead) {
		m.pulse = slow
	}
	if f.turn != nil {
		if !f.long {
			r.placed.Remove(f.turn)
		} else {
			r.long.Remove(f.turn)
		}
	}
	if !f.long {
		f.lane.flying--
	}
	if answered && f.lane.isThrottled() {
		f.lane.width++
	}
	r.moved(f.lane)
	if f.ctx.Err() != nil || len(r.unused) >= maxUnused {
		f.cancel(nil)
		return
	}
	*f = flight{ctx: f.ctx, cancel: f.cancel} // so that it does not keep m in memory
	r.unused = append(r.unused, f)
}

// hold puts a member whose read was throttled in the throttled lane of its key, ahead of the
// members that started to wait later. If there is no such lane, hold creates one only if the
// throttle gate of package transport held the read back (byGate); with any other client, a 429
// affects only one operation. The caller holds g.mu.
func (r *run) hold(m *member, since time.Duration, byGate bool) {
	key := m.op.core().throttleKey()
	l := r.throttled[key]
	if m.place != queued || m.lane == nil || key == (exchange.ThrottleKey{}) || l == nil && !byGate {
		return
	}
	if l == nil {
		l = &lane{key: key}
	}
	l.width, l.until = 1, max(l.until, min(m.due, r.now()+exchange.MaxThrottle))
	if m.due <= l.until {
		m.begin, m.placed, r.throttled[key] = since, false, l
		r.put(m, l)
	}
	r.moved(l)
}

// admit reports whether a member may be read. If its key has a throttled lane, admit moves the
// member there instead.
func (r *run) admit(m *member) bool {
	if len(r.throttled) == 0 || m.lane.isThrottled() {
		return true
	}
	l := r.throttled[m.op.core().throttleKey()]
	if l == nil {
		return true
	}
	m.begin, m.placed = m.due, false
	r.put(m, l)
	return false
}

// throttleKey returns the key by which a service throttles the next read. It is zero for a
// Watch.
func (c *core) throttleKey() exchange.ThrottleKey {
	r := c.snapshot()
	at, _ := c.task(&r)
	u := at.Parse()
	if u == nil || at.IsZero() {
		return exchange.ThrottleKey{}
	}
	return exchange.ThrottleKeyOf(http.MethodGet, u)
}
