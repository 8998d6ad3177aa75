package scheduler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
)

func TestYieldsJobsWhenTheyEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failure := errors.New("failed")
		s := closed(Options{Spread: -1},
			job("a", reply{pause: 100 * sec}, hasEnded),
			job("b", inProgress, reply{ended: true, err: failure}),
			job("c", reply{pause: 50 * sec, failed: true}, reply{takes: 5 * sec, ended: true}),
			job("d", hasEnded))
		require.Equal(t, []string{"d 10s", "b 20s failed", "c 1m5s", "a 1m50s"}, wait(t.Context(), s))
		require.Equal(t, Stats{Ended: 4, Polls: 7, Errors: 1}, s.Stats())
		require.Empty(t, wait(t.Context(), s), "Wait yields each job once")
	})
}

// If a job is added twice, Wait yields the tag of the first Add.
func TestYieldsFirstTag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", hasEnded)
		s := New(Options{})
		s.Add(a, "first")
		s.Add(a, "second")
		s.Close()
		for tag, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, "first", tag)
		}
		require.Equal(t, []time.Duration{10 * sec}, a.times())
	})
}

// A job's result is read right away, unless the job's last read has given up its place.
func TestResultNeedsPlace(t *testing.T) {
	for takes, want := range map[time.Duration][]time.Duration{
		time.Second:      {10 * sec, 11 * sec},
		12 * time.Second: {10 * sec, 30*sec + 2}, // job b has the place until its read has waited for ten seconds
	} {
		synctest.Test(t, func(t *testing.T) {
			a := job("a", reply{takes: takes, more: true}, hasEnded)
			b := job("b", reply{takes: 30 * sec, ended: true})
			wait(t.Context(), closed(Options{InFlight: 1, Spread: -1}, a, b))
			require.Equal(t, want, a.times())
		})
	}
}

func TestAddDuringWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		var joining sync.WaitGroup
		for i := range 10 {
			joining.Go(func() {
				time.Sleep(time.Duration(i) * sec)
				j := job(fmt.Sprint(i), inProgress, hasEnded)
				s.Add(j, j)
			})
		}
		go func() { joining.Wait(); s.Close() }()
		require.Equal(t, []string{"0 20s", "1 21s", "2 22s", "3 23s", "4 24s", "5 25s", "6 26s", "7 27s", "8 28s", "9 29s"}, wait(t.Context(), s))
	})
}

// The loop body may add jobs, including the one that Wait has just yielded, even if the scheduler
// is closed.
func TestAddInLoopBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", hasEnded)
		s := closed(Options{}, a)
		var ends []string
		for tag, err := range s.Wait(t.Context()) {
			ends = append(ends, endOf(tag, err))
			switch len(ends) {
			case 1:
				b := job("b", hasEnded)
				s.Add(b, b)
			case 2:
				s.Add(a, a)
			}
		}
		require.Equal(t, []string{"a 10s", "b 20s", "a 20s"}, ends)
	})
}

// Adding a job that is already in the scheduler has no effect.
func TestAddTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", reply{takes: 2 * sec}, hasEnded)
		s := closed(Options{}, a)
		for _, at := range []time.Duration{5, 11} { // before and during the first read
			time.AfterFunc(at*sec, func() { s.Add(a, a) })
		}
		require.Equal(t, []string{"a 22s"}, wait(t.Context(), s))
		require.Equal(t, Stats{Ended: 1, Polls: 2}, s.Stats())
		require.Equal(t, []time.Duration{10 * sec, 22 * sec}, a.times())
	})
}

func TestCloseEndsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		time.AfterFunc(time.Hour, s.Close)
		require.Empty(t, wait(t.Context(), s))
		require.Equal(t, time.Hour, time.Since(started))
		s.Close()
		require.Empty(t, wait(t.Context(), s))
		require.Equal(t, time.Hour, time.Since(started))
	})
}

