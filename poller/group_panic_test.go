package poller_test

import (
	"context"
	"maps"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// buggyGroup returns a group of two operations, a and b, which are first read at 60 s. The read of
// operation a runs the part of the caller's code with the given name, such as "Strategy", which
// sleeps for five seconds and then calls bug. The read of operation b takes ten seconds.
func buggyGroup(t *testing.T, where string, opts poller.Options, bug func()) (*poller.Group[poller.Operation], *poller.Poller[hookedResult], *counter, *service) {
	t.Helper()
	s := fleet(map[string][]reply{"a": {"200 {}"}, "b": {"200 1"}})
	client := counting(slowly(s, 10*time.Second))
	a := beginBuggy(t, s, where, opts, func() { time.Sleep(5 * time.Second); bug() })
	b := followWith(t, client, "b", nil)
	return groupOf[poller.Operation](&poller.GroupOptions{Spread: -1}, a, b), a, client, s
}

// requireReleased checks that Wait ended at 65 s and left nothing running, and that a second Wait
// yields both operations. g is a group from buggyGroup.
func requireReleased(t *testing.T, g *poller.Group[poller.Operation], client *counter, s *service) {
	t.Helper()
	require.Equal(t, 65*time.Second, time.Since(s.began), "Wait must abandon the read of b")
	require.Zero(t, client.underWay())
	require.Zero(t, client.open)
	st := g.Stats()
	require.Equal(t, 2, st.Waiting)
	require.Zero(t, st.InFlight)
	require.Len(t, maps.Collect(g.Wait(t.Context())), 2)
	require.Equal(t, 75*time.Second, time.Since(s.began))
	require.Zero(t, client.open)
	require.Equal(t, 2, g.Stats().Ended)
}

// If the caller's code panics, Wait stops all reads and then panics with the same value in the
// loop's goroutine. The caller may range over Wait again.
func TestPanicReachesLoop(t *testing.T) {
	for _, where := range callerCode {
		t.Run(where, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				log := &strings.Builder{}
				g, a, client, s := buggyGroup(t, where, poller.Options{Logger: logTo(log)}, func() { panic(errBoom) })
				v := recovered(func() {
					for op, err := range g.Wait(t.Context()) {
						require.Fail(t, "Wait must not yield anything", "%s: %v", op, err)
					}
				})
				require.Same(t, errBoom, v)
				require.Contains(t, log.String(), `level=ERROR msg="lro: panic" url=`+origin+`/op/a error=boom`)
				require.Contains(t, log.String(), "group_panic_test.go", "the stack")
				polls := map[string]int{"UnmarshalJSON": 1}[where]
				require.Equal(t, poller.GroupStats{Waiting: 2, Polls: polls}, g.Stats(), "Stats must count a read that was completed")
				token, err := a.ResumeToken()
				require.NoError(t, err)
				require.NotEmpty(t, token)
				requireReleased(t, g, client, s)
			})
		})
	}
}

// If the caller's code calls runtime.Goexit during a read, the loop's goroutine ends.
func TestGoexitReachesLoop(t *testing.T) {
	for _, where := range callerCode {
		t.Run(where, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				log := &strings.Builder{}
				g, _, client, s := buggyGroup(t, where, poller.Options{Logger: logTo(log)}, runtime.Goexit)
				require.False(t, returns(func() { _ = maps.Collect(g.Wait(t.Context())) }))
				require.Contains(t, log.String(), `error="runtime.Goexit was called"`)
				require.Contains(t, log.String(), "panic_test.go", "the stack")
				requireReleased(t, g, client, s)
			})
		})
	}
}

// The loop panics with the original value, which may have any type. The log contains none of the
// value's secrets.
func TestPanicValueIsUnchanged(t *testing.T) {
	type key struct{ list []int } // not comparable
	for name, v := range map[string]any{
		"an error":  lroerrors.ErrNotDone,
		"a secret":  "GET https://a.test/x?sig=s3cret",
		"a struct":  key{[]int{1}},
		"a runtime": recovered(func() { var p *key; _ = p.list }),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				log := &strings.Builder{}
				g, _, client, s := buggyGroup(t, "Strategy", poller.Options{Logger: logTo(log)}, func() { panic(v) })
				require.Equal(t, v, recovered(func() { _ = maps.Collect(g.Wait(t.Context())) }))
				require.NotContains(t, log.String(), "s3cret")
				requireReleased(t, g, client, s)
			})
		})
	}
}

// A Logger that panics does not hide the panic that it was supposed to log.
func TestPanicInLogger(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g, _, client, s := buggyGroup(t, "Doer", poller.Options{Logger: logTo(panicking{})}, func() { panic(errBoom) })
		require.Same(t, errBoom, recovered(func() { _ = maps.Collect(g.Wait(t.Context())) }))
		requireReleased(t, g, client, s)
	})
}

// After ctx has ended, Wait still decodes a result that another caller has read. If decoding
// panics, so does Wait.
func TestPanicWhileYieldingRest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := beginBuggy(t, fleet(map[string][]reply{"a": {"200 {}"}}), "UnmarshalJSON", poller.Options{}, func() { panic(errBoom) })
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		g := groupOf(nil, p)
		require.Same(t, errBoom, recovered(func() { _ = maps.Collect(g.Wait(ctx)) }))
		require.Equal(t, map[*poller.Poller[hookedResult]]error{p: nil}, maps.Collect(g.Wait(ctx)))
	})
}
