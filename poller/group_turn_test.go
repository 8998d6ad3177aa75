package poller

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// inProgress is an operation that goes on, with the turn of it taken or free.
func inProgress(t *testing.T, taken bool) *Poller[struct{}] {
	t.Helper()
	resp := &http.Response{
		StatusCode: http.StatusAccepted, Header: http.Header{"Location": {"/op"}}, Body: http.NoBody,
		Request: httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://a.test/x", http.NoBody),
	}
	p, err := New[struct{}](resp, nil, nil)
	require.NoError(t, err)
	p.c.taken = taken
	return p
}

// runOf is a run of a group of one operation, joined, whose schedule does not go on by
// itself.
func runOf(t *testing.T, p *Poller[struct{}]) (*run, *member) {
	t.Helper()
	g := NewGroup(nil)
	g.Add(p)
	m := g.members[p.c]
	r := &run{
		group: g, ctx: t.Context(), epoch: time.Now(), wake: make(chan struct{}, 1), news: make(chan struct{}, 1),
		jobs: make(chan job, 1), cancels: map[*member]context.CancelFunc{m: func() {}},
	}
	g.run, r.workers = r, 1 // one that does not work: a job stays in the channel
	g.mu.Lock()
	defer g.mu.Unlock()
	r.join(m)
	return r, m
}

// An operation whose turn somebody else has is not begun, and takes no place of
// another. When the turn is given back it is due as it was.
func TestATakenTurnTakesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := inProgress(t, true)
		r, m := runOf(t, p)
		<-r.wake
		time.Sleep(time.Minute)
		_, byTime := r.dispatch()
		require.False(t, byTime, "it is not time that it waits for")
		require.Equal(t, parked, m.begin)
		require.Equal(t, [2]pace{}, r.lanes)
		require.Empty(t, r.jobs)
		require.Empty(t, r.wake)

		p.c.release()
		require.Len(t, r.wake, 1, "the schedule is told")
		require.Equal(t, time.Minute, m.begin)
		_, _ = r.dispatch()
		require.Len(t, r.jobs, 1)
		require.NotEqual(t, [2]pace{}, r.lanes)
	})
}

// The turn is taken while a read has a place later than it is due: the place is given
// up, so that it is found again.
func TestAPlaceIsGivenUpForATakenTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := inProgress(t, false)
		r, m := runOf(t, p)
		r.lanes[0].free = time.Minute + time.Second
		time.Sleep(time.Minute)
		next, byTime := r.dispatch()
		require.True(t, byTime)
		require.Equal(t, time.Second, next)
		require.True(t, m.placed)
		require.Empty(t, r.jobs)

		require.True(t, p.c.tryAcquire())
		time.Sleep(time.Second)
		_, byTime = r.dispatch()
		require.False(t, byTime)
		require.Equal(t, parked, m.begin)
		p.c.release()
		next, byTime = r.dispatch()
		require.True(t, byTime)
		require.Equal(t, spreadGap, next, "behind the one that was given up")
		time.Sleep(next)
		_, _ = r.dispatch()
		require.Len(t, r.jobs, 1)
	})
}

// What has moved since the schedule looked last is not begun.
func TestAReadThatWasPutOffIsNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := inProgress(t, false)
		r, m := runOf(t, p)
		time.Sleep(time.Minute)
		p.c.s.Next = time.Now().Add(time.Hour)
		next, byTime := r.dispatch()
		require.True(t, byTime)
		require.Equal(t, time.Hour, next)
		require.Empty(t, r.jobs)
		require.False(t, m.placed)
	})
}

// A read that found the turn taken, and free again, has not used its place; one that
// was made is placed anew.
func TestAPlaceThatWasNotUsed(t *testing.T) {
	for _, busy := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r, m := runOf(t, inProgress(t, false))
			r.lanes[0].free = time.Minute + time.Second
			time.Sleep(time.Minute)
			_, _ = r.dispatch()
			time.Sleep(time.Second)
			_, _ = r.dispatch()
			require.Len(t, r.jobs, 1)
			r.done(m, &outcome{busy: busy}, true)
			require.Equal(t, busy, m.placed)
			require.Equal(t, map[bool]time.Duration{true: time.Minute + time.Second, false: time.Minute}[busy], m.begin)
		})
	}
}

// Between the finding that somebody else has the turn and the taking over of that,
// he may give it back. Nobody tells of it then, so the group has to look.
func TestATurnThatWasGivenBackMeanwhile(t *testing.T) {
	p := inProgress(t, false)
	for _, taken := range []bool{true, false} {
		g := NewGroup(nil)
		g.Add(p)
		m := g.members[p.c]
		r := &run{group: g, ctx: t.Context(), epoch: time.Now(), wake: make(chan struct{}, 1), cancels: map[*member]context.CancelFunc{m: func() {}}}
		m.phase, p.c.taken = reading, taken
		r.done(m, &outcome{busy: true}, true)
		require.Equal(t, taken, m.begin == parked)
	}
}
