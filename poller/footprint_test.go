//go:build !race

package poller_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// The tests in this file do not run under the race detector, which allocates memory itself.

// TestPollAllocations limits the allocations per poll, three of which the fake service makes.
func TestPollAllocations(t *testing.T) {
	for _, w := range protocols() {
		p := w.poller(t)
		polls := testing.AllocsPerRun(100, func() {
			if _, err := p.Poll(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		require.LessOrEqual(t, polls, 26.0, w.name)
	}
}

// live returns the number of heap bytes in use.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees the objects whose finalizers ran after the first collection
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// An operation waiting for its next read keeps little more than its URLs and status in memory. A
// hundred thousand operations should fit in 190 MB.
func TestWaitingOperationMemory(t *testing.T) {
	const n = 10_000
	for _, w := range protocols() {
		for name, client := range map[string]poller.Doer{"a Doer": w.poll, "a client": &http.Client{}} {
			all := make([]*poller.Poller[struct{}], n)
			before, goroutines := live(), runtime.NumGoroutine()
			for i := range all {
				resp := w.firstResponse(t)
				for _, name := range []string{"Azure-AsyncOperation", "Location"} {
					if v := resp.Header.Get(name); v != "" {
						resp.Header = resp.Header.Clone()
						resp.Header.Set(name, strings.Clone(v)) // gives each header value its own memory, as in a real response
					}
				}
				p, err := poller.New[struct{}](resp, client, &poller.Options{Cadence: poller.Cadence{Min: time.Second}})
				require.NoError(t, err)
				resp.Body.Close()
				all[i] = p
			}
			require.LessOrEqual(t, (live()-before)/n, uint64(1750), "%s with %s", w.name, name)
			if name == "a Doer" {
				for _, p := range all {
					_, err := p.Poll(t.Context())
					require.NoError(t, err)
				}
				require.LessOrEqual(t, (live()-before)/n, uint64(1900), "%s after a poll", w.name)
			}
			runtime.KeepAlive(all)
			require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
		}
	}
}

// allocated reads the given body as a result, and returns how many bytes the poller allocates per
// byte of the body.
func allocated[T any](t *testing.T, body string) float64 {
	t.Helper()
	w := protocols()[1]
	resp := w.firstResponse(t)
	defer resp.Body.Close()
	p, err := poller.New[T](resp, repeater{code: 200, header: http.Header{}, body: body}, nil)
	require.NoError(t, err)
	p.WakeUp()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = p.PollUntilDone(t.Context())
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(len(body))
}

// For a large result, the poller allocates a mebibyte plus one buffer for the whole body. Decoding
// with encoding/json adds one more copy.
func TestLargeResultMemory(t *testing.T) {
	body := `{"text":"` + strings.Repeat("0123456789abcdef", 4<<20/16) + `"}`
	require.Less(t, allocated[json.RawMessage](t, body), 1.5)
	require.Less(t, allocated[struct{ Text string }](t, body), 2.5)
}

// While Wait runs, a group has one goroutine for its schedule and one for each read in flight. Once
// Wait has returned, all of them have ended.
func TestGroupGoroutines(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": append(repeat("202", 50), "200 {}")})
		stacks, readers := make([]byte, 1<<20), 0
		client := clientOf(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			readers = bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("scheduler.(*run).read("))
			s.ServeHTTP(w, r)
		}))
		require.Len(t, wait(t.Context(), groupOf(nil, followWith(t, client, "a", nil))), 1)
		require.Equal(t, 1, readers, "reads that follow each other must not add goroutines")
	})
}
