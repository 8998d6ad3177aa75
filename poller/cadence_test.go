package poller_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestRetryAfterSetsTheNextRead(t *testing.T) {
	const none = ""
	rows := []struct {
		name         string
		first, later string // headers in the first response and in the response to the first poll
		pauses       [2]time.Duration
	}{
		{"the default", none, none, [2]time.Duration{time.Minute, time.Minute}},
		{"from both", "\nRetry-After: 15", "\nRetry-After: 25", [2]time.Duration{15 * time.Second, 25 * time.Second}},
		{"the first is kept", "\nRetry-After: 15", none, [2]time.Duration{15 * time.Second, 15 * time.Second}},
		{"from the first poll", none, "\nRetry-After: 25", [2]time.Duration{time.Minute, 25 * time.Second}},
		{"zero means the lower bound", "\nRetry-After: 0", "\nRetry-After: 1", [2]time.Duration{10 * time.Second, 10 * time.Second}},
		{"the upper bound", "\nRetry-After: 601", "\nRetry-After: 9223372036854775808", [2]time.Duration{10 * time.Minute, 10 * time.Minute}},
		{"overflow", "\nRetry-After: 9223372036854775807", "\nRetry-After: " + strings.Repeat("9", 400), [2]time.Duration{10 * time.Minute, 10 * time.Minute}},
		{"not a number of seconds", "\nRetry-After: 1e400", "\nRetry-After: -0", [2]time.Duration{time.Minute, time.Minute}},
		{"the last year", "\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT", "\nretry-after-ms: 9223372036854775808", [2]time.Duration{10 * time.Minute, 10 * time.Minute}},
		{"invalid values are ignored", "\nRetry-After: /bar", "\nRetry-After: -5", [2]time.Duration{time.Minute, time.Minute}},
		{"invalid after valid", "\nRetry-After: 30", "\nRetry-After: soon", [2]time.Duration{30 * time.Second, 30 * time.Second}},
		{"a date", "\nRetry-After: Sat, 01 Jan 2000 00:00:42 GMT", "\nRetry-After: Fri, 31 Dec 1999 00:00:00 GMT", [2]time.Duration{42 * time.Second, 10 * time.Second}},
		{"milliseconds first", "\nretry-after-ms: 20000\nx-ms-retry-after-ms: 30000\nRetry-After: 40", "\nx-ms-retry-after-ms: 30000\nRetry-After: 40", [2]time.Duration{20 * time.Second, 30 * time.Second}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{
					"POST " + resource: {acceptedAt + row.first},
					get(monitor):       {"202" + row.later, "200 {}"},
				})
				_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
				require.NoError(t, err)
				require.Equal(t, []time.Duration{0, row.pauses[0], row.pauses[0] + row.pauses[1]}, s.times())
			})
		})
	}
}

func TestRetryAfterOfFailedRead(t *testing.T) {
	rows := []struct {
		given string
		pause time.Duration
	}{
		{"1", time.Second},
		{"3600", time.Hour},
		{"864000", 24 * time.Hour},
		{"9223372036854775808", 24 * time.Hour},
		{"Fri, 31 Dec 9999 23:59:59 GMT", 24 * time.Hour},
		{"1e400", 10 * time.Second},
		{"-0", 10 * time.Second},
		{"0", 10 * time.Second},
		{"Sat, 01 Jan 2000 00:00:00 GMT", 10 * time.Second},
	}
	for _, row := range rows {
		t.Run(row.given, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{
					"POST " + resource: {acceptedAt + "\nRetry-After: 20"},
					get(monitor):       {"503\nRetry-After: " + row.given, "202", "200 {}"},
				})
				_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
				require.NoError(t, err)
				require.Equal(t, []time.Duration{0, 20 * time.Second, 20*time.Second + row.pause, 40*time.Second + row.pause}, s.times())
			})
		})
	}
}

func TestCadenceOption(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"POST " + resource: {acceptedAt},
			get(monitor):       {"202", "202\nRetry-After: 1", "202\nRetry-After: 100", "503", "200 {}"},
		})
		p := begin(t, s, "POST", &poller.Options{Cadence: poller.Cadence{Default: 7 * time.Second, Min: 2 * time.Second, Max: 30 * time.Second}})
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 7 * time.Second, 14 * time.Second, 16 * time.Second, 46 * time.Second, 48 * time.Second}, s.times())
	})
}

func TestNextPollIsAbsolute(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"202", "200 {}"}})
		p := begin(t, s, "POST", nil)
		require.Equal(t, time.Now().Add(time.Minute), p.NextPoll())
		time.Sleep(5 * time.Minute)
		next := p.NextPoll()
		require.True(t, next.Before(time.Now()))
		require.Equal(t, next, p.Status().NextPoll)
		start := time.Now()
		drain(t, p)
		require.Equal(t, start.Add(time.Minute), time.Now(), "a read that is due must start at once")
		require.Zero(t, p.NextPoll(), "done")
	})
}

