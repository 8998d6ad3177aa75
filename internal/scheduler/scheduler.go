package scheduler

import (
	"cmp"
	"math"
	"sync"
	"time"
)

// Options configure [New].
type Options struct {
	// InFlight is the number of places. 0 means 64. A negative value, or one above 65,536, means
	// 65,536. Each read in flight occupies a place, and so does each job that has ended, until the
	// loop over Wait takes it.
	//
	// A read that has waited ten seconds for its response gives up its place. At most 8×InFlight
	// reads can continue without places, and never more than 512.
	//
	// Two more rules apply only if InFlight is 64. A read that is two seconds late takes the place
	// of a read that has waited for at least a second, unless the late read is in the slow lane. If
	// 512 reads already continue without places, the scheduler first abandons the oldest of them,
	// but not before that read has lasted for ten seconds.
	InFlight int

	// Spread limits the time over which the scheduler spreads reads that fall due together. Without
	// the limit, that time is a tenth of their pause. If reads outside the slow lane are overdue by
	// more than their pause, the scheduler spreads them over the whole pause, even if that is
	// longer than Spread. 0 means 10 s, and a negative value turns spreading off.
	Spread time.Duration

	// Abandoned is the cause with which the scheduler cancels a read's context to free the
	// connection for another read.
	Abandoned error
}

const (
	defaultInFlight = 64
	maxInFlight     = 1 << 16
)

// Stats reports the progress of a [Scheduler].
type Stats struct {
	Waiting  int // jobs that wait for their next read
	InFlight int // reads in flight, including those that have given up their places
	Ended    int // jobs that have ended, including those that Wait has not yielded yet
	Polls    int // completed reads: the sum of Outcome.Reads
	Errors   int // how many of these reads failed

	// OldestDue is the time at which the next scheduled read is due, which has passed if the read
	// is late. OldestDue is zero if no read is scheduled or no Wait is running.
	OldestDue time.Time
}

// A Scheduler reads jobs on schedule until they end. It is safe for concurrent use.
type Scheduler struct {
	options Options
	elastic bool          // whether InFlight is 64, so that the last two rules described at Options.InFlight apply
	turn    chan struct{} // a semaphore held by the Wait in progress

	mu      sync.Mutex
	members map[Job]*member
	added   uint32 // how many members have been added so far
	closed  bool
	ended   []ending // members that Wait still has to yield
	untaken int      // how many members have ended but have not been yielded yet
	run     *run     // the Wait in progress, or nil
	fault   func()   // the flight.fault of the first read that panicked in the most recent Wait
	totals  Stats    // only Ended, Polls and Errors are set
}

// New returns a scheduler without jobs.
func New(opts Options) *Scheduler {
	s := &Scheduler{options: opts, members: map[Job]*member{}, turn: make(chan struct{}, 1)}
	s.options.InFlight = cmp.Or(opts.InFlight, defaultInFlight)
	s.elastic = s.options.InFlight == defaultInFlight
	if s.options.InFlight < 0 || s.options.InFlight > maxInFlight {
		s.options.InFlight = maxInFlight
	}
	s.options.Spread = cmp.Or(opts.Spread, 10*time.Second)
	return s
}

// A member is a job in a scheduler. The struct must stay small, because a scheduler may have
// 100,000 members.
type member struct {
	job       Job
	tag       any
	scheduler *Scheduler
	lane      *lane         // the lane in which the member waits for its next read, or nil
	due       time.Duration // when its next read is due, measured from the run's epoch
	begin     time.Duration // when that read starts, at the due time or later; in a throttled lane, when the member started to wait
	seq       uint32        // 1 for the first member that was added, 2 for the second, and so on
	index     int32         // position in its lane
	known     int32         // how many completed reads of the job the scheduler knows about

	state   state
	spread  bool // whether run.spread chose the value of begin
	pulse   pulse
	refused uint8 // how many times in a row its reads have been throttled, up to maxRefused
}

// This value stands for a time that is not known yet, such as the start of a read during another
// caller's turn to read the job.
const never time.Duration = math.MaxInt64

// before orders members by the start times of their reads, then by the order in which they were
// added.
func (m *member) before(o *member) bool {
	if m.begin != o.begin {
		return m.begin < o.begin
	}
	return m.seq < o.seq
}

func (m *member) position() *int32 { return &m.index }

// A state describes what the scheduler is doing with a member.
type state uint8

const (
	queued  state = iota // waits for its next read
	reading              // is being read
	over                 // has ended, but Wait has not yielded it
	yielded              // has not ended, but the current Wait yields it and no longer reads it
	removed              // is no longer in the scheduler
)

// A pulse records whether a member's last read was slow.
type pulse uint8

const (
	unknown pulse = iota // the member has not been read yet
	prompt
	slow // the read did not succeed, and it lasted longer than longRead or was abandoned
)

// An ending is a member that Wait still has to yield, with its error.
type ending struct {
	m   *member
	err error
}
