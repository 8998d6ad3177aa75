package bench

import (
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// A fleetService answers over the network, in another process than its client.
// Each operation succeeds with the last of its reads.
type fleetService struct {
	*httptest.Server
	polls int32
	seen  []atomic.Int32
	conns atomic.Int32
}

func newFleetService(tb testing.TB, ops, polls int) *fleetService {
	tb.Helper()
	s := &fleetService{polls: int32(polls), seen: make([]atomic.Int32, ops)}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	s.Start()
	tb.Cleanup(s.Close)
	return s
}

func (s *fleetService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, operations))
	if err != nil || i >= len(s.seen) {
		http.NotFound(w, r)
		return
	}
	maps.Copy(w.Header(), headers("Retry-After", "1"))
	status := "InProgress"
	if s.seen[i].Add(1) >= s.polls {
		status = "Succeeded"
	}
	body := document(r.URL.Path, status)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// check fails unless every operation has been read as often as it had to be.
func (s *fleetService) check(tb testing.TB, subject string) {
	tb.Helper()
	for i := range s.seen {
		if n := s.seen[i].Load(); n != s.polls {
			tb.Fatalf("%s read operation %d %d times, not %d", subject, i, n, s.polls)
		}
	}
}

// Each follows a fleet to its end. Two of a second each, all subjects at once.
func TestFleet(t *testing.T) {
	for _, name := range fleetSubjects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFleetService(t, 20, 2)
			fleet(t, order{Subject: name, Base: s.URL, Ops: 20, Polls: 2})
			s.check(t, name)
		})
	}
}
