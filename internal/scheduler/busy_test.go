package scheduler

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The tests in this file cover jobs that callers outside the scheduler also read.

// If a scheduled read falls due during another caller's read, the scheduler waits for the pause
// after that read.
func TestJobReadByAnotherCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", hasEnded)
		time.AfterFunc(9*sec, func() { a.readByOther(reply{takes: 2 * sec, pause: 100 * sec}) })
		require.Equal(t, []string{"a 1m51s"}, wait(t.Context(), closed(Options{}, a)))
		require.Equal(t, []time.Duration{111 * sec}, a.times())
	})
}

// Wait yields a job right away when another caller's read finds that the job has ended, or fails
// with an error that ends the wait.
func TestJobEndedByAnotherCaller(t *testing.T) {
	failure := errors.New("refused")
	for _, err := range []error{nil, failure} {
		synctest.Test(t, func(t *testing.T) {
			a, b := job("a", inProgress).dueIn(time.Hour), job("b", inProgress).dueIn(time.Hour)
			s := closed(Options{}, a, b)
			time.AfterFunc(3*sec, func() { a.readByOther(reply{ended: true, err: err}) })
			time.AfterFunc(5*sec, func() { b.readByOther(reply{failed: true, err: failure}) }) // b has not ended, but Wait yields it with this error
			want := []string{"a 3s", "b 5s refused"}
			if err != nil {
				want[0] += " refused"
			}
			require.Equal(t, want, wait(t.Context(), s))
			require.Equal(t, Stats{Ended: 2}, s.Stats())
		})
	}
}

// While it is another caller's turn to read a job, the job occupies no place and is not due. If
// that caller ends its turn without a read, the scheduler reads the job right away.
func TestBusyJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := job("a", hasEnded), job("b", inProgress, reply{takes: sec, ended: true})
		s := closed(Options{InFlight: 1}, a, b)
		a.busy.Store(true)
		time.AfterFunc(12*sec, func() { require.Equal(t, started.Add(20*sec), s.Stats().OldestDue.Local(), "only b is due") })
		time.AfterFunc(30*sec, func() {
			require.Equal(t, Stats{Waiting: 1, Ended: 1, Polls: 2}, s.Stats())
			a.release()
		})
		require.Equal(t, []string{"b 21s", "a 30s"}, wait(t.Context(), s))
	})
}

// The scheduler keeps going if another caller starts to read a job just before the scheduler does.
func TestTurnTakenFromScheduledRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs []*simulated
		for i := range 4 {
			j := job(fmt.Sprint(i), reply{takes: sec / 10, pause: 600 * sec}, hasEnded)
			jobs = append(jobs, j)
			time.AfterFunc(10*sec+time.Duration(i)*sec/20, func() { j.readByOther(reply{takes: sec / 10, pause: 600 * sec}) })
		}
		require.Len(t, wait(t.Context(), closed(Options{}, jobs...)), 4)
	})
}

// Two schedulers that have the same job share its reads.
func TestJobInTwoSchedulers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", reply{takes: sec}, reply{takes: sec, ended: true})
		ends := make(chan []string)
		for range 2 {
			go func() { ends <- wait(t.Context(), closed(Options{}, a)) }()
		}
		require.Equal(t, []string{"a 22s"}, <-ends)
		require.Equal(t, []string{"a 22s"}, <-ends)
		require.Equal(t, []time.Duration{10 * sec, 21 * sec}, a.times())
	})
}

// A job that a caller wakes is read ahead of schedule.
func TestWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := job("a", reply{takes: 2 * sec}, hasEnded)
		for _, at := range []time.Duration{3, 4, 9} { // before, during and after the first read
			time.AfterFunc(at*sec, a.wake)
		}
		require.Equal(t, []string{"a 9s"}, wait(t.Context(), closed(Options{}, a)))
		require.Equal(t, []time.Duration{3 * sec, 9 * sec}, a.times())
	})
}
