package record

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

const (
	sec  = span(time.Second)
	minu = span(time.Minute)
)

// TestRunOfFailedReads checks what a failed read adds to the run. The read is due after 10 minutes
// and takes a second.
func TestRunOfFailedReads(t *testing.T) {
	toOther := Move{Move: strategy.Move{Poll: checkURL}}
	for _, row := range []struct {
		name   string
		before *Failures
		pause  time.Duration // the actual pause before the read
		event  event
		want   Failures
	}{
		{"the first one", nil, 10 * time.Minute, code(500), Failures{Count: 1, Other: 1, Spent: sec}},
		{"the second one", &Failures{Count: 1, Other: 1, Spent: sec}, 10 * time.Minute, code(500), Failures{Count: 2, Other: 2, Spent: 10*minu + 2*sec}},
		{"early, after a WakeUp", &Failures{Count: 1, Other: 1, Spent: sec}, 3 * time.Minute, code(500), Failures{Count: 2, Other: 2, Spent: 3*minu + 2*sec}},
		{"late, because the process was down", &Failures{Count: 1, Other: 1, Spent: sec}, 2 * time.Hour, code(500), Failures{Count: 2, Other: 2, Spent: 10*minu + 2*sec}},
		{"after the clock was set back", &Failures{Count: 1, Other: 1, Spent: sec}, -time.Hour, code(500), Failures{Count: 2, Other: 2, Spent: 2 * sec}},
		{"the most that a token may count", &Failures{Count: maxCount, Other: maxCount + 1}, 0, code(500), Failures{Count: maxCount + 1, Other: maxCount + 1, Spent: sec}},
		{"abandoned", &Failures{Count: 1, Other: 1, Spent: sec}, 10 * time.Minute, abandoned, Failures{Count: 1, Other: 2, Spent: 10*minu + 2*sec}},

		{"the first 404", &Failures{Count: 1, Other: 1, Spent: sec}, 10 * time.Minute, code(404), Failures{Count: 2, NotFound: 1, Other: 1, Spent: 10*minu + 2*sec, Missing: 10*minu + 2*sec}},
		{"the second 404", &Failures{Count: 1, NotFound: 1, Spent: 2 * sec, Missing: sec}, 10 * time.Minute, code(404), Failures{Count: 2, NotFound: 2, Spent: 10*minu + 3*sec, Missing: sec}},

		{"the first 429", &Failures{Count: 1, Other: 1, Spent: sec}, 10 * time.Minute, code(429), Failures{Count: 1, Other: 1, Waits: 1, Instructed: true, Spent: 10*minu + 2*sec, Waited: 10*minu + sec, Answered: sec}},
		{"the second 429", &Failures{Waits: 1, Instructed: true, Spent: 2 * sec, Waited: sec, Answered: sec}, 10 * time.Minute, code(429), Failures{Waits: 2, Instructed: true, Spent: 10*minu + 3*sec, Waited: 10*minu + 2*sec, Answered: sec}},
		{"a 500 after a 429", &Failures{Waits: 1, Instructed: true, Spent: sec, Waited: sec}, 10 * time.Minute, code(500), Failures{Count: 1, Other: 1, Waits: 1, Spent: 10*minu + 2*sec, Waited: 10*minu + sec, Answered: 10*minu + 2*sec}},
		{"no response after a 429", &Failures{Waits: 1, Instructed: true, Spent: sec, Waited: sec}, 10 * time.Minute, noResponse, Failures{Count: 1, Other: 1, Waits: 1, Spent: 10*minu + 2*sec, Waited: 10*minu + sec}},

		{"a 500, and another URL", &Failures{Count: 1, Other: 1, Spent: sec}, 10 * time.Minute, code(500).choosing("", toOther), Failures{Count: 2, Other: 1, Spent: 10*minu + 2*sec}},
		{"a 500, and a check at once", &Failures{Count: 1, Other: 1, Spent: sec}, 10 * time.Minute, code(500).choosing("", toCheck), Failures{Count: 1, Other: 1, Spent: 10*minu + 2*sec}},
		{"a 503 with Retry-After, and another URL", nil, 0, code(503, "Retry-After", "5").choosing("", toOther), Failures{Waits: 1, Instructed: true, Spent: sec, Waited: sec}},
		{"a 404, and another URL", nil, 0, code(404).choosing("", toOther), Failures{Count: 1, NotFound: 1, Spent: sec, Missing: sec}},
		{"a 404, and a check at once", &Failures{Count: 1, Other: 1, Spent: sec}, 10 * time.Minute, deleted, Failures{NotFound: 1, Lost: lroerrors.ReasonGone}},
		{"a 410, and a check at once", nil, 0, code(410).choosing("", toCheck), Failures{Lost: lroerrors.ReasonGone}},
		{"a 404 while the status is lost", &Failures{Count: 1, Spent: sec, Lost: lroerrors.ReasonPatience}, 10 * time.Minute, notFoundAgain, Failures{Count: 2, NotFound: 1, Spent: 10*minu + 2*sec, Missing: 10*minu + 2*sec, Lost: lroerrors.ReasonPatience}},

		{"a replacement after a 410", nil, 0, code(410).asked("", toCheck), Failures{Lost: lroerrors.ReasonGone}},
		{"a replacement after a 400", &Failures{Count: 1, Other: 1, Spent: sec}, 0, code(400).asked("", toCheck), Failures{Lost: lroerrors.ReasonRefused}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := polling()()
			r.pauseUntil(arrived.Add(10*time.Minute), false)
			r.Failures = row.before
			start := arrived.Add(row.pause)
			applyAt(r, row.event, start, &defaults)
			require.Equal(t, row.want, r.FailedReads())
			require.Equal(t, start.Add(time.Second), r.LastRead)
		})
	}
}

