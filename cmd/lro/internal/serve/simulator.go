package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lro-go/lro/fakes"
)

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
	begun    int                // the number of operations that were started
}

// simulator returns the simulator that the flags describe.
func (o *options) simulator(out io.Writer) (*simulator, error) {
	svc, err := o.service()
	if err != nil {
		return nil, err
	}
	s := &simulator{service: svc, out: out, kinds: map[fakes.Kind]int{}}
	svc.KeepRequests = 1 // no code here reads the stored requests, and the service may run for days
	for _, f := range slices.Concat(s.marks(), o.faults, []fakes.Fault{{Kind: fakes.Begin, Do: s.countOperations}}) {
		svc.Fault(f)
	}
	return s, nil
}

// An exchange is a request and its response.
type exchange struct {
	simulator *simulator

	n    int // the number of the request, from 1
	at   time.Time
	req  *http.Request
	body []byte // the body of the request

	kind   fakes.Kind
	nth    int      // the number of the request among all requests of its kind, counted from 1
	faults []string // the names of the fault actions that affected the exchange
	waits  bool     // whether one of these actions delays the response
	shown  bool     // whether the line for this exchange is already in the log

	took     time.Duration
	response *tap
	dropped  bool // whether the connection was closed before the end of the response
}

// ServeHTTP passes r to the service, and logs and records the response.
func (s *simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client disconnected before it had sent the whole request
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

type exchangeKey struct{}

// exchangeOf returns the exchange that r belongs to. The middleware of the faults calls it.
func exchangeOf(r *http.Request) *exchange { return r.Context().Value(exchangeKey{}).(*exchange) }

func (s *simulator) arrive(r *http.Request, body []byte) *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		panic(http.ErrAbortHandler)
	}
	s.running.Add(1)
	s.requests++
	return &exchange{simulator: s, n: s.requests, at: time.Now(), req: r, body: body}
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
	if s.record.add(x); s.record.err != nil {
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

// marks returns one fault for each kind of request. These faults do not change any response; they
// record the kind of each request and its number among the requests of that kind.
func (s *simulator) marks() (faults []fakes.Fault) {
	for _, kind := range kinds {
		faults = append(faults, fakes.Fault{Kind: kind, Do: before(func(r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.kinds[kind]++
			x := exchangeOf(r)
			x.kind, x.nth = kind, s.kinds[kind]
		})})
	}
	return faults
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
			s.begun++
		}
	})
}

// noted returns middleware that records the name of the action and then applies do. The log shows
// this name for each request that the action affects.
func noted(action string, do middleware) middleware {
	note := before(func(r *http.Request) {
		x := exchangeOf(r)
		x.simulator.mu.Lock()
		defer x.simulator.mu.Unlock()
		x.faults = append(x.faults, action)
		switch name, _, _ := strings.Cut(action, "="); name {
		case "slow":
			x.waits = true
		case "hang":
			x.waits = true
			x.simulator.log(x) // log the request now, because it does not end until the client gives up
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
	say(s.out, fmt.Sprintf("\nStopped after %s and %s.\n", plural(s.requests, "request"), plural(s.begun, "operation")))
	if s.record != nil && s.record.err != nil {
		return fmt.Errorf("--record: %w", s.record.err)
	}
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
