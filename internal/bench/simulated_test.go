package bench

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lro-go/lro/poller"
)

// simulated measures the CPU time per poll when operations run in simulated time. It repeats a
// small run until enough operations have been measured.
func simulated(tb testing.TB, o order) figures {
	tb.Helper()
	const enough = 50_000
	times := max(1, enough/o.Ops)
	before := cpu(tb)
	for range times {
		simulate(tb.(*testing.T), o)
	}
	return figures{"nanos": float64(cpu(tb)-before) / float64(o.Ops*o.Polls*times)}
}

func simulate(t *testing.T, o order) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &simulatedService{polls: int32(o.Polls), seen: make([]atomic.Int32, o.Ops)}
		must(t, simulations[o.Subject](t.Context(), t, &http.Client{Transport: s}, o.Ops))
		for i := range s.seen {
			if n := s.seen[i].Load(); n != s.polls {
				t.Fatalf("operation %d was read %d times, want %d", i, n, s.polls)
			}
		}
	})
}

var simulations = map[string]func(ctx context.Context, tb testing.TB, client *http.Client, n int) error{
	lro: func(ctx context.Context, tb testing.TB, client *http.Client, n int) error {
		ops := make([]*poller.Poller[widget], n)
		for i := range ops {
			var err error
			ops[i], err = poller.New[widget](fleetResponse(ctx, tb, host, i), client, nil)
			must(tb, err)
		}
		return waitTogether(ctx, ops)
	},
	floor: func(ctx context.Context, tb testing.TB, client *http.Client, n int) error {
		ops := make([]pollable, n)
		for i := range ops {
			known, err := takeNote(fleetResponse(ctx, tb, host, i))
			must(tb, err)
			ops[i] = &floorOperation{note: known, next: time.Now().Add(time.Second), client: client}
		}
		return schedule(ctx, ops)
	},
}

// A simulatedService is like a fleetService, but responds from memory.
type simulatedService struct {
	polls int32
	seen  []atomic.Int32
}

var (
	simulatedHeader                  = headers("Retry-After", "60")
	simulatedRunning, simulatedEnded = document(operation, "InProgress"), document(operation, "Succeeded")
)

func (s *simulatedService) RoundTrip(req *http.Request) (*http.Response, error) {
	i, err := strconv.Atoi(strings.TrimPrefix(req.URL.Path, operations))
	if err != nil {
		return nil, fmt.Errorf("there is no %s", req.URL.Path)
	}
	a := answer{code: http.StatusOK, header: simulatedHeader, body: simulatedRunning}
	if s.seen[i].Add(1) >= s.polls {
		a.body = simulatedEnded
	}
	return a.response(req), nil
}

func TestSimulated(t *testing.T) {
	for name := range simulations {
		simulate(t, order{Subject: name, Ops: 100, Polls: 10})
	}
}
