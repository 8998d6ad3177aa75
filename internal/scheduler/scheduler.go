package scheduler

import (
	"cmp"
	"math"
	"sync"
	"time"
)

// Options configure [New].
type Options struct {
	// InFlight limits the reads in flight plus the ended jobs that the loop over Wait has not taken
	// yet. It is at most 65,536. A read that has waited ten seconds gives up its place and is no
	// longer counted; at most 8×InFlight such reads may continue, and never more than 512.
	//
	// 0 means 64, and a negative value the maximum. With 64, a read that is two seconds late also
	// takes the place of a read that has waited for a second. Once 512 reads have given up their places, the oldest of them
	// is abandoned if another read needs its connection, but not within its first ten seconds.
	InFlight int

	// Spread is the longest time over which reads that fall due together are spread. 0 means 10 s;
	// a negative value turns spreading off.
	Spread time.Duration

	// Abandoned is the cause with which the context of a read ends if the read is abandoned because
	// another one needs its connection.
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
	Polls    int // reads that have completed, as their Outcomes count them
	Errors   int // how many of these reads failed

	// OldestDue is when the next read is due. It is zero if no job waits for a read or no Wait is
	// running.
	OldestDue time.Time
}

// A Scheduler reads jobs on schedule until they end. Its methods may be called from several
// goroutines.
type Scheduler struct {
	options Options
	elastic bool          // whether InFlight is the default
	turn    chan struct{} // a semaphore that the Wait in progress holds

	mu      sync.Mutex
	members map[Job]*member
	added   uint32 // how many members have been added so far
	closed  bool
	ended   []ending // members to yield
	untaken int      // how many members have ended but have not been yielded yet
	run     *run     // the Wait in progress; nil if there is none
	fault   func()   // the flight.fault of the first read that panicked in the last Wait
	totals  Stats    // only Ended, Polls and Errors
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

// A member is a job in a scheduler. It is kept small, because there may be 100,000 of them.
type member struct {
	job       Job
	tag       any
	scheduler *Scheduler
	lane      *lane         // the lane in which it waits for its next read; nil if there is none
	due       time.Duration // when its next read is due, as the time since the run's epoch
	begin     time.Duration // when that read starts, never before due; in a throttled lane, when the member started to wait
	seq       uint32        // 1 for the first member that was added, 2 for the second, and so on
	index     int32         // position in its lane
	known     int32         // how many reads the job had completed when the scheduler last looked

	state   state
	spread  bool // whether a pace has chosen begin
	pulse   pulse
	refused uint8 // how many of its last reads were throttled in a row
}

// never is the start time of a read that has to wait for an event. It is the start time of a member
// while another caller has the turn to read the job.
const never time.Duration = math.MaxInt64

// before orders members by the start times of their reads, and then in the order in which they were
// added.
func (m *member) before(o *member) bool {
	if m.begin != o.begin {
		return m.begin < o.begin
	}
	return m.seq < o.seq
}

func (m *member) position() *int32 { return &m.index }

// A state says what a scheduler does with a member.
type state uint8

const (
	queued  state = iota // waits for its next read
	reading              // is being read
	over                 // has ended, but has not been yielded
	yielded              // has not ended, but this Wait has yielded it or will do so
	removed              // is no longer in the scheduler
)

// A pulse records whether the last read of a member got a prompt response.
type pulse uint8

const (
	unknown pulse = iota // not read yet
	prompt
	slow // the read gave up its place and got no response
)

// An ending is a member that Wait still has to yield, with its error.
type ending struct {
	m   *member
	err error
}
