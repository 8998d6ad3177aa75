package poller

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// silent is a client that counts requests and never responds. A request ends only when its context
// does.
type silent struct{ asked atomic.Int32 }

func (s *silent) Do(req *http.Request) (*http.Response, error) {
	s.asked.Add(1)
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// inProgress returns an operation in progress. If taken is set, another caller is reading it.
func inProgress(t *testing.T, client Doer, taken bool) *Poller[struct{}] {
	t.Helper()
	resp := &http.Response{
		StatusCode: http.StatusAccepted, Header: http.Header{"Location": {"/op"}}, Body: http.NoBody,
		Request: httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://a.test/x", http.NoBody),
	}
	p, err := New[struct{}](resp, client, nil)
	require.NoError(t, err)
	p.c.taken.Store(taken)
	return p
}

// runOf returns a run of a group with one operation. The run has no schedule goroutine, so the test
// calls its methods itself.
func runOf(t *testing.T, p *Poller[struct{}]) (*run, *member) {
	t.Helper()
	g := &group{}
	g.add(p)
	m := g.members[p.c]
	r := &run{
		group: g, epoch: time.Now(), wake: make(chan struct{}, 1), news: make(chan struct{}, 1),
		flights: map[*member]*flight{},
	}
	r.openLanes()
	r.ctx, r.stop = context.WithCancel(t.Context())
	t.Cleanup(func() {
		r.stop()
		r.wg.Wait()
	})
	g.run = r
	g.mu.Lock()
	defer g.mu.Unlock()
	r.join(m)
	return r, m
}

// requireBegun fails unless n reads have been started.
func requireBegun(t *testing.T, client *silent, n int) {
	t.Helper()
	synctest.Wait()
	require.EqualValues(t, n, client.asked.Load())
}

// A group does not start a read that would have to wait for another caller's turn. Once the turn
// is released, the read is due as before.
func TestTakenTurnUsesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := new(silent)
		p := inProgress(t, client, true)
		r, m := runOf(t, p)
		<-r.wake
		time.Sleep(time.Minute)
		require.Greater(t, r.dispatch(), 100*365*24*time.Hour, "only a release makes the read due")
		require.Equal(t, parked, m.begin)
		require.Equal(t, [2]pace{}, r.paces)
		require.Equal(t, queued, m.place)
		requireBegun(t, client, 0)
		require.Empty(t, r.wake)

		p.c.release()
		require.Len(t, r.wake, 1, "the schedule is notified")
		require.Equal(t, time.Minute, m.begin)
		r.dispatch()
		requireBegun(t, client, 1)
		require.Equal(t, running, m.place)
		require.NotEqual(t, [2]pace{}, r.paces)
	})
}

// If another caller takes the turn before a scheduled read starts, the read loses its start time
// and is scheduled again.
func TestTakenTurnGivesUpPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := new(silent)
		p := inProgress(t, client, false)
		r, m := runOf(t, p)
		r.paces[0].free = time.Minute + time.Second
		time.Sleep(time.Minute)
		next := r.dispatch()
		require.Equal(t, time.Second, next)
		require.True(t, m.placed)
		requireBegun(t, client, 0)

		require.True(t, p.c.taken.CompareAndSwap(false, true))
		time.Sleep(time.Second)
		r.dispatch()
		require.Equal(t, parked, m.begin)
		p.c.release()
		next = r.dispatch()
		require.Equal(t, spreadGap, next, "after the start time that was released")
		time.Sleep(next)
		r.dispatch()
		requireBegun(t, client, 1)
	})
}

// The group does not start a read that has been postponed since it was scheduled.
func TestPostponedReadIsNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := new(silent)
		p := inProgress(t, client, false)
		r, m := runOf(t, p)
		time.Sleep(time.Minute)
		p.c.rec.Next = time.Now().Add(time.Hour)
		next := r.dispatch()
		require.Equal(t, time.Hour, next)
		requireBegun(t, client, 0)
		require.False(t, m.placed)
	})
}

// If a read could not be made because another caller had the turn, it keeps its start time. After a
// completed read, the next one gets a new start time.
func TestUnusedSlotIsKept(t *testing.T) {
	for _, busy := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r, m := runOf(t, inProgress(t, new(silent), false))
			r.paces[0].free = time.Minute + time.Second
			time.Sleep(time.Minute)
			r.dispatch()
			require.True(t, m.placed)
			time.Sleep(time.Second)
			m.place, m.placed = running, false // as run.start does
			r.takeOff(m)
			r.done(m, &outcome{busy: busy})
			require.Equal(t, queued, m.place)
			require.Equal(t, busy, m.placed)
			require.Equal(t, map[bool]time.Duration{true: time.Minute + time.Second, false: time.Minute}[busy], m.begin)
		})
	}
}

// After a burst of reads, a group keeps only some of their contexts. It never reuses a canceled one.
func TestUnusedContexts(t *testing.T) {
	r, _ := runOf(t, inProgress(t, new(silent), false))
	var all []*member
	for range 2 * maxUnused {
		p := inProgress(t, new(silent), false)
		r.group.add(p)
		all = append(all, r.group.members[p.c])
	}
	first := map[context.Context]bool{}
	for _, m := range all {
		first[r.takeOff(m)] = true
	}
	require.Len(t, first, len(all))
	r.flights[all[0]].cancel(errGivenUp)
	for _, m := range all {
		r.land(m, true)
	}
	require.Len(t, r.unused, maxUnused)
	for i, m := range all[:maxUnused+1] {
		r.put(m, r.home(m))
		ctx := r.takeOff(m)
		require.Equal(t, i < maxUnused, first[ctx])
		require.NoError(t, ctx.Err())
	}
}

// Another caller may release the turn after the group has found it taken, but before the group
// parks the member. The group then gets no notification, so it must check again whether the turn is
// free.
func TestTurnReleasedBeforePark(t *testing.T) {
	p := inProgress(t, new(silent), false)
	for _, taken := range []bool{true, false} {
		r, m := runOf(t, p)
		m.place = running
		r.takeOff(m)
		p.c.taken.Store(taken)
		r.done(m, &outcome{busy: true})
		require.Equal(t, taken, m.begin == parked)
	}
}
