package transport_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

var socketReads = flag.Int("sockets", 0, "number of reads, ten seconds apart, of TestNeighborsOverSockets, which prints a table with -v")

// A mixedService has silent and healthy operations. It never responds to a read of a silent
// operation. A healthy operation asks for a read every ten seconds, and ends after the given number
// of reads.
type mixedService struct {
	reads int

	mu    sync.Mutex
	due   map[string]time.Time
	count map[string]int
	worst time.Duration
}

func newMixedService(reads int) *mixedService {
	return &mixedService{reads: reads, due: map[string]time.Time{}, count: map[string]int{}}
}

func (s *mixedService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if strings.Contains(path, "silent") && r.Method == http.MethodGet {
		<-r.Context().Done()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count[path] > 1 { // ignore the delay of an operation's first read
		s.worst = max(s.worst, time.Since(s.due[path]))
	}
	s.count[path]++
	s.due[path] = time.Now().Add(10 * time.Second)
	if s.count[path] > s.reads {
		_, _ = io.WriteString(w, "1")
		return
	}
	w.Header().Set("Location", path)
	w.Header().Set("Retry-After", "10")
	w.WriteHeader(http.StatusAccepted)
}

type groupMember struct {
	*poller.Poller[int]
	healthy bool
}

// runGroup follows silent and healthy operations in one group until all healthy ones have ended.
func (s *mixedService) runGroup(t *testing.T, client *http.Client, origin string, silent, healthy int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	g := poller.NewGroup[groupMember](nil)
	for i := range silent + healthy {
		name := fmt.Sprint("/silent/", i)
		if i < healthy {
			name = fmt.Sprint("/healthy/", i)
		}
		p, err := poller.Begin[int](request(t, ctx, "POST", origin+name, nil), client, nil)
		require.NoError(t, err)
		g.Add(groupMember{p, i < healthy})
	}
	for r, err := range g.Wait(ctx) {
		if !r.healthy {
			continue
		}
		require.NoError(t, err)
		healthy--
		if healthy == 0 {
			return
		}
	}
	require.Zero(t, healthy)
}

// bounds maps the number of silent operations to the longest allowed delay of a healthy operation's
// read.
var bounds = map[int]time.Duration{64: 15 * time.Second, 640: 15 * time.Second, 2000: 30 * time.Second}

// Silent operations delay reads of healthy operations at the same origin by at most the limits in
// the map bounds. The base in this test has the connection limits of the default base.
func TestNeighborsOverNetHTTP(t *testing.T) {
	testServer() // creates the certificate outside the bubbles, which share it
	for silent, limit := range bounds {
		for _, proto := range []string{"HTTP/1", "HTTP/2"} {
			t.Run(fmt.Sprint(silent, " ", proto), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newMixedService(12)
					origin, std := serve(t, s, proto)
					client := transport.NewClient(&transport.Options{Base: transport.NewBase(std)})
					defer client.CloseIdleConnections()
					s.runGroup(t, client, origin, silent, 20)
					s.mu.Lock()
					defer s.mu.Unlock()
					require.LessOrEqual(t, s.worst, limit)
				})
			})
		}
	}
}

// The limits in the map bounds also hold over real sockets and in real time.
func TestNeighborsOverSockets(t *testing.T) {
	if *socketReads == 0 {
		t.Skip("it takes minutes: run it with -sockets 12")
	}
	for silent, limit := range bounds {
		for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
			t.Run(fmt.Sprint(silent, " ", proto), func(t *testing.T) {
				t.Parallel()
				s := newMixedService(*socketReads)
				srv, client := overSockets(t, s, proto)
				s.runGroup(t, client, srv.URL, silent, 20)
				s.mu.Lock()
				defer s.mu.Unlock()
				t.Logf("%4d silent operations: the latest read of 20 others was %s late", silent, s.worst.Round(time.Millisecond))
				require.LessOrEqual(t, s.worst, limit)
			})
		}
	}
}