// A failed immediate read adds only its own duration to Spent, because it had no pause.
func TestImmediateReadHadNoPause(t *testing.T) {
	r := polling(after(Failures{Lost: lroerrors.ReasonGone}), inTurn)()
	applyAt(r, code(500), arrived.Add(time.Minute), &defaults)
	require.Equal(t, Failures{Count: 1, Other: 1, Spent: sec, Lost: lroerrors.ReasonGone}, r.FailedReads())
}

// LastRead has no monotonic clock reading. Only a read's duration is measured with the monotonic
// clock.
func TestLastReadIsWallClock(t *testing.T) {
	r := polling()()
	now := time.Now()
	applyAt(r, inProgress, now, &defaults)
	require.Equal(t, now.Add(time.Second).Round(0), r.LastRead)
	require.NotContains(t, r.LastRead.String(), "m=")
}

func TestIsExhausted(t *testing.T) {
	half := Patience{Time: 30 * time.Minute, Failures: 5, Throttled: 24 * time.Hour}
	for _, row := range []struct {
		name string
		p    Patience
		f    Failures
		code int
		want bool
	}{
		{"time and reads are spent", half, Failures{Count: 5, Spent: 30 * minu}, 500, true},
		{"too few reads", half, Failures{Count: 4, Spent: 90 * minu}, 500, false},
		{"too little time", half, Failures{Count: 9, Spent: 30*minu - 1}, 500, false},
		{"the service asked for some of the time", half, Failures{Count: 5, Spent: 30*minu + sec, Waited: 2 * sec}, 500, false},
		{"no time, no reads", Patience{Time: -1}, Failures{Count: 1}, 500, true},
		{"no failed read yet", Patience{Time: -1}, Failures{}, 0, false},
		{"only reads count", Patience{Failures: 2}, Failures{Count: 2}, 500, true},
		{"less time without a code", Patience{Time: time.Hour, Failures: 1, WithoutCode: time.Minute}, Failures{Count: 1, Spent: minu}, 0, true},
		{"as much time with a code", Patience{Time: time.Hour, Failures: 1, WithoutCode: time.Minute}, Failures{Count: 1, Spent: minu}, 500, false},
		{"no other limit without a code", Patience{Time: time.Hour, Failures: 1}, Failures{Count: 1, Spent: minu}, 0, false},
		{"a day of instructions", half, Failures{Instructed: true, Spent: span(25 * time.Hour), Waited: span(25 * time.Hour), Answered: span(time.Hour)}, 429, true},
		{"less than a day of instructions", half, Failures{Instructed: true, Spent: span(25*time.Hour) - 1, Waited: span(24 * time.Hour), Answered: span(time.Hour)}, 429, false},
	} {
		require.Equal(t, row.want, row.p.isExhausted(row.f, row.code), row.name)
	}
}

func TestExhaustedReason(t *testing.T) {
	for _, row := range []struct {
		name string
		f    Failures
		want lroerrors.Reason
	}{
		{"only 404s", Failures{NotFound: 1}, lroerrors.ReasonGone},
		{"a 404 and another failure", Failures{NotFound: 1, Other: 1}, lroerrors.ReasonPatience},
		{"a 404 and a 429", Failures{NotFound: 1, Waits: 1}, lroerrors.ReasonPatience},
		{"no 404", Failures{Count: 1}, lroerrors.ReasonPatience},
		{"three 404s in 5 minutes", Failures{NotFound: 3, Other: 1, Spent: 5 * minu}, lroerrors.ReasonGone},
		{"three 404s, the first one later", Failures{NotFound: 3, Other: 1, Spent: 5 * minu, Missing: 1}, lroerrors.ReasonPatience},
		{"two 404s in 5 minutes", Failures{NotFound: 2, Other: 1, Spent: 5 * minu}, lroerrors.ReasonPatience},
		{"the status was lost", Failures{NotFound: 1, Lost: lroerrors.ReasonPatience}, lroerrors.ReasonPatience},
	} {
		require.Equal(t, row.want, (&Record{Failures: &row.f}).exhaustedReason(), row.name)
	}
}

