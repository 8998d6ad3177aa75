package scheduler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errAbandoned = errors.New("abandoned")
	errTooLate   = errors.New("too late")
)

// simulated is a [Job] whose reads are answered by a function. Its first read is due after ten
// seconds, and each reply sets the next pause.
type simulated struct {
	name   string
	key    any
	reply  func(ctx context.Context, n int) reply // returns the reply to the nth read; may block
	logged func(v any)                            // implements Panicked; may be nil

	reads atomic.Int32
	busy  atomic.Bool // whether it is a caller's turn to read the job

	mu        sync.Mutex
	due       time.Time
	last      reply           // the reply to the last completed read
	at        []time.Duration // when the reads started, measured from the start of the test
	observers []Observer
}

// A reply is the response to a read of a simulated job. The zero reply means that the job is in
// progress.
type reply struct {
	takes  time.Duration // how long the read takes
	pause  time.Duration // the pause before the next read; 0 means ten seconds unless the field more, ended or unsent is set
	failed bool          // the read failed
	lasts  bool          // the read lasts until its context ends
	more   bool          // the job has ended, but its result needs another read
	ended  bool          // the job has ended with err
	err    error         // the error that Job.Read reports

	throttled bool // the service refused the read because of its rate limit
	unsent    bool // the read was not sent, because it would have been throttled
}

var (
	inProgress = reply{}
	hasEnded   = reply{ended: true}
)

// started is when each test starts: the initial time of a synctest bubble.
var started = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC).Local()

// job returns a job whose reads get the given replies in order. The last reply is repeated.
func job(name string, replies ...reply) *simulated {
	return jobOf(name, func(_ context.Context, n int) reply { return replies[min(n, len(replies))-1] })
}

// silent returns a job whose service accepts each read but does not respond. Each read fails after
// five minutes.
func silent(name string) *simulated {
	return job(name, reply{takes: 5 * time.Minute, failed: true})
}

// jobOf returns a job whose nth read gets the reply f(ctx, n).
func jobOf(name string, f func(ctx context.Context, n int) reply) *simulated {
	return &simulated{name: name, reply: f, due: wallClock().Add(10 * time.Second), last: reply{pause: 10 * time.Second}}
}

// dueIn makes the first read due after the given pause.
func (j *simulated) dueIn(pause time.Duration) *simulated {
	j.due = wallClock().Add(pause)
	j.last.pause = pause
	return j
}

func (j *simulated) Due(ctx context.Context, known int32) Due {
	j.mu.Lock()
	defer j.mu.Unlock()
	d := Due{At: j.due, Fits: true, Pause: j.last.pause, Failed: j.last.failed}
	if j.reads.Load() != known {
		d.Err = j.last.err
	}
	if deadline, ok := ctx.Deadline(); ok {
		d.Fits = j.due.Before(deadline)
	}
	return d
}

func (j *simulated) Read(ctx context.Context, o *Outcome, more func() bool) {
	if j.hasEnded(o) {
		return
	}
	if ctx.Err() != nil {
		o.Err = context.Cause(ctx)
		return
	}
	if !j.busy.CompareAndSwap(false, true) {
		o.Busy = true
		return
	}
	defer j.release()
	if j.reads.Load() != o.Known && wallClock().Before(j.nextDue()) {
		o.Known = j.reads.Load()
		return // another caller has just read the job
	}
	if j.readOnce(ctx, o) && more() {
		j.readOnce(ctx, o)
	}
	j.hasEnded(o)
}

// readOnce makes one read, and reports whether the job has ended but its result needs another read.
func (j *simulated) readOnce(ctx context.Context, o *Outcome) bool {
	j.mu.Lock()
	j.at = append(j.at, time.Since(started))
	n := len(j.at)
	j.mu.Unlock()
	r := j.reply(ctx, n)
	takes := time.After(r.takes)
	if r.lasts {
		takes = nil
	}
	if r.lasts || r.takes > 0 {
		select {
		case <-takes:
		case <-ctx.Done():
			if context.Cause(ctx) != errAbandoned { //nolint:errorlint // compares identity
				return false
			}
			r = reply{failed: true}
		}
	}
	o.Throttled = r.throttled || r.unsent
	if r.unsent {
		j.postpone(r.pause)
		return false
	}
	j.set(r)
	o.Reads++
	if r.failed {
		o.Failed++
	}
	o.Known = j.reads.Load()
	return r.more
}

