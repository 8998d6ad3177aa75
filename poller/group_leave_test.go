package poller_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// three returns a closed group of three operations, a, b and c, which are first read at 60 s. By
// then, a has ended. The responses for b and c ask for pauses of 10 s and 100 s.
func three(t *testing.T) (g *poller.Group[named], client *counter, ops []named) {
	t.Helper()
	s := fleet(map[string][]reply{"a": {`200 "A"`}, "b": {"202\nRetry-After: 10", `200 "B"`}, "c": {"202\nRetry-After: 100", `200 "C"`}})
	client = counting(slowly(s, time.Second))
	for _, name := range []string{"a", "b", "c"} {
		ops = append(ops, followWith(t, client, name, nil))
	}
	return groupOf(nil, ops...), client, ops
}

// When the context ends, Wait yields each remaining operation once, and the next Wait continues
// with them.
func TestContextEndsGroupWait(t *testing.T) {
	cause := errors.New("shutting down")
	bubble(t, func(t *testing.T) {
		g, client, ops := three(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(71*time.Second+500*time.Millisecond, func() { cancel(cause) }) // during the read of b
		ends := wait(ctx, g)
		require.Equal(t, []string{"a 1m1s", "b 1m11.5s *errors.WaitError", "c 1m11.5s *errors.WaitError"}, endsOf(ends))
		for i, e := range ends[1:] {
			w := waitOf(t, e.err, lroerrors.ReasonCanceled)
			require.ErrorIs(t, e.err, cause)
			require.Equal(t, ops[i+1].NextPoll(), w.NextPoll)
			token, err := w.ResumeToken()
			require.NoError(t, err)
			again, err := poller.Resume[raw](token, client, trusted)
			require.NoError(t, err)
			require.True(t, w.NextPoll.Equal(again.NextPoll()))
		}
		require.Zero(t, client.open)
		st := g.Stats()
		require.Equal(t, 2, st.Waiting)
		require.Equal(t, 1, st.Ended)
		require.Zero(t, st.InFlight)

		require.Equal(t, []string{"b 1s", "c 1m30.7s"}, endsOf(wait(t.Context(), g)))
		require.Zero(t, client.open)
	})
}

func TestGroupWaitWithEndedContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g, client, ops := three(t)
		_, err := ops[0].PollUntilDone(t.Context())
		require.NoError(t, err)
		asked := client.requests
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 2 {
			ends := wait(ctx, g)
			require.Equal(t, []string{"b 0s *errors.WaitError", "c 0s *errors.WaitError"}, endsOf(ends)[len(ends)-2:])
			if len(ends) == 3 {
				require.NoError(t, ends[0].err, "an operation that has ended is still yielded")
				require.Equal(t, "a", ends[0].name)
			}
		}
		require.Equal(t, asked, client.requests)
		require.Equal(t, 1, g.Stats().Ended)
	})
}

// However the loop ends, no request is in flight afterwards, and no operation is lost.
func TestLeaveLoop(t *testing.T) {
	leave := map[string]func(ctx context.Context, g *poller.Group[named]){
		"break": func(ctx context.Context, g *poller.Group[named]) {
			for _, err := range g.Wait(ctx) {
				require.NoError(t, err)
				break
			}
		},
		"panic": func(ctx context.Context, g *poller.Group[named]) {
			defer func() { _ = recover() }()
			for _, err := range g.Wait(ctx) {
				panic(err)
			}
		},
		"goexit": func(ctx context.Context, g *poller.Group[named]) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				for _, err := range g.Wait(ctx) {
					require.NoError(t, err)
					runtime.Goexit()
				}
			}()
			<-done
		},
		"context": func(ctx context.Context, g *poller.Group[named]) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			for _, err := range g.Wait(ctx) {
				cancel()
				if err != nil {
					requireWait(t, err, lroerrors.ReasonCanceled)
				}
			}
		},
	}
	for name, leave := range leave {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := fleet(map[string][]reply{"a": {"200 1"}, "b": {"202", "200 1"}, "c": {"200 1"}, "d": {"202", "200 1"}})
				client := counting(slowly(s, 250*time.Millisecond))
				g := poller.NewGroup[named](nil)
				for _, name := range []string{"a", "b", "c", "d"} {
					g.Add(followWith(t, client, name, nil))
				}
				g.Close()
				leave(t.Context(), g) // returns at 60.25 s, while b and c are being read
				require.Equal(t, 60*time.Second+250*time.Millisecond, time.Since(s.began))
				require.Zero(t, client.now)
				require.Zero(t, client.open)
				require.Zero(t, g.Stats().InFlight)
				require.Equal(t, 1, g.Stats().Polls, "an abandoned read does not count")
				synctest.Wait()
				ends := wait(t.Context(), g)
				require.Equal(t, []string{"b", "c", "d"}, sortedNames(ends))
				require.Zero(t, client.open)
			})
		})
	}
}

