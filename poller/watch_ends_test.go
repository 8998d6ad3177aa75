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

func TestCancelWatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var seen []poller.Status
		opts := &poller.WatchOptions{Name: "vm1", Cancel: func(_ context.Context, st poller.Status) error {
			if seen = append(seen, st); len(seen) == 1 {
				return coded(409)
			}
			return nil
		}}
		p := poller.Watch(gets(is("x"), is("Canceled")).get, word, opts)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		err = p.Cancel(t.Context())
		require.EqualError(t, err, "lro: vm1: 409 Conflict: code 409")
		require.NoError(t, p.Cancel(t.Context()))
		require.Equal(t, "x", seen[1].Word)
		_, err = p.PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrCanceled)
		require.NoError(t, p.Cancel(t.Context()), "Cancel must be a no-op once the watch has ended")
		require.Len(t, seen, 2)
		require.ErrorIs(t, poller.Watch(gets(is("x")).get, word, nil).Cancel(t.Context()), errors.ErrUnsupported)
	})
}

// If the context ends during Poller.Cancel and WatchOptions.Cancel fails, the error says that the
// context has ended. If WatchOptions.Cancel succeeds, Poller.Cancel returns nil.
func TestCancelWatchInterrupted(t *testing.T) {
	for _, failure := range []error{nil, coded(409), context.Canceled} {
		ctx, stop := context.WithCancel(t.Context())
		p := poller.Watch(gets(is("x")).get, word, &poller.WatchOptions{Cancel: func(context.Context, poller.Status) error {
			stop()
			return failure
		}})
		err := p.Cancel(ctx)
		if failure == nil {
			require.NoError(t, err)
			continue
		}
		requireWait(t, err, lroerrors.ReasonCanceled)
	}
}

// A panic in the getter or the judge reaches the caller, who can then wait again.
func TestPanicInWatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := 0
		p := poller.Watch(func(context.Context) (int, error) {
			if n++; n == 1 {
				panic("getter")
			}
			return n, nil
		}, func(n int, _ error) (poller.Status, error) {
			if n == 2 {
				panic("judge")
			}
			return poller.Status{State: poller.Succeeded}, nil
		}, nil)
		require.PanicsWithValue(t, "getter", func() { _, _ = p.PollUntilDone(t.Context()) })
		require.PanicsWithValue(t, "judge", func() { _, _ = p.PollUntilDone(t.Context()) })
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 3, v)
	})
	require.PanicsWithValue(t, "lro: Watch: get is nil", func() { poller.Watch[int](nil, nil, nil) })
}

// A Poller from Finished is done from the start. PollUntilDone and Result return the value and the
// error that were passed to Finished.
func TestFinished(t *testing.T) {
	failed := &lroerrors.OperationError{State: "Failed"}
	canceled := &lroerrors.OperationError{State: "Canceled"}
	for _, tt := range []struct {
		v     int
		err   error
		state poller.State
	}{{7, nil, poller.Succeeded}, {0, failed, poller.Failed}, {0, canceled, poller.Canceled}, {3, errNoIdea, poller.Failed}} {
		bubble(t, func(t *testing.T) {
			p := poller.Finished(tt.v, tt.err)
			require.True(t, p.Done())
			require.Equal(t, tt.state, p.Status().State)
			for _, wait := range []func(context.Context) (int, error){p.PollUntilDone, p.Result} {
				v, err := wait(t.Context())
				require.Equal(t, tt.err, err)
				require.Equal(t, tt.v, v)
			}
			for _, err := range groupOf(nil, p).Wait(t.Context()) {
				require.Equal(t, tt.err, err)
			}
			for st, err := range p.Updates(t.Context()) {
				require.NoError(t, err)
				require.Equal(t, tt.state, st.State)
			}
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, tt.state, st.State)
			require.Zero(t, p.NextPoll())
			require.NoError(t, p.Cancel(t.Context()))
		})
	}
}

// Without a judge, Watch needs a provisioningState in each value. If the first value lacks it, the
// wait ends with an error. If a later value lacks it, that read has failed.
func TestNilJudgeWithoutState(t *testing.T) {
	bubble(t, func(t *testing.T) {
		start := time.Now()
		get := func(context.Context) (struct{ Name string }, error) { return struct{ Name string }{"a"}, nil }
		_, err := poller.Watch(get, nil, &poller.WatchOptions{Name: "pool"}).PollUntilDone(t.Context())
		wait := waitOf(t, err, lroerrors.ReasonUnfollowable)
		require.ErrorContains(t, wait, "the value has no provisioningState; give Watch a judge")
		require.Equal(t, poller.Stuck, poller.Classify(err))
		require.Zero(t, time.Since(start))
	})
	bubble(t, func(t *testing.T) {
		start, reads := time.Now(), 0
		get := func(context.Context) (map[string]string, error) {
			reads++
			switch reads {
			case 1:
				return map[string]string{"provisioningState": "Creating"}, nil
			case 2:
				return nil, nil
			}
			return map[string]string{"provisioningState": "Succeeded"}, nil
		}
		_, err := poller.Watch(get, nil, nil).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 70*time.Second, time.Since(start))
	})
}
