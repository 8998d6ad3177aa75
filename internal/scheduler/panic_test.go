package scheduler

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var errBoom = errors.New("boom")

// buggy returns a job whose first read calls the given function after five seconds.
func buggy(bug func()) *simulated {
	return jobOf("buggy", func(_ context.Context, n int) reply {
		if n == 1 {
			time.Sleep(5 * sec)
			bug()
		}
		return hasEnded
	})
}

// recovered calls f, and returns the value that f panics with, or nil.
func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// The result is false if f calls runtime.Goexit. Because Goexit ends its goroutine, f runs in a
// separate one.
func returns(f func()) (ok bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
		ok = true
	}()
	<-done
	return ok
}

// If a read panics or calls runtime.Goexit, Wait abandons the other reads, and then panics or calls
// runtime.Goexit in the loop's goroutine. After that, a caller may range over Wait again.
func TestPanicReachesLoop(t *testing.T) {
	for _, v := range []any{errBoom, struct{ list []int }{[]int{1}}, nil} { // nil means runtime.Goexit
		synctest.Test(t, func(t *testing.T) {
			var logged []any
			a := buggy(func() {
				if v == nil {
					runtime.Goexit()
				}
				panic(v)
			})
			a.logged = func(v any) { logged = append(logged, v) }
			b := job("b", reply{takes: 10 * sec, ended: true})
			s := closed(Options{Spread: -1}, a, b)
			var got any
			back := returns(func() {
				got = recovered(func() { _ = wait(t.Context(), s) })
			})
			require.Equal(t, v, got)
			require.Equal(t, v != nil, back)
			require.Equal(t, []any{v}, logged)
			require.Equal(t, 15*sec, time.Since(started), "the read of b is abandoned")
			require.False(t, a.Busy())
			require.False(t, b.Busy())
			require.Equal(t, Stats{Waiting: 2}, s.Stats())
			require.Equal(t, []string{"buggy 15s", "b 25s"}, wait(t.Context(), s))
		})
	}
}

// If Panicked itself panics, Wait still panics with the value from the read.
func TestPanicInPanicked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := buggy(func() { panic(errBoom) })
		a.logged = func(any) { panic("another") }
		require.Same(t, errBoom, recovered(func() { _ = wait(t.Context(), closed(Options{}, a)) }))
	})
}

// If a read panics, the scheduler still uses the Outcome fields that the read has already set.
func TestOutcomeBeforePanicCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := jobOf("a", func(_ context.Context, n int) reply {
			if n == 2 {
				panic(errBoom)
			}
			return reply{more: n == 1, ended: n > 1}
		})
		s := closed(Options{}, a)
		require.Same(t, errBoom, recovered(func() { _ = wait(t.Context(), s) }))
		require.Equal(t, Stats{Waiting: 1, Polls: 1}, s.Stats())
		require.EqualValues(t, 1, s.members[a].known)
	})
}

// If a read panics while the loop body runs, Wait abandons the other reads right away. Wait then
// panics after the body, even if the body leaves the loop. If the body itself panics, the caller
// sees that panic.
func TestPanicDuringLoopBody(t *testing.T) {
	bodyPanic := errors.New("the body's own")
	for name, tt := range map[string]struct {
		leave func() bool // called at the end of the loop body; if it returns false, the body leaves the loop
		want  error
	}{
		"continue": {func() bool { return true }, errBoom},
		"break":    {func() bool { return false }, errBoom},
		"panic":    {func() bool { panic(bodyPanic) }, bodyPanic},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := job("b", reply{takes: 10 * sec, ended: true})
				c := job("c", hasEnded).dueIn(20 * sec)
				s := closed(Options{Spread: -1}, job("first", hasEnded).dueIn(sec), buggy(func() { panic(errBoom) }), b, c)
				v := recovered(func() {
					for _, err := range s.Wait(t.Context()) {
						require.NoError(t, err)
						time.Sleep(time.Hour)
						require.False(t, b.Busy())
						require.Zero(t, s.Stats().InFlight)
						if !tt.leave() {
							break
						}
					}
				})
				require.Same(t, tt.want, v)
				require.Empty(t, c.times())
				require.Equal(t, time.Hour+sec, time.Since(started))
				require.Equal(t, Stats{Waiting: 3, Ended: 1, Polls: 1}, s.Stats())
				require.Len(t, wait(t.Context(), s), 3)
			})
		})
	}
}

// If a read panics, the next Wait yields the jobs that had already ended but had not been yielded.
func TestEndBeforePanicIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := closed(Options{Spread: -1}, buggy(func() { panic(errBoom) }), job("b", hasEnded), job("c", hasEnded))
		n := 0
		require.Same(t, errBoom, recovered(func() {
			for _, err := range s.Wait(t.Context()) {
				require.NoError(t, err)
				n++
				time.Sleep(time.Hour)
			}
		}))
		require.Equal(t, 1, n)
		require.Len(t, wait(t.Context(), s), 2)
	})
}

// Wait panics even if the panicking read was abandoned because the context ended or the caller
// removed the job.
func TestPanicInAbandonedRead(t *testing.T) {
	for name, leave := range map[string]func(s *Scheduler, a *simulated, cancel func()){
		"context": func(_ *Scheduler, _ *simulated, cancel func()) { cancel() },
		"removed": func(s *Scheduler, a *simulated, _ func()) { s.Remove(a) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				a := buggy(func() { panic(errBoom) })
				s := closed(Options{}, a)
				time.AfterFunc(12*sec, func() { leave(s, a, cancel) })
				require.Same(t, errBoom, recovered(func() { _ = wait(ctx, s) }))
				require.Zero(t, s.Stats().InFlight)
				require.False(t, a.Busy())
				require.Equal(t, 15*sec, time.Since(started))
				cancel()
			})
		})
	}
}

// If a Wait panics while a second one waits for its turn, the second one starts.
func TestPanicReleasesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := closed(Options{Spread: -1}, buggy(func() { panic(errBoom) }), job("b", reply{takes: 10 * sec, ended: true}))
		second := make(chan []string)
		go func() {
			time.Sleep(sec)
			second <- wait(t.Context(), s)
		}()
		require.Same(t, errBoom, recovered(func() { _ = wait(t.Context(), s) }))
		require.Equal(t, []string{"buggy 15s", "b 25s"}, <-second)
	})
}
