package poller_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// many starts n operations at once, each of which has ended by its first read. The argument first
// is appended to the responses that start the operations; it may add headers, such as a
// Retry-After.
func many(t *testing.T, n int, first string) (s *service, ops []named) {
	t.Helper()
	s = serve(map[string][]reply{})
	for i := range n {
		name := fmt.Sprint("op", i)
		s.replies["POST /"+name] = []reply{"202\nLocation: /op/" + name + first}
		s.replies[get("/op/"+name)] = []reply{"200 1"}
		ops = append(ops, follow(t, s, name, nil))
	}
	return s, ops
}

// reads returns the times of all requests except the first n.
func (s *service) reads(n int) []time.Duration {
	times := s.times()[n:]
	slices.Sort(times)
	return times
}

func every(from, gap time.Duration, n int) (times []time.Duration) {
	for i := range n {
		times = append(times, from+time.Duration(i)*gap)
	}
	return times
}

// Reads that are due at the same time start one after the other. They are spread over a tenth of
// their pause, at most a tenth of a second apart.
func TestSpreadOfReads(t *testing.T) {
	const sec = time.Second
	for _, tt := range []struct {
		n     int
		first string
		opts  poller.GroupOptions
		from  time.Duration
		gap   time.Duration
	}{
		{1, "", poller.GroupOptions{}, 60 * sec, 0},
		{2, "", poller.GroupOptions{}, 60 * sec, sec / 10},
		{60, "", poller.GroupOptions{}, 60 * sec, sec / 10},
		{120, "", poller.GroupOptions{}, 60 * sec, sec / 20},
		{100, "\nRetry-After: 10", poller.GroupOptions{}, 10 * sec, sec / 100},
		{1000, "\nRetry-After: 600", poller.GroupOptions{}, 600 * sec, sec / 100},
		{1000, "\nRetry-After: 600", poller.GroupOptions{Spread: time.Hour}, 600 * sec, 60 * sec / 1000},
		{100, "", poller.GroupOptions{Spread: sec}, 60 * sec, sec / 100},
		{100, "", poller.GroupOptions{Spread: -1}, 60 * sec, 0},
	} {
		bubble(t, func(t *testing.T) {
			s, ops := many(t, tt.n, tt.first)
			require.Len(t, wait(t.Context(), groupOf(&tt.opts, ops...)), tt.n)
			require.Equal(t, every(tt.from, tt.gap, tt.n), s.reads(tt.n), "%d of %q", tt.n, tt.first)
		})
	}
}

// Reads that became due while no Wait was running, or while the machine was suspended, are
// spread too.
func TestSpreadOfOverdueReads(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, ops := many(t, 100, "")
		time.Sleep(24 * time.Hour)
		wait(t.Context(), groupOf(nil, ops...))
		require.Equal(t, every(24*time.Hour, 60*time.Millisecond, 100), s.reads(100))
	})
}

// If the reads of several operations are already spread, their later reads stay spread and are not
// delayed further.
func TestSpreadOperationsStayOnTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ops := map[string][]reply{}
		for i := range 10 {
			ops[fmt.Sprint("op", i)] = []reply{"202", "202", "202", "200 1"}
		}
		s, g := fleet(ops), poller.NewGroup[named](nil)
		for i := range 10 {
			g.Add(follow(t, s, fmt.Sprint("op", i), nil))
			time.Sleep(100 * time.Millisecond)
		}
		g.Close()
		wait(t.Context(), g)
		var want []time.Duration
		for i := range 5 {
			want = append(want, every(time.Duration(i)*time.Minute, 100*time.Millisecond, 10)...)
		}
		require.Equal(t, want, s.times())
	})
}

