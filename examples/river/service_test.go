package main

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// A service is a fakes.Service that recognizes and counts repeated requests.
type service struct {
	http.Handler
	fake            *fakes.Service
	polls           atomic.Int64 // the number of GETs
	again, repeated atomic.Int64 // how many writes were repeated without a RequestID (again) and with one (repeated)
}

func newFake(cfg config) *service {
	fake := &fakes.Service{Default: fakes.Plan{Duration: cfg.Duration}}
	fake.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", strconv.FormatInt(cfg.Pause.Milliseconds(), 10))})
	s := &service{fake: fake}
	s.Handler = s.count(s.repeatable(fake))
	return s
}

func (s *service) count(next http.Handler) http.Handler {
	var seen sync.Map // the paths of all writes so far
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			s.polls.Add(1)
		} else if _, known := seen.LoadOrStore(r.URL.Path, true); known && r.Header.Get("Repeatability-Request-ID") == "" {
			s.again.Add(1)
		}
		next.ServeHTTP(w, r)
	})
}

// repeatable answers a repeated request with the first response (OASIS Repeatable Requests).
func (s *service) repeatable(next http.Handler) http.Handler {
	var mu sync.Mutex
	first := map[string]*httptest.ResponseRecorder{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Repeatability-Request-ID")
		if id == "" {
			next.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		answer, again := first[id]
		if again {
			s.repeated.Add(1)
		} else {
			answer = httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			first[id] = answer
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

func TestRepeatabilityID(t *testing.T) {
	created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	req, err := BeginArgs{Method: http.MethodPost, URL: "https://a.test/w", RequestID: "r1"}.request(t.Context(), created)
	require.NoError(t, err)
	require.Equal(t, http.Header{
		"Repeatability-Request-Id": {"r1"}, "Repeatability-First-Sent": {"Fri, 02 Jan 2026 03:04:05 GMT"},
	}, req.Header)
}

// Although the service of the demonstration stores nothing, each operation has the planned
// duration and ending.
func TestDemoService(t *testing.T) {
	server := httptest.NewServer(newService(config{Duration: 100 * time.Millisecond, Pause: 50 * time.Millisecond}))
	defer server.Close()
	create := func(i int) (time.Duration, error) {
		start := time.Now()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+widget(i), http.NoBody)
		require.NoError(t, err)
		p, err := poller.Begin[struct{ Name string }](req, server.Client(), &poller.Options{Cadence: poller.Cadence{Min: time.Millisecond}})
		require.NoError(t, err)
		w, err := p.PollUntilDone(t.Context())
		if err == nil {
			require.Equal(t, widget(i), "/widgets/"+w.Name)
		}
		return time.Since(start), err
	}
	took, err := create(1)
	require.NoError(t, err)
	require.GreaterOrEqual(t, took, 100*time.Millisecond)
	_, err = create(107)
	require.ErrorContains(t, err, "QuotaExceeded")
}