func TestRemove(t *testing.T) {
	replies := []reply{{takes: 10 * sec}, {takes: 10 * sec, ended: true}}
	t.Run("a job that waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a, b := job("a", replies...), job("b", replies...)
			s := closed(Options{}, a, b)
			time.AfterFunc(5*sec, func() { s.Remove(a); s.Remove(a) })
			require.Equal(t, []string{"b 40s"}, wait(t.Context(), s))
			require.Empty(t, a.times())
		})
	})
	t.Run("a job that is being read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a, b := job("a", replies...), job("b", replies...)
			s := closed(Options{}, a, b)
			time.AfterFunc(15*sec, func() {
				require.Equal(t, 2, s.Stats().InFlight)
				s.Remove(a)
				synctest.Wait()
				require.False(t, a.Busy(), "the read is abandoned")
				require.Equal(t, 1, s.Stats().InFlight)
			})
			require.Equal(t, []string{"b 40.1s"}, wait(t.Context(), s))
			s.Add(a, a)
			require.Equal(t, []string{"a 50.1s"}, wait(t.Context(), s), "the job can be read again")
			require.Equal(t, 3, s.Stats().Polls, "an abandoned read does not count")
		})
	})
	t.Run("a job that is being read and is added again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a := job("a", replies...)
			s := closed(Options{}, a)
			time.AfterFunc(15*sec, func() { s.Remove(a); s.Add(a, a) })
			require.Equal(t, []string{"a 25s"}, wait(t.Context(), s))
			require.Equal(t, []time.Duration{10 * sec, 15 * sec}, a.times())
		})
	})
	t.Run("a job that has ended but has not been yielded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a, b := job("a", replies...), job("b", replies...)
			s := closed(Options{}, a, b)
			for tag, err := range s.Wait(t.Context()) {
				require.NoError(t, err)
				require.Equal(t, a, tag)
				time.Sleep(time.Hour)
				require.Equal(t, 2, s.Stats().Ended)
				s.Remove(b)
			}
		})
	})
	t.Run("the only job", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a := job("a", replies...)
			s := closed(Options{}, a)
			s.Remove(a)
			require.Empty(t, wait(t.Context(), s))
			require.Equal(t, Stats{}, s.Stats())
		})
	})
}

// A Wait inside a loop over Wait blocks until its context ends, and yields nothing. The outer Wait
// then continues.
func TestNestedWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := closed(Options{}, job("a", hasEnded), job("b", inProgress, hasEnded))
		var ends []string
		for tag, err := range s.Wait(t.Context()) {
			ends = append(ends, endOf(tag, err))
			ctx, cancel := context.WithTimeout(t.Context(), sec)
			require.Empty(t, wait(ctx, s))
			cancel()
		}
		require.Equal(t, []string{"a 10s", "b 20.1s"}, ends)
	})
}

// If two goroutines call Wait, the second Wait starts when the first one ends.
func TestOneWaitAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := closed(Options{Spread: -1}, job("a", hasEnded), job("b", inProgress, hasEnded), job("c", inProgress, inProgress, hasEnded))
		var second []string
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(sec)
			ctx, cancel := context.WithTimeout(t.Context(), sec)
			defer cancel()
			require.Empty(t, wait(ctx, s))
			second = wait(t.Context(), s)
		}()
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			time.Sleep(sec)
			break
		}
		<-done
		require.Equal(t, []string{"b 20s", "c 30s"}, second)
	})
}

// No matter how a loop ends, no read is in flight afterward, and the next Wait yields the remaining
// jobs.
func TestLeaveLoop(t *testing.T) {
	for name, leave := range map[string]func(ctx context.Context, s *Scheduler){
		"break": func(ctx context.Context, s *Scheduler) {
			for _, err := range s.Wait(ctx) {
				require.NoError(t, err)
				break
			}
		},
		"panic": func(ctx context.Context, s *Scheduler) {
			defer func() { _ = recover() }()
			for _, err := range s.Wait(ctx) {
				require.NoError(t, err)
				panic("left")
			}
		},
		"Goexit": func(ctx context.Context, s *Scheduler) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				for _, err := range s.Wait(ctx) {
					require.NoError(t, err)
					runtime.Goexit()
				}
			}()
			<-done
		},
		"context": func(ctx context.Context, s *Scheduler) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			for _, err := range s.Wait(ctx) {
				if err != nil {
					require.ErrorIs(t, err, context.Canceled)
				}
				cancel()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const takes = 250 * time.Millisecond
				end := reply{takes: takes, ended: true}
				jobs := []*simulated{job("a", end), job("b", reply{takes: takes}, end), job("c", end), job("d", reply{takes: takes}, end)}
				s := closed(Options{}, jobs...)
				leave(t.Context(), s) // returns while b and c are being read
				require.Equal(t, 10*sec+takes, time.Since(started))
				for _, j := range jobs {
					require.False(t, j.Busy())
					require.Empty(t, j.observers)
				}
				stats := s.Stats()
				require.Equal(t, Stats{Waiting: 3, Ended: 1, Polls: 1}, stats, "an abandoned read does not count")
				synctest.Wait()
				ends := wait(t.Context(), s)
				require.Len(t, ends, 3)
			})
		})
	}
}

