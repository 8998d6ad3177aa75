package scheduler

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// A lane is a queue of members waiting for their reads. The package documentation describes the
// lanes.
type lane struct {
	members queue[*member]
	key     any           // the Job.Key of a throttled lane; nil in other lanes
	until   time.Duration // no read starts before this time
	asking  *flight       // the read that blocks the lane (see run.ask), or nil
	free    bool          // whether the last blocking read completed without a call to Hold, so that reads no longer block the lane
	flying  int           // reads in flight, except those that have given up their places
	index   int32         // position in run.throttledQueue
}

// isThrottled reports whether l, which may be nil, is a throttled lane.
func (l *lane) isThrottled() bool { return l != nil && l.key != nil }

// ready returns when the lane's next read may start, or the constant never if the lane is empty or
// blocked by a read.
func (l *lane) ready() time.Duration {
	if len(l.members) == 0 || l.asking != nil {
		return never
	}
	return max(l.members[0].begin, l.until)
}

// linger is how long a run keeps an empty throttled lane after lane.until, so that members
// throttled together wait in the same lane again.
const linger = time.Second

// expires returns when a throttled lane is no longer needed, or the constant never while the lane
// is in use.
func (l *lane) expires() time.Duration {
	if len(l.members) > 0 || l.asking != nil {
		return never
	}
	return l.until + linger
}

// next returns when a throttled lane becomes ready or expires.
func (l *lane) next() time.Duration { return min(l.ready(), l.expires()) }

func (l *lane) before(o *lane) bool { return l.next() < o.next() }
func (l *lane) position() *int32    { return &l.index }

// A flight is a read that has started but not ended.
type flight struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	m       *member
	lane    *lane
	began   time.Duration
	element *list.Element // the element in run.placed or run.long; nil once the read is abandoned
	long    bool          // whether the flight has given up its place

	outcome Outcome
	fault   func() // repeats the job's panic or runtime.Goexit; nil if the job's code returned normally
}

// A run is the state of a Wait in progress.
type run struct {
	scheduler *Scheduler
	ctx       context.Context // ends when the caller's context or the loop ends, or when a read panics
	stop      context.CancelFunc
	wg        sync.WaitGroup

	// epoch is the start of the run. The queues store durations since epoch, because comparing
	// times with and without a monotonic clock reading is unreliable.
	epoch time.Time
	begin time.Time // the same moment as epoch, with a monotonic clock reading

	idle chan *flight  // passes a read to an idle goroutine; nil ends the goroutine
	wake chan struct{} // signals that the schedule has changed
	news chan struct{} // signals that there is a job to yield, or that Wait may have to end

	open, fresh, slow *lane
	throttled         map[any]*lane
	throttledQueue    queue[*lane] // the throttled lanes, ordered by lane.next
	paces             [3]pace      // for reads after a success, reads after a failure, and long overdue reads
	flights           map[*member]*flight
	turns             map[*member]time.Duration // for each member whose last read was throttled, when it started to wait
	placed            list.List                 // *flight values that have places, oldest first
	long              list.List                 // *flight values that have given up their places, oldest first
	yielded           int                       // how many members are in the state yielded
}

// now returns the wall-clock time since the run's epoch, corrected if the wall clock has been set
// back by a second or more.
func (r *run) now() time.Duration { return wallClock().Sub(r.epoch) + r.setBack() }

// setBack returns how far the wall clock has been set back since the run started. It ignores
// differences below a second, because clocks drift.
func (r *run) setBack() time.Duration {
	behind := time.Since(r.begin) - wallClock().Sub(r.epoch)
	if behind < time.Second {
		return 0
	}
	return behind
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a signal is already pending
	}
}
