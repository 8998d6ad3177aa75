package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
)

// A Source makes the reads of one operation. The HTTP source in this package and the source of a
// Watch in package poller implement it.
type Source interface {
	// Read makes one read. It must not pause to retry if immediate is true. Read takes and returns
	// values, because pointers would move the Record and the Reading to the heap. With pointers, a
	// poll of a Location took 15% more CPU time.
	Read(ctx context.Context, r record.Record, immediate bool) record.Reading

	// Enter waits until a read of target may start, or until ctx ends. crowded reports whether the
	// read had to wait. The caller must call leave after the read.
	Enter(ctx context.Context, target exchange.Link) (crowded bool, leave func())

	// Replacement asks the strategy how to handle a failure that would end the wait. The strategy
	// may name another URL to read, or may know the status.
	Replacement(a strategy.Answer, in strategy.Situation) (record.Move, error)

	// Stop asks the service to cancel the operation. It gets the operation's record and current
	// status. If ctx ends before a response arrives, Stop returns ErrInterrupted.
	Stop(ctx context.Context, r *record.Record, now strategy.Status) error

	// Subject identifies the next read in errors and logs. name is the URL or a Watch's name, and
	// kind is "url" or "name" accordingly.
	Subject(r *record.Record) (kind, name string)

	// Key returns a comparable key that is equal for reads that a service throttles together. It
	// returns nil if the key is not known.
	Key(r *record.Record) any

	// Token returns a resume token for the record.
	Token(r *record.Record) (string, error)
}

// ErrInterrupted is the error of Source.Stop if the context ends before a response arrives.
var ErrInterrupted = errors.New("the context ended")

// Settings are an operation's options with the defaults filled in. They never change.
type Settings struct {
	HTTPSettings
	Rules  record.Rules
	Logger *slog.Logger
}

// A Core is the part of a Poller that does not depend on the result's type. It holds one
// operation's record, makes the reads, and waits between them.
type Core struct {
	settings *Settings
	source   Source
	made     int64 // when the Core was created, in Unix nanoseconds
	noResult bool  // set if the caller does not need the result

	reads atomic.Int32 // completed reads, including failed ones
	taken atomic.Bool  // whether a caller has taken the turn to read
	early atomic.Int64 // when a notification last made a read start early, in Unix nanoseconds; 0 means never

	mu        sync.Mutex
	since     time.Time // when the Core scheduled the next read, with a monotonic clock reading
	shown     int64     // the same moment on the wall clock, in Unix nanoseconds
	polls     int32     // completed reads of the status, including failed ones
	rec       record.Record
	woken     *time.Time      // the earliest time at which a pending notification makes a read due; nil if none is pending
	failure   *record.Failure // why the last read failed; nil if it succeeded
	changed   chan struct{}   // closed by the next update; nil if no caller is waiting
	observers []Observer      // never modified in place
}

// NewCore returns a Core with the given record.
func NewCore(set *Settings, source Source, r record.Record) *Core {
	c := &Core{settings: set, source: source, made: time.Now().UnixNano(), rec: r}
	c.markLocked(time.Now())
	return c
}

// A Goal is the event that a caller waits for.
type Goal uint8

// The goals that a caller can wait for.
const (
	ForEnd    Goal = iota // the operation has succeeded, failed or been canceled, but its result may still be unread
	ForResult             // the operation has ended and nothing is left to read
)

func (c *Core) hasReachedLocked(goal Goal) bool {
	if goal == ForEnd {
		return c.rec.Done()
	}
	return c.rec.Phase == record.Ended
}

// HasReached reports whether the goal has been reached.
func (c *Core) HasReached(goal Goal) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hasReachedLocked(goal)
}

// Record returns a copy of the record.
func (c *Core) Record() record.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rec
}

// Reads returns how many reads have completed, including failed ones.
func (c *Core) Reads() int32 { return c.reads.Load() }

// Status returns the last known status, with NextPoll and ReadErr filled in.
func (c *Core) Status() strategy.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.statusLocked()
}

func (c *Core) statusLocked() strategy.Status {
	st := record.CopyStatus(c.rec.Status)
	st.NextPoll = c.nextLocked()
	if c.failure != nil {
		st.ReadErr = c.failure.Err
	}
	return st
}

