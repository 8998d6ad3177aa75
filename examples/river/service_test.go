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
	again, repeated atomic.Int64 // how many repeats had no RequestID, and how many had one
}

func newFake(cfg config) *service {
	fake := &fakes.Service{Default: fakes.Plan{Duration: cfg.Duration}}
	fake.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", strconv.FormatInt(cfg.Pause.Milliseconds(), 10))})
	s := &service{fake: fake}
	s.Handler = s.count(s.repeatable(fake))
	return s
}

func (s *service) count(next http.Handler) http.Handler {
	var seen sync.Map // the paths of all requests so far, except GETs
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			s.polls.Add(1)
		} else if _, known := seen.LoadOrStore(r.URL.Path, true); known && r.Header.Get("Repeatability-Request-ID") == "" {
			s.again.Add(1)
		}
		next.ServeHTTP(w, r)
	})
}

// repeatable wraps a handler so that a repeated request gets the response to the first one (OASIS
// Repeatable Requests).
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

// A factory starts one operation for each request ID, makes certain operations fail, and refuses
// requests beyond its limit.
func TestFactory(t *testing.T) {
	server := httptest.NewServer(newFactory(config{Duration: 100 * time.Millisecond, Pause: 50 * time.Millisecond}).handler())
	defer server.Close()
	create := func(i int) (time.Duration, error) {
		start := time.Now()
		args := BeginArgs{Method: http.MethodPost, URL: server.URL + widget(i), RequestID: widget(i)}
		req, err := args.request(t.Context(), start)
		require.NoError(t, err)
		p, err := poller.Begin[any](req, server.Client(), &poller.Options{Cadence: poller.Cadence{Min: time.Millisecond}})
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		return time.Since(start), err
	}
	took, err := create(1)
	require.NoError(t, err)
	require.GreaterOrEqual(t, took, 100*time.Millisecond)
	_, err = create(107)
	require.ErrorContains(t, err, "QuotaExceeded")
	_, err = create(1)
	require.NoError(t, err)
	j, err := readJournal(t.Context(), server.URL)
	require.NoError(t, err)
	require.Equal(t, map[string]int{widget(1): 1, widget(107): 1}, j.Starts)
	require.Equal(t, 1, j.Repeated)

	limited := newFactory(config{Limit: 2})
	now := time.Now()
	require.True(t, limited.admit(now))
	require.True(t, limited.admit(now))
	require.False(t, limited.admit(now))
	require.True(t, limited.admit(now.Add(time.Second/2)))
	require.Equal(t, journal{Requests: 4, Refused: 1, Starts: map[string]int{}}, limited.journal)
}
