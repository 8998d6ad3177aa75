package poller_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// readsAfter returns how many requests s has received so far, except the n requests that started
// operations.
func (s *service) readsAfter(n int) int {
	synctest.Wait()
	return len(s.requests()) - n
}

// If the loop body is slow, the group holds back reads, so that at most InFlight results are in
// memory. When the body finishes, the loop gets the next result at once, and another read starts.
func TestSlowLoopHoldsBackReads(t *testing.T) {
	for _, limit := range []int{1, 4, 64} {
		bubble(t, func(t *testing.T) {
			const n = 20
			ops := map[string][]reply{}
			for i := range n {
				ops[fmt.Sprint("op", i)] = []reply{"200 1"}
			}
			s := fleet(ops)
			g := poller.NewGroup[named](&poller.GroupOptions{InFlight: limit, Spread: -1})
			for i := range n {
				g.Add(follow(t, slowly(s, 10*time.Second), fmt.Sprint("op", i), nil))
			}
			g.Close()
			taken := 0
			for _, err := range g.Wait(t.Context()) {
				require.NoError(t, err)
				taken++
				time.Sleep(30 * time.Second)
				require.Equal(t, min(taken+limit, n), s.readsAfter(n))
				st := g.Stats()
				require.Equal(t, poller.GroupStats{Waiting: n - s.readsAfter(n), Ended: s.readsAfter(n), Polls: s.readsAfter(n), OldestDue: st.OldestDue}, st)
			}
			require.Equal(t, n, taken)
			require.Equal(t, 70*time.Second+n*30*time.Second, time.Since(s.began), "the loop never waits for a read")
		})
	}
}

// InFlight limits the number of reads in flight plus the number of results that wait for the loop.
// When a read finds that its operation is still in progress, another read may start.
func TestReadsAndResultsShareLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"200 1"}, "b": {"200 1"}, "c": {"202", "202", "200 1"}, "d": {"200 1"}, "e": {"200 1"}})
		g := poller.NewGroup[named](&poller.GroupOptions{InFlight: 2, Spread: -1})
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			g.Add(follow(t, s, name, nil))
			time.Sleep(time.Second)
		}
		g.Close()
		var names []string
		for op, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			if names = append(names, op.name); len(names) == 1 {
				time.Sleep(10 * time.Minute)
				require.Equal(t, []string{get("/op/a"), get("/op/b"), get("/op/c"), get("/op/d")}, s.requests()[5:])
				require.Equal(t, 2, g.Stats().Waiting)
			}
		}
		require.Equal(t, []string{"a", "b", "d"}, names[:3])
		require.Len(t, names, 5)
	})
}

// If the caller removes an operation whose result the loop has not taken yet, another read may
// start, and the group no longer keeps the result in memory.
func TestRemovedResultMakesRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"200 1"}, "b": {"200 1"}, "c": {"200 1"}})
		g := poller.NewGroup[*poller.Poller[raw]](&poller.GroupOptions{InFlight: 1})
		kept := func() (b weak.Pointer[poller.Poller[raw]]) {
			for _, name := range []string{"a", "b", "c"} {
				op := follow(t, s, name, nil).Poller
				if g.Add(op); name == "b" {
					b = weak.Make(op)
				}
			}
			return b
		}()
		g.Close()
		n := 0
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			if n++; n == 1 {
				time.Sleep(time.Hour)
				require.Equal(t, 2, s.readsAfter(3))
				g.Remove(kept.Value())
				require.Equal(t, 3, s.readsAfter(3), "at once, while the body still runs")
				for range 2 {
					runtime.GC()
				}
				require.Nil(t, kept.Value())
			}
		}
		require.Equal(t, 2, n)
	})
}

// While reads are held back, the context may end or the loop may be left, with the usual effect.
func TestEndOfSlowLoop(t *testing.T) {
	replies := map[string][]reply{"a": {"200 1"}, "b": {"200 1"}, "c": {"200 1"}}
	opts := &poller.GroupOptions{InFlight: 1}
	bubble(t, func(t *testing.T) { // the context ends while the body runs
		s := fleet(replies)
		g := groupOf(opts, follow(t, s, "a", nil), follow(t, s, "b", nil), follow(t, s, "c", nil))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		var errs []error
		for _, err := range g.Wait(ctx) {
			errs = append(errs, err)
			time.Sleep(time.Hour)
		}
		require.Len(t, errs, 3)
		require.NoError(t, errs[0])
		require.NoError(t, errs[1], "the operation had already ended")
		requireWait(t, errs[2], lroerrors.ReasonDeadline)
		require.Equal(t, []string{"c 0s"}, endsOf(wait(t.Context(), g)))
	})
	bubble(t, func(t *testing.T) { // the loop is left
		s := fleet(replies)
		g := groupOf(opts, follow(t, s, "a", nil), follow(t, s, "b", nil), follow(t, s, "c", nil))
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			time.Sleep(time.Hour)
			break
		}
		require.Equal(t, []string{"b 0s", "c 0s"}, endsOf(wait(t.Context(), g)))
	})
}

// If another caller's read ends the wait for an operation with an error, there is no result to keep
// in memory, so the operation needs no place.
func TestErrorOfAnotherCallerNeedsNoPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"200 1"}, "b": {"200 1"}, "c": {"403"}})
		c := follow(t, s, "c", nil)
		g := groupOf(&poller.GroupOptions{InFlight: 1}, follow(t, s, "a", nil), follow(t, s, "b", nil), c)
		var names []string
		for op, err := range g.Wait(t.Context()) {
			if names = append(names, op.name); len(names) == 1 {
				time.Sleep(time.Hour)
				_, err := c.Poll(t.Context())
				requireWait(t, err, lroerrors.ReasonRefused)
				require.Equal(t, 3, g.Stats().Ended)
				continue
			}
			require.Equal(t, op.name == "c", err != nil)
		}
		require.Equal(t, []string{"a", "b", "c"}, names)
		require.Equal(t, http.StatusForbidden, c.Status().ReadErr.(*lroerrors.StatusError).StatusCode) //nolint:errorlint // the outermost
	})
}
