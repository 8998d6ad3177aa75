package poller_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// many starts n operations at the same time. Each operation ends at its first read. The last
// argument contains header lines, such as a Retry-After, for the first response of each operation.
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

// reads returns the times of all requests except the first n, in ascending order.
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

// A group spreads reads due at the same time over a tenth of their pause, but over at most Spread,
// and at most a tenth of a second apart.
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