// set completes a read with the reply r. The next read is due after r's pause.
func (j *simulated) set(r reply) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r.pause == 0 && !r.more && !r.ended {
		r.pause = 10 * time.Second
	}
	j.due = wallClock().Add(r.pause)
	j.last = r
	j.reads.Add(1)
}

// postpone records that a read was not sent. The next one is due after the pause.
func (j *simulated) postpone(pause time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.due = wallClock().Add(pause)
}

func (j *simulated) hasEnded(o *Outcome) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	o.Ended = j.last.ended
	o.Err = j.last.err
	return o.Ended
}

func (j *simulated) nextDue() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.due
}

// wake makes the next read due immediately.
func (j *simulated) wake() {
	j.mu.Lock()
	j.due = wallClock()
	j.mu.Unlock()
	j.changed()
}

// readByOther simulates another caller's read. It does nothing if a read is already in progress or
// the job has ended.
func (j *simulated) readByOther(r reply) {
	if !j.busy.CompareAndSwap(false, true) {
		return
	}
	defer j.release()
	time.Sleep(r.takes)
	if !j.hasEnded(&Outcome{}) {
		j.set(r)
	}
}

// release ends a caller's turn to read the job.
func (j *simulated) release() {
	j.busy.Store(false)
	j.changed()
}

func (j *simulated) changed() {
	j.mu.Lock()
	observers := j.observers
	j.mu.Unlock()
	for _, o := range observers {
		o.Changed()
	}
}

// times returns when the job's reads started, measured from the start of the test.
func (j *simulated) times() []time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.at)
}

func (j *simulated) Known() int32   { return j.reads.Load() }
func (j *simulated) Busy() bool     { return j.busy.Load() }
func (j *simulated) Key() any       { return j.key }
func (j *simulated) TooLate() error { return errTooLate }

func (j *simulated) Panicked(_ context.Context, v any) {
	if j.logged != nil {
		j.logged(v)
	}
}

func (j *simulated) Observe(o Observer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.observers = append(slices.Clip(j.observers), o)
}

func (j *simulated) Ignore(o Observer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.observers = slices.DeleteFunc(slices.Clone(j.observers), func(other Observer) bool { return other == o })
}

// closed returns a closed scheduler with the given jobs.
func closed(opts Options, jobs ...*simulated) *Scheduler {
	opts.Abandoned = errAbandoned
	s := New(opts)
	for _, j := range jobs {
		s.Add(j, j)
	}
	s.Close()
	return s
}

// manyJobs returns n jobs that are due in a minute and end with their first reads.
func manyJobs(n int) (jobs []*simulated) {
	for i := range n {
		jobs = append(jobs, job(fmt.Sprint("job", i), hasEnded).dueIn(time.Minute))
	}
	return jobs
}

// wait ranges over s.Wait to its end. For each job, it returns a line with the job's name, the time
// when Wait yielded it, and its error, such as "a 1m0s too late".
func wait(ctx context.Context, s *Scheduler) (ends []string) {
	for tag, err := range s.Wait(ctx) {
		ends = append(ends, endOf(tag, err))
	}
	return ends
}

func endOf(tag any, err error) string {
	line := fmt.Sprint(tag.(*simulated).name, " ", time.Since(started))
	if err != nil {
		line += " " + err.Error()
	}
	return line
}

// every returns n durations: from, from+gap, from+2×gap and so on.
func every(from, gap time.Duration, n int) (times []time.Duration) {
	for i := range n {
		times = append(times, from+time.Duration(i)*gap)
	}
	return times
}

// readsOf returns the start times of all the jobs' reads, in order.
func readsOf(jobs ...*simulated) (all []time.Duration) {
	for _, j := range jobs {
		all = append(all, j.times()...)
	}
	slices.Sort(all)
	return all
}

const sec = time.Second
