package poller_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// three returns a closed group of the operations a, b and c, which are first read at 60 s.
// Operation a has ended by then. The response for b asks for a pause of 10 s, and the response for
// c asks for 100 s.
func three(t *testing.T) (g *poller.Group[named], client *counter, ops []named) {
	t.Helper()
	s := fleet(map[string][]reply{"a": {`200 "A"`}, "b": {"202\nRetry-After: 10", `200 "B"`}, "c": {"202\nRetry-After: 100", `200 "C"`}})
	client = counting(slowly(s, time.Second))
	for _, name := range []string{"a", "b", "c"} {
		ops = append(ops, followWith(t, client, name, nil))
	}
	return groupOf(nil, ops...), client, ops
}

// When the context ends, Wait yields each remaining operation once. The next Wait continues with
// these operations.
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
				require.NoError(t, ends[0].err, "an operation that has ended must be yielded without an error")
				require.Equal(t, "a", ends[0].name)
			}
		}
		require.Equal(t, asked, client.requests)
		require.Equal(t, 1, g.Stats().Ended)
	})
}

// If a service asks for a pause beyond ctx's deadline, Wait yields the operation at once with a
// WaitError. If the poller chose the pause itself, it shortens the pause and reads before the
// deadline. PollUntilDone does the same.
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