// While [Failures].Lost is set, 404s end the wait with ReasonGone after the grace period. If
// patience runs out, the wait ends with the reason in Lost instead.
func TestEndWhileLost(t *testing.T) {
	for _, row := range []struct {
		f    Failures
		want string
	}{
		{Failures{Count: 2, NotFound: 2, Spent: sec, Missing: sec, Lost: lroerrors.ReasonPatience}, gone},
		{Failures{Count: 4, NotFound: 4, Spent: 20 * minu, Missing: sec, Lost: lroerrors.ReasonRefused}, refused},
	} {
		require.Equal(t, row.want, apply(polling(after(row.f))(), code(404), &defaults))
	}
}

// Patience tolerates no failed reads if Time is not positive and Failures is at most 1.
func TestNoPatience(t *testing.T) {
	for p, want := range map[Patience]bool{
		{Time: -1}:                           true,
		{Time: -1, Failures: 1}:              true,
		{Failures: 1}:                        true,
		{Time: -1, Failures: 2}:              false,
		{Time: time.Minute}:                  false,
		{Time: time.Nanosecond, Failures: 1}: false,
	} {
		require.Equal(t, want, p.isNone(), "%+v", p)
	}
}

// A 403 is tolerated only for the resource of a PUT that got a 201 (quirk W31).
func TestForbidden(t *testing.T) {
	for _, row := range []struct {
		created bool
		poll    string
		want    lroerrors.Reason
	}{
		{true, resourceURL, ""},
		{true, statusURL, lroerrors.ReasonRefused},
		{false, resourceURL, lroerrors.ReasonRefused},
	} {
		r := polling()()
		r.Created = row.created
		read := code(403).read
		read.Poll = row.poll
		require.Equal(t, row.want, r.permanentReason(&read), row)
	}
}

// In every phase, a Failure's Err is the read's error.
func TestFailureHasErrorOfRead(t *testing.T) {
	for name, from := range map[string]func() *Record{"polling": polling(), "in turn": polling(inTurn), "reading": reading()} {
		r := from()
		read := code(429).read
		f := r.Apply(&read, arrived, arrived, &defaults)
		require.Same(t, read.Err, f.Err, name)
	}
}

func TestResultErrorNamesURL(t *testing.T) {
	r := reading()()
	r.Result.URL += "?sig=secret"
	read := failed("", io.ErrUnexpectedEOF).read
	f := r.Apply(&read, arrived, arrived, &Rules{defaults.Cadence, Patience{Time: -1, Throttled: 24 * time.Hour}})
	require.Equal(t, &lroerrors.ResultError{URL: resultURL, Err: read.Err}, f.Result)
}

// After a failed read of checkURL, the poller reads only statusURL. The failed read's Retry-After
// can delay the next read.
func TestAlternateFailed(t *testing.T) {
	for _, row := range []struct {
		event    event
		wasAsked bool
		next     time.Time
		asked    bool
	}{
		{code(500), false, arrived.Add(time.Minute), false},
		{code(500), true, arrived.Add(time.Minute), true},
		{code(500, "Retry-After", "59"), false, arrived.Add(time.Minute), false},
		{code(500, "Retry-After", "59"), true, arrived.Add(time.Minute), true},
		{code(500, "Retry-After", "60"), false, arrived.Add(61 * time.Second), true},
	} {
		r := polling(inTurn)()
		r.Asked = row.wasAsked
		require.Equal(t, continues, apply(r, row.event, &defaults))
		require.Equal(t, []any{statusURL, "", "", row.next, row.asked}, []any{string(r.Poll), string(r.Else), string(r.Monitor), r.Next(), r.IsAsked()}, row.event.text)
		require.Nil(t, r.Failures)
	}
}

// Replace changes nothing if the strategy names no URL.
func TestReplaceWithoutURL(t *testing.T) {
	r := polling()()
	read := code(http.StatusGone).read
	f := r.Apply(&read, arrived, arrived, &defaults)
	before := *r
	r.Replace(&read.Answer, &Move{Move: strategy.Move{Inline: true}}, f, &defaults)
	require.Equal(t, before, *r)
	require.Equal(t, lroerrors.ReasonGone, f.Reason)
}