// If an operation has ended, but the loop is left before Wait has yielded it, the next Wait yields
// it.
func TestNextWaitYieldsUnseenEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g, client, ops := three(t)
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			time.Sleep(time.Hour) // meanwhile, the group reads b and c to the end
			break
		}
		require.True(t, ops[1].Done())
		require.True(t, ops[2].Done())
		asked := client.requests
		require.Equal(t, []string{"b 0s", "c 0s"}, endsOf(wait(t.Context(), g)))
		require.Equal(t, asked, client.requests)
		require.Equal(t, 3, g.Stats().Ended)
	})
}

// A deadline affects each operation in a group the way it affects PollUntilDone.
func TestGroupDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{
			"asked": {"202\nRetry-After: 300", "200 1"}, "ours": {"202", "200 1"}, "soon": {"202\nRetry-After: 10", "200 1"},
		})
		g := groupOf(&poller.GroupOptions{Spread: -1}, follow(t, s, "asked", nil), follow(t, s, "ours", nil), follow(t, s, "soon", nil))
		ctx, cancel := context.WithTimeout(t.Context(), 110*time.Second)
		defer cancel()
		ends := wait(ctx, g)
		require.Equal(t, []string{"asked 1m0s *errors.WaitError", "soon 1m10s", "ours 1m45s"}, endsOf(ends))
		w := waitOf(t, ends[0].err, lroerrors.ReasonDeadline)
		require.True(t, w.Asked)
		require.Equal(t, 1, g.Stats().Waiting)
		require.Equal(t, []string{"asked 4m15s"}, endsOf(wait(t.Context(), g)))
	})
}

// If two goroutines call Wait, the second Wait starts when the first has ended.
func TestOneWaitAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g, _, _ := three(t)
		var second []end
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(time.Second)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			require.Empty(t, wait(ctx, g))
			second = wait(t.Context(), g)
		}()
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			time.Sleep(time.Second)
			break
		}
		<-done
		require.Equal(t, []string{"b 1m10.1s", "c 2m40.2s"}, endsOf(second))
	})
}

// Wait yields an operation at once if its pause ends after the deadline. If the loop then removes
// the operation, Wait neither waits for it nor yields it again.
func TestGroupRetryAfterBeyondDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"202", "200 1"}, "b": {"202", "200 1"}})
		s.replies["POST /a"] = []reply{"202\nLocation: /op/a\nRetry-After: 300"}
		a, b := follow(t, s, "a", nil), follow(t, s, "b", nil)
		g := groupOf(nil, a, b)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Second)
		defer cancel()
		for op, err := range g.Wait(ctx) {
			if op == a {
				requireWait(t, err, lroerrors.ReasonDeadline)
				g.Remove(a)
				g.Remove(a)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, 2*time.Minute, time.Since(s.began))
		}
		require.Equal(t, 2*time.Minute, time.Since(s.began))

		g.Add(a)
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		seq := g.Wait(short)
		for _, err := range seq {
			requireWait(t, err, lroerrors.ReasonDeadline)
			break
		}
		require.Equal(t, []string{"a 8m0s"}, endsOf(wait(t.Context(), g)))
	})
}