// ResultPointer returns the JSON pointer to the result within its document.
func (c *Core) ResultPointer() string {
	r := c.Record()
	return r.Override(c.settings.TokenOptions).Pointer
}

// ReleaseResult frees the memory of a decoded result if its body is large or can be read again.
func (c *Core) ReleaseResult() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rec.ReleaseResult()
}

// RetryResult schedules another read of a result that could not be decoded, if the result has a URL.
func (c *Core) RetryResult() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rec.RetryResult()
}

// Read waits for its turn, then reads once without pausing to retry. It skips the read if CanSkip
// returns true.
func (c *Core) Read(ctx context.Context, known int32, goal Goal) error {
	return c.read(ctx, known, goal, true)
}

func (c *Core) read(ctx context.Context, known int32, goal Goal, immediate bool) error {
	turn, err := c.acquire(ctx, goal)
	if !turn {
		return err
	}
	defer c.Release()
	canSkip, err := c.CanSkip(known, goal)
	if canSkip {
		return err
	}
	return c.readOnce(ctx, immediate)
}

// isHeldLocked reports whether a Detour.Hold forbids all reads.
func (c *Core) isHeldLocked() bool { return c.rec.Held && c.rec.IsHeld(now()) }

// CanSkip reports whether the caller can skip a read, for one of three reasons:
//
//   - The goal has been reached.
//   - A Detour.Hold forbids reading.
//   - The next read is not due yet, and another caller has made a read since Reads returned the
//     parameter known. CanSkip then also returns the last read's error.
func (c *Core) CanSkip(known int32, goal Goal) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hasReachedLocked(goal) || c.isHeldLocked() {
		return true, nil
	}
	if c.reads.Load() != known && now().Before(c.nextLocked()) {
		return true, c.failureLocked()
	}
	return false, nil
}

// Key returns a comparable key that is equal for operations whose reads a service throttles
// together. It returns nil if the key is not known.
func (c *Core) Key() any {
	r := c.Record()
	return c.source.Key(&r)
}

// ErrAbandoned is the cause with which a Group cancels a read when another read needs the
// connection.
var ErrAbandoned = errors.New("no complete response yet, and other operations of the Group needed the connection")

// ReadOnce makes one read in the current phase, without pausing to retry, and stores the outcome.
// Only the caller whose turn it is may call ReadOnce. If the read fails but the wait continues,
// ReadOnce returns a *StatusError. If the failure ends the wait, it returns a *WaitError or, for a
// read of the result, a *ResultError.
func (c *Core) ReadOnce(ctx context.Context) error { return c.readOnce(ctx, true) }

func (c *Core) readOnce(ctx context.Context, immediate bool) error {
	c.mu.Lock()
	r := c.rec
	woken := c.woken
	c.mu.Unlock()

	start := time.Now()
	read := c.source.Read(ctx, r, immediate)
	if !read.Turn.IsZero() {
		return c.postpone(&read, woken)
	}
	if read.Err != nil && ctx.Err() != nil { // the context interrupted the read
		if context.Cause(ctx) != ErrAbandoned { //nolint:errorlint // a Group sets ErrAbandoned unwrapped
			return c.Stopped(ctx)
		}
		abandon(&read)
	}
	if woken != nil && start.Before(r.Due()) {
		c.early.Store(start.UnixNano())
	}

	phase := r.Phase
	end := time.Now()
	failure := r.Apply(&read, start, end, &c.settings.Rules)
	if failure != nil && failure.AskStrategy {
		failure = c.askStrategy(&r, &read.Answer, failure)
	}
	if c.noResult {
		r.SkipResult()
	}
	return c.settle(ctx, &r, phase, woken, end, failure)
}

// askStrategy asks the strategy how to handle a failure that would end the wait. If the strategy
// decides how the operation ended, askStrategy returns nil. If the strategy names another URL to
// read, the returned failure does not end the wait.
func (c *Core) askStrategy(r *record.Record, a *strategy.Answer, failure *record.Failure) *record.Failure {
	in := strategy.Situation{Age: age(r), Lost: failure.Reason, Once: failure.Once}
	m, _ := c.source.Replacement(*a, in) // an error means only that the strategy does not know what to do
	if failure.Once && r.Decide(a, &m, &c.settings.Rules) {
		return nil
	}
	r.Replace(a, &m, failure, &c.settings.Rules)
	return failure
}

