package poller_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// subscriptions is a service with operations in two subscriptions. For a while, all reads of
// operations in the first subscription fail.
type subscriptions struct {
	fault reply
	until time.Time

	mu    sync.Mutex
	began map[string]time.Time
	late  []string // late reads of the second subscription
	reads map[string]int
}

// ServeHTTP serves operations that end three minutes after they start.
func (s *subscriptions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodPost {
		s.began[r.URL.Path] = time.Now()
		write(w, "202\nLocation: "+r.URL.Path)
		return
	}
	first := strings.HasPrefix(r.URL.Path, "/subscriptions/first/")
	s.reads[strings.Split(r.URL.Path, "/")[2]]++
	age := time.Since(s.began[r.URL.Path])
	switch {
	case first && time.Now().Before(s.until):
		write(w, s.fault)
		return
	case !first && age%time.Minute != 0:
		s.late = append(s.late, fmt.Sprint(r.URL.Path, " at ", age))
	}
	if age < 3*time.Minute {
		write(w, "202")
		return
	}
	write(w, "200 1")
}

// A group reads one subscription's operations on time, even while requests for another subscription
// get a 429 or a 503.
func TestThrottledSubscriptionDoesNotDelayOthers(t *testing.T) {
	for fault, n := range map[reply]int{
		"429\nRetry-After: 40": throttled, "429\nRetry-After: 3": throttled / 50, "429": throttled / 50,
		"503": throttled / 50, "503\nRetry-After: 1": throttled / 50,
	} {
		t.Run(fault, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &subscriptions{fault: fault, until: time.Now().Add(4 * time.Minute), began: map[string]time.Time{}, reads: map[string]int{}}
				client := through(s, transport.Options{})
				g := poller.NewGroup[*poller.Poller[raw]](&poller.GroupOptions{InFlight: 1})
				join := func(name string) {
					p, err := poller.Begin[raw](newRequest(t, "POST", "/subscriptions/"+name), client, nil)
					require.NoError(t, err)
					g.Add(p)
				}
				for i := range n {
					join(fmt.Sprint("first/providers/P.Q/", i))
				}
				go func() {
					defer g.Close()
					time.Sleep(10 * time.Second) // so that the reads in the two subscriptions fall due at different times
					for i := range 100 {         // these operations start while all reads in the first subscription fail
						time.Sleep(700 * time.Millisecond)
						join(fmt.Sprint("second/providers/P.Q/", i))
					}
				}()
				ended := 0
				for _, err := range g.Wait(t.Context()) {
					require.NoError(t, err)
					ended++
				}
				require.Equal(t, n+100, ended)
				require.Empty(t, s.late)
				require.Equal(t, 300, s.reads["second"])
				if strings.HasPrefix(fault, "429") { // after a 429, the throttle gate lets only a few requests through
					require.Less(t, s.reads["first"], 2*n+100)
				}
			})
		})
	}
}
