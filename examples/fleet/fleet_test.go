package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

// newTestFleet returns a fleet whose service runs in this process. If before is not nil, it wraps
// the service's handler.
func newTestFleet(t *testing.T, cfg config, before func(next http.Handler) http.Handler) *fleet {
	t.Helper()
	h := newService(cfg)
	if before != nil {
		h = before(h)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return newFleet(cfg, server.URL)
}

// serviceStates reads the state of every resource from the service. If the service reports the status
// of a creation only through Location, and the creation fails, there is no resource.
func serviceStates(t *testing.T, origin string) map[string]string {
	t.Helper()
	states := map[string]string{}
	for k := range subscriptions {
		for ending := range groups {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+collection(k, ending), http.NoBody)
			require.NoError(t, err)
			type resource struct {
				Name       string
				Properties struct{ ProvisioningState string }
			}
			for r, err := range pager.New[resource](req, nil, nil).All(t.Context()) {
				require.NoError(t, err)
				states[r.Name] = r.Properties.ProvisioningState
			}
		}
	}
	return states
}

func TestOutcomesMatchService(t *testing.T) {
	for _, polls := range []int{1, 5} {
		cfg := small()
		cfg.polls, cfg.faults = polls, 0
		f := newTestFleet(t, cfg, nil)
		got := map[string]string{}
		for c, err := range f.follow(t.Context()) {
			f.count(c, err)
			require.NotContains(t, got, c.name, "ended twice")
			got[c.name] = string(fakes.Succeeded)
			if failure, ok := errors.AsType[*lroerrors.OperationError](err); ok {
				got[c.name] = string(failure.State)
				continue
			}
			require.NoError(t, err)
			w, err := c.Result(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.name, w.Name)
		}
		require.Len(t, got, cfg.n)
		there := serviceStates(t, f.origin)
		for i := range cfg.n {
			planned, name := ending(i), fmt.Sprintf("w%06d", i)
			require.Equal(t, string(planned), got[name], name)
			if state, ok := there[name]; ok || planned != fakes.Failed || styles[i%len(styles)] != fakes.Location {
				require.Equal(t, state, got[name], name)
			}
		}
		require.Equal(t, cfg.n, f.Started)
		require.Equal(t, cfg.n, f.Done+f.Failed+f.Canceled)
		require.Zero(t, f.group.Stats().Waiting)
	}
}

func TestFaults(t *testing.T) {
	cfg := small()
	cfg.faults = 0.2
	f := newTestFleet(t, cfg, nil)
	f.run(t.Context())
	require.Equal(t, 200, f.Done+f.Failed+f.Canceled)
	require.Greater(t, f.group.Stats().Errors, 100)
}

// If the fleet is interrupted while it starts operations, each started operation can be resumed and
// is counted once.
func TestInterruptedWhileStarting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := small()
	cfg.n, cfg.polls, cfg.faults = 2000, 1000, 0
	var requests atomic.Int64
	f := newTestFleet(t, cfg, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			if requests.Add(1) > 500 {
				cancel()
			}
		})
	})
	names := map[string]bool{}
	for c, err := range f.follow(ctx) {
		f.count(c, err)
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, lroerrors.ReasonCanceled, wait.Reason)
		names[c.name] = true
	}
	require.Len(t, names, f.Started)
	require.Equal(t, counts{Started: f.Started, Resumable: f.Started}, f.counts)
	require.Positive(t, f.Started)
	require.Less(t, f.Started, cfg.n)
	s := f.stats()
	require.Equal(t, cfg.n, s.Resumable+s.notStarted())
	require.Zero(t, s.waiting())
}

// The fleet yields an operation even if its first response arrives after ctx has ended.
func TestInterruptedBeforeResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cfg := small()
		cfg.n, cfg.faults = 1, 0
		f := newFleet(cfg, "https://a.test")
		f.client.Transport = late{fakes.Transport{Handler: newService(cfg)}, cancel}
		f.run(ctx)
		require.Equal(t, counts{Started: 1, Resumable: 1}, f.counts)
	})
}

// late delays each response by a second, even if the request's context ends in the meantime.
type late struct {
	base fakes.Transport
	do   func()
}

func (l late) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.base.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
	l.do()
	time.Sleep(time.Second)
	return resp, err
}

// After the caller has left the loop, no more operations join the group.
func TestFollowBreak(t *testing.T) {
	cfg := small()
	cfg.polls, cfg.faults = 1, 0
	f := newTestFleet(t, cfg, nil)
	for _, err := range f.follow(t.Context()) {
		require.False(t, errors.Is(err, context.Canceled), "%v", err)
		break
	}
	started := f.counted().Started
	require.Positive(t, started)
	require.Equal(t, started, f.group.Stats().Waiting+f.group.Stats().Ended)
}

func TestRefusedOperationsAreCounted(t *testing.T) {
	f := newTestFleet(t, small(), fakes.Status(http.StatusForbidden))
	f.run(t.Context())
	require.Equal(t, counts{Refused: 200}, f.counts)
}