// abandon marks a reading as abandoned by a Group, and discards its response.
func abandon(read *record.Reading) {
	read.Err = &lroerrors.StatusError{Method: read.Err.Method, URL: read.Err.URL, Err: ErrAbandoned}
	read.Abandoned = true
	read.Authentic = false
	read.Code = 0
	read.Header = nil
	read.Move = record.Move{}
}

// postpone handles a read that the throttle gate held back. Such a read has not failed, and becomes
// due again at read.Turn. A notification that prompted the read stays pending until then.
func (c *Core) postpone(read *record.Reading, woken *time.Time) (err error) {
	c.update(func() {
		wasWoken := woken != nil && c.woken == woken
		if wasWoken {
			c.woken = new(read.Turn.Round(0))
		}
		c.rec.Postpone(read.Turn.Round(0))
		if c.rec.Phase == record.PendingResult {
			err = read.Err // unlike a status, a result cannot be taken from an earlier read
		}
	})
	return err
}

// settle stores and logs the outcome of a read, and returns its error. A notification that arrived
// during the read is kept for the next read.
func (c *Core) settle(ctx context.Context, r *record.Record, phase record.Phase, woken *time.Time, end time.Time, failure *record.Failure) error {
	var err error
	c.update(func() { // Release notifies the observers when the turn ends
		c.rec = *r
		c.markLocked(end)
		if c.woken == woken {
			c.woken = nil
		}
		c.reads.Add(1)
		if phase == record.Polling {
			c.polls++
		}
		c.failure = failure
		err = c.failureLocked()
	})
	c.log(ctx, r, phase, failure)
	return err
}

// failureLocked returns the last read's error, with the type that ReadOnce documents.
func (c *Core) failureLocked() error {
	f := c.failure
	if f == nil {
		return nil
	}
	if f.Result != nil {
		return f.Result
	}
	if f.Reason != "" {
		return c.waitErrorLocked(f.Reason, f.Err, nil)
	}
	return f.Err
}

// log logs a read that was made in the given phase.
func (c *Core) log(ctx context.Context, r *record.Record, phase record.Phase, failure *record.Failure) {
	if !c.settings.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	if phase != record.Polling {
		attrs := []slog.Attr{slog.String("url", r.Result.At().String())}
		if failure != nil {
			attrs = append(attrs, slog.Any("error", failure.Err))
		}
		c.settings.Logger.LogAttrs(ctx, slog.LevelDebug, "lro: result", attrs...)
		return
	}
	polled := *r
	polled.Phase = phase // so that Subject describes the read just made, not the next one
	kind, name := c.source.Subject(&polled)
	attrs := []slog.Attr{
		slog.String(kind, name),
		slog.String("state", string(r.Status.State)),
		slog.String("word", redact.Text(r.Status.Word)),
		slog.Int("status", r.Status.StatusCode),
		slog.Time("next", r.Next()),
	}
	if failure != nil {
		attrs = append(attrs, slog.Any("error", failure.Err), slog.Int("failures", r.FailedReads().Count))
	}
	c.settings.Logger.LogAttrs(ctx, slog.LevelDebug, "lro: poll", attrs...)
}

// LogPanic logs that the caller's code panicked with v or, if v is nil, called runtime.Goexit.
func (c *Core) LogPanic(ctx context.Context, v any) {
	if v == nil {
		v = "runtime.Goexit was called"
	}
	r := c.Record()
	kind, name := c.source.Subject(&r)
	logPanic(ctx, c.settings.Logger, kind, name, v)
}

// logPanic logs that the caller's code panicked with v. kind and name are the key and value of the
// attribute that identifies the operation.
func logPanic(ctx context.Context, logger *slog.Logger, kind, name string, v any) {
	logger.LogAttrs(ctx, slog.LevelError, "lro: panic",
		slog.String(kind, name),
		slog.String("error", redact.Text(fmt.Sprint(v))),
		slog.String("stack", string(debug.Stack())),
	)
}

// now returns the wall-clock time without a monotonic clock reading. The monotonic clock stops
// while a machine is suspended, and means nothing in another process.
func now() time.Time { return time.Now().Round(0) }
