package poller_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// A read counts against InFlight for at most ten seconds. If a slower read shows that an operation
// has ended, the read of the result waits until InFlight allows it.
func TestResultWaitsForInFlight(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {widget},
			"POST /b": {"202\nLocation: /op/b"}, get("/op/b"): {"200 1"},
		})
		delays := map[string]time.Duration{get(monitor): 12 * time.Second, get("/op/b"): 30 * time.Second}
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(delays[r.Method+" "+r.URL.Path])
			s.ServeHTTP(w, r)
		})
		a, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(slow), nil)
		require.NoError(t, err)
		g := groupOf(&poller.GroupOptions{InFlight: 1, Spread: -1}, a, follow(t, slow, "b", nil).Poller)
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
		}
		// The read of the first operation starts at 60 s, and counts against InFlight until 70 s.
		// The read of the second operation starts at 70 s, and counts until 80 s.
		var at []time.Duration
		for _, r := range s.asked {
			if r.what == get(resource) {
				at = append(at, r.at.Round(time.Millisecond))
			}
		}
		require.Equal(t, []time.Duration{80 * time.Second}, at)
	})
}

// Wait yields an operation as soon as its result has been read, even if other reads are due.
func TestResultIsYieldedAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		replies := map[string][]reply{}
		var all []*poller.Poller[raw]
		names := []string{"a", "b", "c", "d"}
		for _, name := range names {
			replies["PUT /"+name] = []reply{"202\nAzure-AsyncOperation: /op/" + name}
			replies[get("/op/"+name)] = []reply{succeeded}
			replies[get("/"+name)] = []reply{widget}
		}
		s := serve(replies)
		for _, name := range names {
			p, err := poller.Begin[raw](newRequest(t, "PUT", "/"+name), s.client(), nil)
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			require.True(t, p.Done())
			all = append(all, p)
		}
		time.Sleep(time.Minute)
		var yielded []time.Duration
		start := time.Now()
		for _, err := range groupOf(nil, all...).Wait(t.Context()) {
			require.NoError(t, err)
			yielded = append(yielded, time.Since(start))
		}
		var read []time.Duration
		for _, r := range s.asked[len(s.asked)-len(names):] {
			read = append(read, r.at-time.Minute)
		}
		require.Equal(t, read, yielded)
	})
}