func TestRetryAfterBeyondDeadlineEndsWait(t *testing.T) {
	for _, script := range []map[string][]reply{
		{"POST " + resource: {acceptedAt + "\nRetry-After: 300"}},
		{"POST " + resource: {acceptedAt}, get(monitor): {"503\nRetry-After: 300"}},
		{"POST " + resource: {acceptedAt}, get(monitor): {"202\nRetry-After: 300"}},
	} {
		bubble(t, func(t *testing.T) {
			s := serve(script)
			p := begin(t, s, "POST", nil)
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
			defer cancel()
			_, err := p.PollUntilDone(ctx)
			wait := waitOf(t, err, lroerrors.ReasonDeadline)
			require.NoError(t, ctx.Err(), "the wait must end before the context does")
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.True(t, wait.Asked)
			require.Equal(t, p.NextPoll(), wait.NextPoll)
			require.Contains(t, err.Error(), ", as the service asked")
			require.Contains(t, err.Error(), wait.NextPoll.UTC().Format(time.RFC3339))
		})
	}
}

func TestDefaultPauseIsCutToDeadline(t *testing.T) {
	rows := []struct {
		timeout time.Duration
		polls   int
		ends    time.Duration // time from the start to the end of the wait
	}{
		{30 * time.Second, 1, 27 * time.Second},
		{60 * time.Second, 1, 54 * time.Second},
		{61 * time.Second, 1, 60 * time.Second},
		{11 * time.Second, 1, 10 * time.Second},
		{10 * time.Second, 0, 0}, // the shortest pause, Cadence.Min, would not end before the deadline
		{3 * time.Second, 0, 0},
		{150 * time.Second, 3, 147 * time.Second},
	}
	for _, row := range rows {
		t.Run(row.timeout.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"202"}})
				p := begin(t, s, "POST", nil)
				ctx, cancel := context.WithTimeout(t.Context(), row.timeout)
				defer cancel()
				_, err := p.PollUntilDone(ctx)
				wait := waitOf(t, err, lroerrors.ReasonDeadline)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.False(t, wait.Asked)
				require.Equal(t, row.polls, wait.Polls)
				require.Equal(t, row.ends, time.Since(s.began))
			})
		})
	}
}

func TestContextEndsWaitAtOnce(t *testing.T) {
	why := errors.New("the user pressed Ctrl-C")
	for name, script := range map[string]map[string][]reply{
		"between reads":  {"POST " + resource: {acceptedAt}, get(monitor): {"202"}},
		"after failures": {"POST " + resource: {acceptedAt}, get(monitor): {"503\nRetry-After: 86400"}},
		"for the result": {"POST " + resource: {accepted + "\nLocation: /result"}, get(monitor): {succeeded}, get("/result"): {"503"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(script)
				p := begin(t, s, "POST", nil)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(61*time.Second, func() { cancel(why) })
				_, err := p.PollUntilDone(ctx)
				wait := waitOf(t, err, lroerrors.ReasonCanceled)
				require.ErrorIs(t, err, context.Canceled)
				require.ErrorIs(t, err, why)
				require.NotErrorIs(t, err, lroerrors.ErrCanceled, "the error must not say that the operation was canceled")
				require.Equal(t, 61*time.Second, time.Since(s.began))
				require.Equal(t, name == "for the result", wait.State == "Succeeded")
				_, err = wait.ResumeToken()
				require.NoError(t, err)
			})
		})
	}
}

func TestCanceledContextSendsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}})
		p := begin(t, s, "POST", nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := p.PollUntilDone(ctx)
		requireWait(t, err, lroerrors.ReasonCanceled)
		_, err = p.Poll(ctx)
		requireWait(t, err, lroerrors.ReasonCanceled)
		err = p.Cancel(ctx)
		requireWait(t, err, lroerrors.ReasonCanceled)
		require.Len(t, s.requests(), 1)
	})
}

// A read that the caller's context interrupts is not a failed read.
func TestInterruptedReadIsNotCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"200 {}"}})
		slow := slowly(s, 30*time.Second)
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), clientOf(slow), &poller.Options{Patience: poller.Patience{Time: -1}})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		before := p.NextPoll()
		_, err = p.Poll(ctx)
		wait := waitOf(t, err, lroerrors.ReasonDeadline)
		require.Zero(t, wait.Polls)
		require.Equal(t, before, p.NextPoll())
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

func TestThreeDayOperation(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {accepted},
			get(monitor):      append(repeat(running, 3*24*60-1), succeeded),
			get(resource):     {widget},
		})
		_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 72*time.Hour, time.Since(s.began))
		require.Len(t, s.requests(), 1+3*24*60+1)
	})
}

func TestWakeUpBringsOneReadForward(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt + "\nRetry-After: 600"}, get(monitor): {"202\nRetry-After: 500", "202", "200 {}"}})
		p := begin(t, s, "POST", nil)
		time.AfterFunc(5*time.Second, p.WakeUp)
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 5 * time.Second, 505 * time.Second, 1005 * time.Second}, s.times())
	})
	bubble(t, func(t *testing.T) { // WakeUp before the wait
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"200 {}"}})
		p := begin(t, s, "POST", nil)
		p.WakeUp()
		require.Equal(t, time.Now(), p.NextPoll())
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Zero(t, time.Since(s.began))
	})
	bubble(t, func(t *testing.T) { // WakeUp during a read: the next read starts at once, because the response may be stale
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"202", "200 {}"}})
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), clientOf(slowly(s, 2*time.Second)), nil)
		require.NoError(t, err)
		time.AfterFunc(61*time.Second, p.WakeUp)
		start := time.Now()
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 64*time.Second, time.Since(start))
	})
}