// If a job has ended but the caller leaves the loop before Wait yields it, the next Wait yields the
// job.
func TestNextWaitYieldsUnseenEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := manyJobs(3)
		s := closed(Options{}, jobs...)
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			time.Sleep(time.Hour) // long enough for the other two jobs to end
			break
		}
		require.Len(t, readsOf(jobs...), 3)
		require.Equal(t, []string{"job1 1h1m0s", "job2 1h1m0s"}, wait(t.Context(), s))
		require.Len(t, readsOf(jobs...), 3)
		require.Equal(t, 3, s.Stats().Ended)
	})
}

// A job does not keep a scheduler in memory once the job has been removed or the scheduler is no
// longer used.
func TestJobReleasesScheduler(t *testing.T) {
	for name, use := range map[string]func(t *testing.T, a *simulated, s *Scheduler){
		"removed":          func(_ *testing.T, a *simulated, s *Scheduler) { s.Remove(a) },
		"never waited for": func(*testing.T, *simulated, *Scheduler) {},
		"removed while it waited": func(t *testing.T, a *simulated, s *Scheduler) {
			time.AfterFunc(sec, func() { s.Remove(a) })
			require.Empty(t, wait(t.Context(), s))
		},
		"abandoned": func(t *testing.T, _ *simulated, s *Scheduler) {
			ctx, cancel := context.WithTimeout(t.Context(), sec)
			defer cancel()
			require.Len(t, wait(ctx, s), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := job("a", inProgress)
				kept := func() weak.Pointer[Scheduler] {
					s := closed(Options{}, a)
					use(t, a, s)
					return weak.Make(s)
				}()
				for range 2 {
					runtime.GC()
				}
				require.Nil(t, kept.Value())
				runtime.KeepAlive(a)
			})
		})
	}
}

// Idle goroutines exit after a burst of reads, even if a job is still waiting for its next read.
func TestIdleGoroutinesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 50
		var jobs []*simulated
		for i := range n {
			jobs = append(jobs, job(fmt.Sprint(i), reply{takes: sec, ended: true}))
		}
		jobs = append(jobs, job("last", reply{takes: sec, pause: 100 * sec}))
		s := closed(Options{Spread: -1}, jobs...)
		time.AfterFunc(10*sec+sec/2, func() { require.Equal(t, n+1, workers()) })
		ended := 0
		for _, err := range s.Wait(t.Context()) {
			require.NoError(t, err)
			ended++
			if ended == n {
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				require.LessOrEqual(t, workers(), 1)
				break
			}
		}
		require.Zero(t, workers())
	})
}

// If reads do not overlap, one goroutine makes them all.
func TestGoroutineIsUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		most := 0
		read := func(_ context.Context, n int) reply {
			most = max(most, workers())
			return reply{pause: sec / 10, ended: n == 50}
		}
		s := closed(Options{Spread: -1}, jobOf("a", read), jobOf("b", read).dueIn(10*sec+sec/20))
		require.Equal(t, []string{"a 14.9s", "b 14.95s"}, wait(t.Context(), s))
		require.Equal(t, 1, most)
	})
}

// A read's context ends with the read, not only when Wait ends.
func TestContextEndsWithRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last context.Context
		a := jobOf("a", func(ctx context.Context, n int) reply {
			require.NoError(t, ctx.Err())
			if last != nil {
				require.ErrorIs(t, last.Err(), context.Canceled)
			}
			last = ctx
			return reply{ended: n == 3}
		})
		require.Equal(t, []string{"a 30s"}, wait(t.Context(), closed(Options{}, a)))
	})
}

// workers returns the number of goroutines that read jobs, including idle ones.
func workers() int {
	stacks := make([]byte, 1<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("scheduler.(*run).work("))
}
