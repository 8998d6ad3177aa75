package poller_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A yielded records the name of an operation that Wait yielded, and the error that came with it.
type yielded struct {
	name string
	err  error
}

// While goroutines add, read and remove operations, Wait yields each operation at least once, but
// no more often than it was added. The sum of Polls and Ended in Stats never decreases.
func TestGroupIsLinearizable(t *testing.T) {
	for seed := range uint64(15) {
		bubble(t, func(t *testing.T) {
			const many, inFlight = 12, 3
			script := map[string][]reply{}
			for i := range many {
				script[fmt.Sprint("op", i)] = append(repeat("202", i%5), []reply{"200 1", `409 {"code":"C"}`}[i%2])
			}
			s := fleet(script)
			g := poller.NewGroup[named](&poller.GroupOptions{InFlight: inFlight})
			var h history
			var wg sync.WaitGroup
			added := make([]int, many)
			for i := range many {
				name := fmt.Sprint("op", i)
				op := followWith(t, clientOf(slowly(s, time.Duration(1+i)*time.Second)), name, nil)
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				wg.Go(func() { added[i] = addAndRemove(t.Context(), r, g, op) })
			}
			wg.Go(func() { watchStats(t, g, &h, inFlight+8*inFlight) })
			waited := make(chan []yielded, 1)
			go func() { waited <- waitAgain(t.Context(), g, rand.New(rand.NewPCG(seed, many))) }()
			wg.Wait()
			g.Close()
			counts := map[string]int{}
			for _, y := range <-waited {
				counts[y.name]++
			}
			for i, n := range added {
				name := fmt.Sprint("op", i)
				require.True(t, 1 <= counts[name] && counts[name] <= n, "seed %d: %s was added %d times and yielded %d times", seed, name, n, counts[name])
			}
			require.NoError(t, h.check(), "seed %d", seed)
			stats := g.Stats()
			require.Zero(t, stats.Waiting)
			require.Zero(t, stats.InFlight)
			require.GreaterOrEqual(t, stats.Ended, many)
		})
	}
}

// addAndRemove adds and removes op up to twice, then adds it again. It returns how many times it
// added op.
func addAndRemove(ctx context.Context, r *rand.Rand, g *poller.Group[named], op named) int {
	times := 1 + r.IntN(3)
	for range times - 1 {
		g.Add(op)
		time.Sleep(time.Duration(r.Int64N(100e9)))
		switch r.IntN(4) {
		case 0:
			op.WakeUp()
		case 1:
			_, _ = op.Poll(ctx)
		}
		g.Remove(op)
		time.Sleep(time.Duration(r.Int64N(10e9)))
	}
	g.Add(op)
	return times
}

// watchStats calls Stats repeatedly, and records the sum of Polls and Ended each time.
func watchStats(t *testing.T, g *poller.Group[named], h *history, inFlight int) {
	t.Helper()
	for range 100 {
		h.record("Stats", func() observation {
			s := g.Stats()
			if s.InFlight > inFlight || s.InFlight < 0 || s.Waiting < 0 || s.Errors > s.Polls {
				panic(fmt.Sprintf("%+v cannot be", s))
			}
			return observationOf(s.Polls+s.Ended, "")
		})
		time.Sleep(7 * time.Second)
	}
}

// waitAgain calls Wait repeatedly, with contexts that may end early, until all operations have
// ended. It returns what Wait yielded for each ended operation.
func waitAgain(ctx context.Context, g *poller.Group[named], r *rand.Rand) (all []yielded) {
	for {
		part, cancel := context.WithTimeout(ctx, time.Duration(50e9+r.Int64N(100e9)))
		left := 0
		for op, err := range g.Wait(part) {
			if _, stopped := errors.AsType[*lroerrors.WaitError](err); stopped {
				left++
				continue
			}
			name := op.name
			odd := strings.ContainsAny(name[len(name)-1:], "13579")
			if _, failed := errors.AsType[*lroerrors.OperationError](err); failed != odd || (err != nil) != odd || !op.Done() {
				panic(fmt.Sprintf("%s ended with %v", name, err))
			}
			all = append(all, yielded{name, err})
		}
		ended := part.Err() == nil
		cancel()
		if ended && left == 0 {
			return all
		}
	}
}

// Pollers that are created concurrently with different options do not share their options.
func TestSettingsAreIndependent(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {accepted}})
	resp, err := s.client().Do(newRequest(t, "POST", resource))
	require.NoError(t, err)
	defer resp.Body.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		pause := time.Duration(100*(i%4)+10) * time.Second
		opts := &poller.Options{Cadence: poller.Cadence{Default: pause, Max: time.Hour}, Origins: []string{fmt.Sprintf("https://o%d.test", i%2)}}
		wg.Go(func() {
			for range 200 {
				mine := &http.Response{StatusCode: 202, Header: resp.Header, Request: resp.Request, Body: http.NoBody}
				before := time.Now()
				p, err := poller.New[raw](mine, s.client(), opts)
				if err != nil || p.NextPoll().Before(before.Add(pause)) || p.NextPoll().After(time.Now().Add(pause)) {
					panic(fmt.Sprint(err, p))
				}
			}
		})
	}
	wg.Wait()
}
