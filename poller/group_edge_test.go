package poller_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

// noResult is a strategy that reports success, with an error instead of a result.
type noResult struct{}

func (noResult) Step(a strategy.Answer) (strategy.Move, error) {
	if a.First {
		return arm.Auto.Step(a)
	}
	return strategy.Move{Status: poller.Status{State: poller.Succeeded}, Result: strategy.Result{Err: errors.New("the service did not say where")}}, nil
}

// A group yields an error for a missing result, unless the result type is struct{}.
func TestGroupReportsMissingResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"200"}, "b": {"200"}})
		opts := &poller.Options{Strategy: noResult{}}
		b, err := poller.Begin[struct{}](newRequest(t, "POST", "/b"), s.client(), opts)
		require.NoError(t, err)
		g := groupOf[poller.Operation](nil, b, follow(t, s, "a", opts))
		errs := maps.Collect(g.Wait(t.Context()))
		require.Len(t, errs, 2)
		require.NoError(t, errs[b])
		delete(errs, b)
		for _, err := range errs {
			require.IsType(t, &lroerrors.ResultError{}, err)
			require.ErrorContains(t, err, "did not say where")
		}
	})
}

// acknowledged is an operation whose own Done method never reports the end.
type acknowledged struct{ named }

func (acknowledged) Done() bool { return false }

func TestGroupIgnoresDoneOfCaller(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"202", "200 1"}})
		g := groupOf(nil, acknowledged{follow(t, s, "a", nil)})
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
		}
		require.Equal(t, 2*time.Minute, time.Since(s.began))
		require.Len(t, s.requests(), 3)
	})
}

// A group spreads reads of results that are due at the same time over a tenth of Cadence.Min. It
// also respects the pause after another caller's failed read.
func TestSpreadOfResults(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, ops := many(t, 100, "")
		for _, op := range ops {
			s.replies[get("/op/"+op.name)] = []reply{succeeded}
			s.replies["PUT /"+op.name] = []reply{"201\nAzure-AsyncOperation: /op/" + op.name}
			s.replies[get("/"+op.name)] = []reply{"200 1"}
		}
		var list []named
		for _, op := range ops {
			p, err := poller.Begin[raw](newRequest(t, "PUT", "/"+op.name), s.client(), nil)
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			list = append(list, named{p, op.name})
		}
		s.replies[get("/op99")] = []reply{"503\nRetry-After: 600", "200 1"}
		time.AfterFunc(500*time.Millisecond, func() { // before the group reads this result
			_, err := list[99].Result(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.Equal(t, time.Now().Add(10*time.Minute), list[99].NextPoll())
		})
		ends := wait(t.Context(), groupOf(nil, list...))
		require.Equal(t, "op99 10m0.5s", endsOf(ends)[99])
		want := every(0, 10*time.Millisecond, 99)
		want = append(want, 500*time.Millisecond, 10*time.Minute+500*time.Millisecond)
		slices.Sort(want)
		require.Equal(t, want, s.reads(300))
	})
}

// Once an operation has left its group, or the group is no longer used, the operation does not keep
// the group in memory.
func TestOperationReleasesGroup(t *testing.T) {
	for name, use := range map[string]func(t *testing.T, a named, g *poller.Group[named]){
		"removed":          func(_ *testing.T, a named, g *poller.Group[named]) { g.Remove(a) },
		"never waited for": func(*testing.T, named, *poller.Group[named]) {},
		"removed while it waited": func(t *testing.T, a named, g *poller.Group[named]) {
			time.AfterFunc(time.Second, func() { g.Remove(a) })
			require.Empty(t, wait(t.Context(), g))
		},
		"abandoned": func(t *testing.T, _ named, g *poller.Group[named]) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			require.Len(t, wait(ctx, g), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := follow(t, fleet(map[string][]reply{"a": {"202"}}), "a", nil)
				kept := func() weak.Pointer[poller.Group[named]] {
					g := groupOf(nil, a)
					use(t, a, g)
					return weak.Make(g)
				}()
				for range 2 {
					runtime.GC()
				}
				require.Nil(t, kept.Value())
				runtime.KeepAlive(a)
			})
		})
	}
}

// If a Doer never responds, its read counts against GroupOptions.InFlight for ten seconds, and
// fails after five minutes.
func TestUnresponsiveDoer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"200 1"}, "b": {"200 1"}})
		silent := 1
		a := followWith(t, doer(func(req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodGet && silent > 0 {
				silent--
				<-req.Context().Done()
				return nil, req.Context().Err()
			}
			return s.client().Do(req)
		}), "a", nil)
		g := groupOf(&poller.GroupOptions{InFlight: 1}, a, follow(t, s, "b", nil))
		require.Equal(t, []string{"b 1m10.000000001s", "a 6m10s"}, endsOf(wait(t.Context(), g)))
		require.Equal(t, poller.GroupStats{Ended: 2, Polls: 3, Errors: 1}, g.Stats())
	})
}

// A group reads every operation in turn, even if InFlight is 1 and failed reads are due again every
// second.
func TestNoStarvation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 50
		ops := map[string][]reply{}
		for i := range n {
			name := fmt.Sprint("op", i)
			if ops[name] = append(repeat("202\nRetry-After: 10", 5), "200 1"); i%5 == 0 {
				ops[name] = append(repeat("503\nRetry-After: 1", 5), "200 1")
			}
		}
		s, g := fleet(ops), poller.NewGroup[named](&poller.GroupOptions{InFlight: 1})
		for i := range n {
			g.Add(follow(t, slowly(s, time.Second), fmt.Sprint("op", i), nil))
		}
		g.Close()
		wait(t.Context(), g)
		last := map[string]time.Duration{}
		for _, r := range each(s, func(r request) request { return r })[n:] {
			if at, ok := last[r.what]; ok {
				require.LessOrEqual(t, r.at-at, (n+10)*time.Second, r.what) // the time for one read of every operation, plus the pause
			}
			last[r.what] = r.at
		}
		require.Equal(t, time.Duration(60+6*n)*time.Second, time.Since(s.began), "the group must never be idle while a read is due")
	})
}
