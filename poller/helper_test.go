package poller_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

const (
	origin   = "https://management.example.test"
	resource = "/widgets/w1"
	monitor  = "/operations/op1"
)

// A reply is a service's response: a status code, a body, and headers on further lines, as in "200
// {...}" or "202\nLocation: /x\nRetry-After: 5". "drop" closes the connection.
type reply = string

// A service answers each request with the next reply for its method and path, and repeats the last
// one.
type service struct {
	mu      sync.Mutex
	replies map[string][]reply
	asked   []request
	began   time.Time
}

type request struct {
	what   string // "GET /path"
	at     time.Duration
	header http.Header
}

func serve(replies map[string][]reply) *service {
	return &service{replies: replies, began: time.Now()}
}

func (s *service) client() *http.Client { return clientOf(s) }

func clientOf(h http.Handler) *http.Client { return fakes.Client(h) }

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what := r.Method + " " + r.URL.Path
	s.mu.Lock()
	s.asked = append(s.asked, request{what, time.Since(s.began), r.Header.Clone()})
	list := s.replies[what]
	next := "404 no reply for " + what
	if len(list) > 0 {
		next = list[0]
	}
	if len(list) > 1 {
		s.replies[what] = list[1:]
	}
	s.mu.Unlock()
	write(w, next)
}

func write(w http.ResponseWriter, text reply) {
	if text == "drop" {
		panic(http.ErrAbortHandler)
	}
	head, rest, _ := strings.Cut(text, "\n")
	for line := range strings.Lines(rest) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		w.Header().Set(name, value)
	}
	var code int
	var body string
	_, err := fmt.Sscanf(head, "%d", &code)
	if err != nil {
		panic(err)
	}
	if i := strings.Index(head, " "); i > 0 {
		body = head[i+1:]
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

// requests returns the method and path of each request, in order.
func (s *service) requests() []string {
	return each(s, func(r request) string { return r.what })
}

// times returns when each request arrived, relative to the service's creation.
func (s *service) times() []time.Duration {
	return each(s, func(r request) time.Duration { return r.at })
}

func (s *service) headers() []http.Header {
	return each(s, func(r request) http.Header { return r.header })
}

func each[V any](s *service, of func(request) V) []V {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []V
	for _, r := range s.asked {
		list = append(list, of(r))
	}
	return list
}

func newRequest(t *testing.T, method, path string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, origin+path, strings.NewReader(`{}`))
	require.NoError(t, err)
	return req
}

type raw = json.RawMessage

// begin starts an operation on the resource.
func begin(t *testing.T, s *service, method string, opts *poller.Options) *poller.Poller[raw] {
	t.Helper()
	p, err := poller.Begin[raw](newRequest(t, method, resource), s.client(), opts)
	require.NoError(t, err)
	return p
}

// bubble runs f in a synctest bubble, with a simulated clock.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

const (
	accepted   = "202\nAzure-AsyncOperation: " + monitor
	acceptedAt = "202\nLocation: " + monitor
	running    = `200 {"status":"Running"}`
	succeeded  = `200 {"status":"Succeeded"}`
	widget     = `200 {"id":"w1","properties":{"provisioningState":"Succeeded"}}`
)

func get(path string) string { return "GET " + path }

func repeat(r reply, n int) []reply {
	list := make([]reply, n)
	for i := range list {
		list[i] = r
	}
	return list
}

func count(list []string, what string) (n int) {
	for _, s := range list {
		if s == what {
			n++
		}
	}
	return n
}

// slowly returns a handler that delays every GET by d.
func slowly(h http.Handler, d time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			select {
			case <-time.After(d):
			case <-r.Context().Done():
				panic(http.ErrAbortHandler)
			}
		}
		h.ServeHTTP(w, r)
	})
}

// drain ranges over p.Updates until the operation has ended.
func drain(t *testing.T, p *poller.Poller[raw]) {
	t.Helper()
	for _, err := range p.Updates(t.Context()) {
		require.NoError(t, err)
	}
}
