package bench

import (
	"encoding/pem"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// A fleetService serves operations to clients in other processes. The field polls is the number of
// requests for each operation, including any PUT that starts it. The last response reports success.
type fleetService struct {
	*httptest.Server
	polls int32
	seen  []atomic.Int32
	conns atomic.Int32
}

func newFleetService(tb testing.TB, ops, polls int) *fleetService {
	tb.Helper()
	s := unstartedFleetService(tb, ops, polls)
	s.Start()
	return s
}

// newHTTP2Service returns a fleetService that uses HTTP/2 over TLS, and the name of the file with
// its certificate.
func newHTTP2Service(tb testing.TB, ops, polls int) (s *fleetService, certFile string) {
	tb.Helper()
	s = unstartedFleetService(tb, ops, polls)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // without this, the server would log the TLS handshakes that clients abandon
	s.StartTLS()
	certFile = filepath.Join(tb.TempDir(), "certificate.pem")
	must(tb, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	return s, certFile
}

func unstartedFleetService(tb testing.TB, ops, polls int) *fleetService {
	tb.Helper()
	s := &fleetService{polls: int32(polls), seen: make([]atomic.Int32, ops)}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	tb.Cleanup(s.Close)
	return s
}

func (s *fleetService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		s.begin(w, r)
		return
	}
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

// begin handles a PUT that starts a widget's operation.
func (s *fleetService) begin(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, group+"/widgets/"))
	if err != nil || i >= len(s.seen) {
		http.NotFound(w, r)
		return
	}
	s.seen[i].Add(1)
	_, _ = io.Copy(io.Discard, r.Body)
	maps.Copy(w.Header(), headers("Retry-After", "1", "Azure-AsyncOperation", s.URL+operations+strconv.Itoa(i)+version))
	body := resource("Creating")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(body)
}

// check fails the test unless the service received exactly s.polls requests for every operation.
func (s *fleetService) check(tb testing.TB, subject string) {
	tb.Helper()
	for i := range s.seen {
		if n := s.seen[i].Load(); n != s.polls {
			tb.Fatalf("%s sent %[3]d requests for operation %[2]d, want %[4]d", subject, i, n, s.polls)
		}
	}
}

// Each subject follows every operation of a small fleet and sends the expected number of requests.
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
