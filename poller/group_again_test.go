package poller_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// The tests in this file add or remove operations around the end of a Wait, and then call Wait
// again.

// If the loop adds an operation after the deadline, Wait yields it once, with the context's cause,
// like any other operation that is still running.
func TestAddAfterDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cause := errors.New("shutting down")
		s := fleet(map[string][]reply{"a": {"200 1"}, "b": {"200 1"}})
		s.replies["POST /b"] = []reply{"202\nLocation: /op/b\nRetry-After: 300"}
		b := follow(t, s, "b", nil)
		g := groupOf(nil, follow(t, s, "a", nil))
		ctx, cancel := context.WithTimeoutCause(t.Context(), 70*time.Second, cause)
		defer cancel()
		var names []string
		for op, err := range g.Wait(ctx) {
			if names = append(names, op.name); len(names) == 1 {
				require.NoError(t, err)
				time.Sleep(time.Minute)
				g.Add(b)
				continue
			}
			requireWait(t, err, lroerrors.ReasonDeadline)
			require.ErrorIs(t, err, cause)
		}
		require.Equal(t, []string{"a", "b"}, names)
	})
}

// When the context has ended, Wait yields the operations that are still running. If the loop
// removes some of these before Wait has yielded them, Wait skips them.
func TestRemoveWhileHandingBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g, _, ops := three(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		n := 0
		for op, err := range g.Wait(ctx) {
			n++
			requireWait(t, err, lroerrors.ReasonCanceled)
			for _, other := range ops {
				if other.Poller != op.Poller {
					g.Remove(other)
				}
			}
		}
		require.Equal(t, 1, n)
		require.Equal(t, 1, g.Stats().Waiting)
	})
}

// A new Wait schedules all reads again. It also yields the operations that the previous Wait
// yielded only because the context had ended.
func TestNextWaitStartsOver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, ops := many(t, 100, "")
		g := groupOf(nil, ops...)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(61*time.Second-time.Millisecond, cancel)
		require.Len(t, wait(ctx, g), 100)
		require.Equal(t, 83, g.Stats().Waiting)
		time.Sleep(time.Millisecond)
		require.Len(t, wait(t.Context(), g), 83)
		require.Equal(t, every(61*time.Second, 6*time.Second/83, 83), s.reads(117))
	})
	bubble(t, func(t *testing.T) {
		s, ops := many(t, 1, "\nRetry-After: 300")
		g := groupOf(nil, ops...)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			requireWait(t, wait(ctx, g)[0].err, lroerrors.ReasonDeadline)
			cancel()
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		requireWait(t, wait(ctx, g)[0].err, lroerrors.ReasonCanceled)
		time.AfterFunc(time.Second, ops[0].WakeUp)
		require.Equal(t, []string{"op0 1s"}, endsOf(wait(t.Context(), g)))
		require.Equal(t, 2*time.Second, s.reads(1)[0])
	})
}

// If the loop is left before Wait has yielded all deadline errors, the next Wait yields an error
// for each operation, even for the ones that had been yielded.
func TestNextWaitYieldsDeadlineErrorsAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, ops := many(t, 2, "\nRetry-After: 300")
		g := groupOf(nil, ops...)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, err := range g.Wait(ctx) { // both operations get their errors at once, but the loop is left after the first
			requireWait(t, err, lroerrors.ReasonDeadline)
			break
		}
		require.Equal(t, []string{"op0 0s *errors.WaitError", "op1 0s *errors.WaitError"}, endsOf(wait(ctx, g)))
		require.Equal(t, []string{"op0 5m0s", "op1 5m0.1s"}, endsOf(wait(t.Context(), g)))
	})
}

// If Wait has yielded an operation because its pause ends after the deadline, Wait does not yield
// it again when the context ends.
func TestDeadlineErrorIsYieldedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"202"}, "b": {"202"}})
		s.replies["POST /a"] = []reply{"202\nLocation: /op/a\nRetry-After: 300"}
		g := groupOf(nil, follow(t, s, "a", nil), follow(t, s, "b", nil))
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Second)
		time.AfterFunc(30*time.Second, cancel)
		require.Equal(t, []string{"a 0s *errors.WaitError", "b 30s *errors.WaitError"}, endsOf(wait(ctx, g)))
	})
}

// If Wait has yielded an operation because its pause ends after the deadline, and the loop removes
// that operation, Wait continues with the others.
func TestRemoveAfterDeadlineError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"202"}, "b": {"200 1"}, "c": {"200 1"}})
		s.replies["POST /a"] = []reply{"202\nLocation: /op/a\nRetry-After: 300"}
		a, b, c := follow(t, s, "a", nil), follow(t, s, "b", nil), follow(t, s, "c", nil)
		g := groupOf(nil, a, b, c)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Second)
		defer cancel()
		var names []string
		for op, err := range g.Wait(ctx) {
			require.Equal(t, len(names) > 0, err == nil)
			if names = append(names, op.name); len(names) == 1 {
				g.Remove(a)
			}
		}
		require.Equal(t, []string{"a", "b", "c"}, names)
		require.Equal(t, 60100*time.Millisecond, time.Since(s.began), "and nothing else")
	})
}

// Adding an operation that is already in the group has no effect.
func TestAddTwice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"202", "200 1"}})
		a := follow(t, slowly(s, 2*time.Second), "a", nil)
		g := groupOf(nil, a)
		for _, at := range []time.Duration{10, 61} { // while it is waiting, and during its read
			time.AfterFunc(at*time.Second, func() { g.Add(a) })
		}
		require.Equal(t, []string{"a 2m4s"}, endsOf(wait(t.Context(), g)))
		require.Equal(t, poller.GroupStats{Ended: 1, Polls: 2}, g.Stats())
		require.Len(t, s.requests(), 3)
	})
}

// If the loop adds an operation while Wait is yielding the remaining ones after the end of the
// context, the next Wait yields the added operation.
func TestAddWhileHandingBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"200 1"}, "b": {"200 1"}})
		client := doer(func(req *http.Request) (*http.Response, error) {
			if req.Method != http.MethodGet {
				return s.client().Do(req)
			}
			time.Sleep(time.Minute) // a Doer that ignores the context
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("1")), Request: req}, nil
		})
		a, b := followWith(t, client, "a", nil), follow(t, s, "b", nil)
		g := groupOf(nil, a)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(90*time.Second, cancel)
		var names []string
		for op, err := range g.Wait(ctx) {
			require.NoError(t, err)
			names = append(names, op.name)
			g.Add(b)
		}
		require.Equal(t, []string{"a"}, names)
		require.Equal(t, []string{"b 0s"}, endsOf(wait(t.Context(), g)))
	})
}

// If the body of a loop over Wait ranges over Wait of the same group, the inner Wait yields
// nothing, and does not disturb the outer one.
func TestNestedWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"200 1"}, "b": {"202", "200 1"}})
		g := groupOf(nil, follow(t, s, "a", nil), follow(t, s, "b", nil))
		var names []string
		for op, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			names = append(names, op.name)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			require.Empty(t, wait(ctx, g))
			cancel()
		}
		require.Equal(t, []string{"a", "b"}, names)
	})
}