// Spreading the reads of operations with long pauses does not hold up operations with short pauses:
// a read is late by at most a tenth of its own pause.
func TestSpreadIsBoundedByOwnPause(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, ops := many(t, 1000, "\nRetry-After: 60")
		time.Sleep(50 * time.Second)
		s.replies["POST /short"] = []reply{"202\nLocation: /op/short\nRetry-After: 10"}
		s.replies[get("/op/short")] = []reply{"202", "202", "200 1"}
		ops = append(ops, follow(t, s, "short", nil))
		var at time.Duration
		for _, e := range wait(t.Context(), groupOf(nil, ops...)) {
			if e.name == "short" {
				at = e.at
			}
		}
		// The first read is delayed by at most 1 s, whereas the reads of the other operations are
		// delayed by up to 6 s. The next reads are on time.
		require.Equal(t, "30.618s", at.Round(time.Millisecond).String())
	})
}

// If the service postpones a read that already has a start time, the read keeps that start time
// unless the new due time is later.
func TestLaterStartTimeIsKept(t *testing.T) {
	for asked, want := range map[string]time.Duration{"2": 65940 * time.Millisecond, "20": 81 * time.Second} {
		bubble(t, func(t *testing.T) {
			s, ops := many(t, 100, "")
			s.replies[get("/op/op99")] = []reply{"503\nRetry-After: " + asked, "200 1"}
			time.AfterFunc(61*time.Second, func() {
				_, err := ops[99].Poll(t.Context())
				require.Error(t, err)
			})
			for _, e := range wait(t.Context(), groupOf(nil, ops...)) {
				if e.name == "op99" {
					require.Equal(t, want, e.at)
				}
			}
		})
	}
}

// Waking all operations does not start all reads at once.
func TestSpreadOfWokenOperations(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, ops := many(t, 100, "")
		for _, op := range ops { // no operation ends before all have been woken
			s.replies[get("/op/"+op.name)] = []reply{"202", "200 1"}
		}
		time.AfterFunc(time.Second, func() {
			for _, op := range ops {
				op.WakeUp()
			}
		})
		wait(t.Context(), groupOf(nil, ops...))
		require.Equal(t, every(time.Second, 60*time.Millisecond, 100), s.reads(100)[:100])
	})
}

// If overdue operations join one by one, for example after a restart, the group does not know how
// many will follow, but still spreads out their reads.
func TestSpreadOfJoiningOperations(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, ops := many(t, 1000, "")
		time.Sleep(time.Hour)
		g := poller.NewGroup[named](nil)
		go func() {
			for _, op := range ops {
				g.Add(op)
				synctest.Wait() // lets the schedule place op before the next one joins
			}
			g.Close()
		}()
		wait(t.Context(), g)
		perSecond := make([]int, 7)
		for _, at := range s.reads(1000) {
			perSecond[(at-time.Hour)/time.Second]++
		}
		require.Equal(t, []int{167, 167, 166, 167, 166, 166, 1}, perSecond)
	})
}

// The number of reads in flight stays within the limit, no read comes before it is due, and the
// most overdue reads come first.
func TestReadsInFlightAreBounded(t *testing.T) {
	for _, limit := range []int{1, 3, 64} {
		bubble(t, func(t *testing.T) {
			const n = 100
			ops := map[string][]reply{}
			for i := range n {
				ops[fmt.Sprint("op", i)] = []reply{"200 1"}
			}
			s := fleet(ops)
			client := counting(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				slowly(s, 10*time.Second).ServeHTTP(w, r)
			}))
			g := poller.NewGroup[named](&poller.GroupOptions{InFlight: limit, Spread: -1})
			for i := range n {
				g.Add(followWith(t, client, fmt.Sprint("op", i), nil))
			}
			g.Close()
			most, began := 0, client.requests
			var order []string
			for op, err := range g.Wait(t.Context()) {
				require.NoError(t, err)
				order = append(order, op.name)
				st := g.Stats()
				most = max(most, st.InFlight)
				require.Equal(t, n, st.Waiting+st.InFlight+st.Ended)
			}
			require.Equal(t, limit, client.most)
			require.LessOrEqual(t, most, limit)
			require.Equal(t, n, client.requests-began)
			require.Equal(t, time.Minute+time.Duration((n+limit-1)/limit)*10*time.Second, time.Since(s.began))
			if limit == 1 {
				for i, name := range order {
					require.Equal(t, fmt.Sprint("op", i), name)
				}
			}
		})
	}
}
