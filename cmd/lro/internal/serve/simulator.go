package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/lro-go/lro/cmd/lro/internal/faults"
	"github.com/lro-go/lro/fakes"
)

type middleware = func(http.Handler) http.Handler

// A simulator is a service that logs its requests.
type simulator struct {
	service *fakes.Service
	running sync.WaitGroup // requests in progress

	mu       sync.Mutex
	out      io.Writer
	record   *recorder // nil if there is no --record
	stopped  bool
	requests int
	kinds    map[fakes.Kind]int // the number of requests of each kind
	started  int                // the number of operations that were started
}

// newSimulator returns a simulator that passes requests on to svc and carries out the faults. The
// faults that it adds itself change no response; they only count.
func newSimulator(svc *fakes.Service, rules faults.Rules, out io.Writer) *simulator {
	s := &simulator{service: svc, out: out, kinds: map[fakes.Kind]int{}}
	svc.KeepRequests = 1 // no code here reads the stored requests, and the service may run for days
	for _, kind := range faults.Kinds {
		svc.Fault(fakes.Fault{Kind: kind, Do: before(s.count(kind))})
	}
	for _, rule := range rules {
		rule.Do = s.noted(rule.Action, rule.Do)
		svc.Fault(rule.Fault)
	}
	svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: s.countOperations})
	return s
}

// ServeHTTP passes r to the service, and logs and records the response.
func (s *simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := s.readBody(w, r)
	if !ok {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))

	x := s.arrive(r, body)
	defer s.running.Done()
	x.response = &tap{ResponseWriter: w}
	x.dropped = true // stays true if the service panics to close the connection
	defer s.end(x)
	s.service.ServeHTTP(x.response, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
	x.dropped = false
}

// arrive returns a new exchange. It cuts off the request if the simulator has stopped.
func (s *simulator) arrive(r *http.Request, body []byte) *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		panic(http.ErrAbortHandler)
	}
	s.running.Add(1)
	s.requests++
	return &exchange{n: s.requests, at: time.Now(), req: r, body: body}
}

// end logs and records x.
func (s *simulator) end(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.took = time.Since(x.at)
	s.log(x)
	if s.record == nil || s.record.err != nil {
		return
	}
	s.record.add(x)
	if s.record.err != nil {
		say(s.out, fmt.Sprintf("--record: %v; the recording is incomplete\n", s.record.err))
	}
}

// log writes the log line for x, unless it has already been written.
func (s *simulator) log(x *exchange) {
	if !x.shown {
		say(s.out, x.line()+"\n")
	}
	x.shown = true
}

// count returns a function that records the kind of a request and its number among the requests of
// that kind.
func (s *simulator) count(kind fakes.Kind) func(*http.Request) {
	return func(r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.kinds[kind]++
		x := exchangeOf(r)
		x.kind = kind
		x.nth = s.kinds[kind]
	}
}

// countOperations counts the requests that start an operation. It is the last
// fault, so it sees only the requests that no other fault has answered.
func (s *simulator) countOperations(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &tap{ResponseWriter: w}
		next.ServeHTTP(t, r)
		if t.code >= 200 && t.code <= 202 { // a 204 means that there was nothing to do, so no operation started
			s.mu.Lock()
			defer s.mu.Unlock()
			s.started++
		}
	})
}

// noted returns middleware that records the name of the action and then applies do. The log shows
// this name for each request that the action affects.
func (s *simulator) noted(action string, do middleware) middleware {
	note := before(func(r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		x := exchangeOf(r)
		x.faults = append(x.faults, action)
		switch name, _, _ := strings.Cut(action, "="); name {
		case "slow":
			x.waits = true
		case "hang":
			x.waits = true
			s.log(x) // log the request now, because it does not end until the client gives up
		}
	})
	return func(next http.Handler) http.Handler { return note(do(next)) }
}

// before returns middleware that calls f with each request before passing it on.
func before(f func(*http.Request)) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f(r)
			next.ServeHTTP(w, r)
		})
	}
}

// finish waits for the requests in progress, writes the last line of output,
// and returns the first error that occurred while recording, if any.
func (s *simulator) finish() error {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.running.Wait()
	say(s.out, fmt.Sprintf("\nStopped after %s and %s.\n", plural(s.requests, "request"), plural(s.started, "operation")))
	if s.record != nil && s.record.err != nil {
		return fmt.Errorf("--record: %w", s.record.err)
	}
	return nil
}
