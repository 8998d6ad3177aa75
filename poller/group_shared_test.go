package poller_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// After a WakeUp, a group reads as soon as Cadence.Min allows, even if WakeUp is called before Wait
// or during a read.
func TestWakeUpInAGroup(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"202", "202", "202", "200 1"}})
		a := follow(t, slowly(s, 2*time.Second), "a", nil)
		g := groupOf(nil, a)
		a.WakeUp() // before Wait
		for _, at := range []time.Duration{11, 12, 41} {
			time.AfterFunc(at*time.Second, a.WakeUp) // at 12 s, the read that started at 11 s is in flight; the next read starts at 21 s
		}
		require.Equal(t, []string{"a 43s"}, endsOf(wait(t.Context(), g)))
		require.Equal(t, []time.Duration{0, 2 * time.Second, 13 * time.Second, 23 * time.Second, 43 * time.Second}, s.times())
	})
}

// A group uses other callers' reads of its operations instead of repeating them.
func TestGroupSeesReadsOfOthers(t *testing.T) {
	t.Run("a status", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := fleet(map[string][]reply{"a": {"202\nRetry-After: 300", "200 1"}})
			a := follow(t, slowly(s, time.Second), "a", nil)
			time.AfterFunc(59*time.Second+500*time.Millisecond, func() { // this poll is still in flight when the group's read is due
				_, err := a.Poll(t.Context())
				require.NoError(t, err)
			})
			require.Equal(t, []string{"a 6m1.5s"}, endsOf(wait(t.Context(), groupOf(nil, a))))
			require.Len(t, s.requests(), 3)
		})
	})
	t.Run("the end", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := fleet(map[string][]reply{"a": {"200 1"}})
			a := follow(t, s, "a", nil)
			time.AfterFunc(5*time.Second, func() {
				_, err := a.Poll(t.Context())
				require.NoError(t, err)
			})
			require.Equal(t, []string{"a 5s"}, endsOf(wait(t.Context(), groupOf(nil, a))))
		})
	})
	t.Run("the end of patience", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := fleet(map[string][]reply{"a": {"403\nRetry-After: 3600"}})
			a := follow(t, s, "a", nil)
			time.AfterFunc(5*time.Second, func() {
				_, err := a.Poll(t.Context())
				requireWait(t, err, lroerrors.ReasonRefused)
			})
			ends := wait(t.Context(), groupOf(nil, a))
			require.Equal(t, []string{"a 5s *errors.WaitError"}, endsOf(ends))
			requireWait(t, ends[0].err, lroerrors.ReasonRefused)
		})
	})
	t.Run("the result", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{
				"POST " + resource: {accepted + "\nLocation: /result"},
				get(monitor):       {succeeded}, get("/result"): {"503\nRetry-After: 600", "200 1"},
			})
			p := begin(t, s, "POST", nil)
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			read := make(chan struct{})
			go func() {
				defer close(read)
				_, err := p.Result(t.Context())
				require.IsType(t, &lroerrors.StatusError{}, err)
				require.Equal(t, 10*time.Minute, time.Until(p.NextPoll()))
				_, err = p.PollUntilDone(t.Context())
				require.NoError(t, err)
			}()
			time.Sleep(time.Second)
			g := groupOf(nil, named{p, "p"})
			time.AfterFunc(time.Minute, func() {
				require.Zero(t, g.Stats().InFlight, "an operation that another caller reads must not count against InFlight")
			})
			require.Equal(t, []string{"p 9m59s"}, endsOf(wait(t.Context(), g)))
			<-read
			require.Len(t, s.requests(), 4)
		})
	})
	t.Run("and give up", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := fleet(map[string][]reply{"a": {"200 1"}})
			a := follow(t, slowly(s, 10*time.Second), "a", nil)
			time.AfterFunc(55*time.Second, func() {
				ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
				defer cancel()
				_, err := a.Poll(ctx)
				requireWait(t, err, lroerrors.ReasonDeadline)
			})
			g := groupOf(nil, a)
			time.AfterFunc(62*time.Second, func() {
				require.Equal(t, poller.GroupStats{Waiting: 1}, g.Stats(), "Stats must not report a late read")
			})
			require.Equal(t, []string{"a 1m13s"}, endsOf(wait(t.Context(), g)))
		})
	})
	t.Run("and wait for it", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := fleet(map[string][]reply{"a": {"202", "200 1"}})
			a := follow(t, slowly(s, time.Second), "a", nil)
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, err := a.PollUntilDone(t.Context())
				require.NoError(t, err)
			}()
			require.Equal(t, []string{"a 2m2s"}, endsOf(wait(t.Context(), groupOf(nil, a))))
			<-done
			require.Len(t, s.requests(), 3)
		})
	})
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(req *http.Request) (*http.Response, error) { return d(req) }

func logTo(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
