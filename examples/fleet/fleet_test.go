package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

// newTestFleet has its service in this process.
func newTestFleet(t *testing.T, cfg config) (*fleet, *service) {
	t.Helper()
	svc := newService(cfg)
	server := httptest.NewUnstartedServer(svc)
	server.Config.ConnState = svc.connection
	server.Start()
	t.Cleanup(server.Close)
	return newFleet(cfg, server.URL), svc
}

// atService asks the service for the state of every resource. Where the only URL
// was a Location, there is none of a creation that failed.
func atService(t *testing.T, origin string) map[string]string {
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

func TestEveryOperationEndsOnceAsTheServiceDecided(t *testing.T) {
	for _, args := range [][]string{{"-faults=0"}, {"-faults=0", "-polls=1", "-inflight=1"}} {
		cfg := small(t, args...)
		f, svc := newTestFleet(t, cfg)
		got := map[string]string{}
		for c, err := range f.follow(t.Context()) {
			f.count(c, err)
			require.NotContains(t, got, c.name, "ended twice")
			got[c.name] = string(fakes.Succeeded)
			if failure, ok := errors.AsType[*lroerrors.OperationError](err); ok {
				got[c.name] = failure.State
				continue
			}
			require.NoError(t, err)
			w, err := c.Result(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.name, w.Name)
		}
		require.Len(t, got, cfg.n)
		there := atService(t, f.origin)
		for i, planned := range cfg.endings() {
			name := fmt.Sprintf("w%06d", i)
			require.Equal(t, string(planned), got[name], name)
			if state, ok := there[name]; ok || planned != fakes.Failed || styles[i%len(styles)] != fakes.Location {
				require.Equal(t, state, got[name], name)
			}
		}
		require.Equal(t, cfg.n, f.Begun)
		require.Equal(t, cfg.n, f.Done+f.Failed+f.Canceled)
		require.Zero(t, f.group.Stats().Waiting)
		require.LessOrEqual(t, svc.dialed.Load(), int64(2*(beginners+cfg.inflight)), "they are to be used again")
	}
}

func TestFaultsAreSurvived(t *testing.T) {
	f, svc := newTestFleet(t, small(t, "-faults=0.2"))
	f.run(t.Context())
	require.Equal(t, 200, f.Done+f.Failed+f.Canceled)
	require.Greater(t, svc.faults.Load(), int64(100))
	require.Positive(t, f.group.Stats().Errors)
}

// Interrupted while operations are still begun: what was begun can be resumed,
// none is counted twice or left out.
func TestInterruptedWhileBeginning(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := small(t, "-n=2000", "-polls=1000", "-faults=0")
	f, svc := newTestFleet(t, cfg)
	handler := svc.Handler
	svc.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		if svc.requests.Load() > 500 {
			cancel()
		}
	})
	names := map[string]bool{}
	for c, err := range f.follow(ctx) {
		f.count(c, err)
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, lroerrors.ReasonCanceled, wait.Reason)
		names[c.name] = true
	}
	require.Len(t, names, f.Begun)
	require.Equal(t, counts{Begun: f.Begun, Resumable: f.Begun}, f.counts)
	require.Positive(t, f.Begun)
	require.Less(t, f.Begun, cfg.n)
	s := newMeter(f, func() report { return report{} }).sample()
	require.Equal(t, cfg.n, s.Resumable+s.unbegun())
	require.Zero(t, s.waiting())
}

// An answer that is on its way when ctx ends tells of an operation that is there:
// it is handed back too.
func TestInterruptedBeforeAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cfg := small(t, "-n=1", "-faults=0")
		f := newFleet(cfg, "https://a.test")
		f.client.Transport = late{fakes.Transport{Handler: newService(cfg)}, cancel}
		f.run(ctx)
		require.Equal(t, counts{Begun: 1, Resumable: 1}, f.counts)
	})
}

// late has an answer that comes a second after something was done, whatever
// becomes of the request's context.
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

// Who leaves the loop leaves nothing running that would add to the group.
func TestFollowIsLeft(t *testing.T) {
	f, _ := newTestFleet(t, small(t, "-faults=0", "-polls=1"))
	for _, err := range f.follow(t.Context()) {
		require.False(t, errors.Is(err, context.Canceled), "%v", err)
		break
	}
	begun := f.counted().Begun
	require.Positive(t, begun)
	require.Equal(t, begun, f.group.Stats().Waiting+f.group.Stats().Ended)
}

func TestRefusedOperationsAreCounted(t *testing.T) {
	f, svc := newTestFleet(t, small(t, "-n=20"))
	svc.Handler = fakes.Status(http.StatusForbidden)(svc.Handler)
	f.run(t.Context())
	require.Equal(t, counts{Refused: 20}, f.counts)
}
