package lroazcore_test

import (
	goruntime "runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
)

// TestOf checks that the poller from Of has a NextPoll and can be added to a Group.
func TestOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, start := &fakes.Service{Default: fakes.Plan{RetryAfter: 5 * time.Minute}}, time.Now()
		theirs := begin(t, svc)
		p, err := lroazcore.Of(theirs)
		require.NoError(t, err)
		require.Equal(t, 5*time.Minute, p.NextPoll().Sub(start))
		token, err := theirs.ResumeToken()
		require.NoError(t, err)
		again, err := lroazcore.NewPollerFromResumeToken[Account](token, newPipeline(t, svc), allowOrigin())
		require.NoError(t, err)
		resumed, err := lroazcore.Of(again)
		require.NoError(t, err)
		require.WithinDuration(t, p.NextPoll(), resumed.NextPoll(), 0)

		g := poller.NewGroup[*poller.Poller[Account]](nil)
		g.Add(p)
		g.Close()
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
		}
		require.True(t, theirs.Done(), "both pollers must share the status")
		got, err := theirs.Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
		after, err := lroazcore.Of(theirs)
		require.NoError(t, err)
		require.Same(t, p, after)
	})
}

// TestOfWhileAzcoreWaits checks that an azcore poller and the lro poller from Of can be used
// concurrently.
func TestOfWhileAzcoreWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: time.Hour}}
		theirs := begin(t, svc)
		p, err := lroazcore.Of(theirs)
		require.NoError(t, err)
		done := make(chan error)
		go func() {
			_, err := theirs.PollUntilDone(t.Context(), nil)
			done <- err
		}()
		for status, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			_ = status.String()
			if again, err := lroazcore.Of(theirs); again != p || err != nil {
				panic("another poller")
			}
		}
		require.NoError(t, <-done)
	})
}

func TestOfForeignPoller(t *testing.T) {
	pl := newPipeline(t, &fakes.Service{})
	theirs, err := runtime.NewPoller[Account](put(t, pl), pl, nil) //nolint:bodyclose // NewPoller closes it
	require.NoError(t, err)
	for _, p := range []*runtime.Poller[Account]{theirs, nil} {
		_, err = lroazcore.Of(p)
		require.ErrorContains(t, err, "Follow")
	}
}

// TestOfReleasesPoller checks that the map behind Of does not keep an unused azcore poller in
// memory.
func TestOfReleasesPoller(t *testing.T) {
	gone := make(chan struct{})
	func() { goruntime.AddCleanup(begin(t, &fakes.Service{}), func(int) { close(gone) }, 0) }()
	for range 100 {
		goruntime.GC()
		select {
		case <-gone:
			return
		default:
			goruntime.Gosched()
		}
	}
	t.Fatal("the poller is still in memory")
}
