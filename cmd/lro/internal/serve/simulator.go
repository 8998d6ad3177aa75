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

	"github.com/lro-go/lro/cmd/lro/internal/control"
	"github.com/lro-go/lro/fakes"
)

// A simulator simulates a service or replays a recording, and logs the requests.
type simulator struct {
	options *options
	running sync.WaitGroup   // requests in progress
	journal *control.Journal // nil without --control

	mu       sync.Mutex
	out      io.Writer
	record   *recorder // nil without --record
	stopped  bool
	arrivals int // the number of requests since the start
	session  *session
	resets   int
}

// newSimulator returns a simulator for the service that o describes.
func newSimulator(o *options, out io.Writer) (*simulator, error) {
	s := &simulator{options: o, out: out}
	if o.control != "" {
		s.journal = &control.Journal{}
	}
	in, err := s.newSession()
	s.session = in
	return s, err
}

// newSession returns a session with the service and the faults that the flags describe or, with
// --replay, a session that replays the recording.
func (s *simulator) newSession() (*session, error) {
	if s.options.replay != "" {
		return s.options.replaySession()
	}
	svc, err := s.options.service()
	if err != nil {
		return nil, err
	}
	svc.KeepRequests = 1 // nothing reads the stored requests, and the service may run for days
	in := &session{handler: svc, service: svc, kinds: map[fakes.Kind]int{}}
	svc.Fault(fakes.Fault{Do: s.observe})
	for _, rule := range s.options.faults {
		in.add(rule, s.noteAction)
	}
	return in, nil
}

// ServeHTTP passes r to the session's handler, and logs and records the exchange.
func (s *simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := s.readBody(w, r)
	if !ok {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))

	x := s.arrive(r, body)
	defer s.running.Done()
	x.response = &tap{ResponseWriter: w}
	x.dropped = true // stays true if the handler panics, as some faults do to close the connection
	defer s.end(x)
	x.session.handler.ServeHTTP(x.response, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
	x.dropped = false
}

// arrive returns a new exchange for r. If the simulator has stopped, arrive aborts the request
// instead.
func (s *simulator) arrive(r *http.Request, body []byte) *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		panic(http.ErrAbortHandler)
	}
	s.running.Add(1)
	s.arrivals++
	s.session.requests++
	x := &exchange{session: s.session, n: s.session.requests, arrival: s.arrivals, at: time.Now(), req: r, body: body}
	s.journalArrival(x)
	return x
}

// end logs and records x, and updates its journal entry.
func (s *simulator) end(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.took = time.Since(x.at)
	s.log(x)
	s.journalResponse(x, true)
	if s.record == nil || s.record.err != nil {
		return
	}
	s.record.add(x)
	if s.record.err != nil {
		say(s.out, fmt.Sprintf("--record: %v; the recording is incomplete\n", s.record.err))
	}
}

// log writes the log line for x, unless it has already done so.
func (s *simulator) log(x *exchange) {
	if !x.shown {
		say(s.out, x.line()+"\n")
	}
	x.shown = true
}

// observe is the outermost middleware. It records each request's kind and operation in the
// exchange.
func (s *simulator) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r)
		s.observeKind(r, x)
		defer s.observeOperation(r, x) // deferred, because a fault may panic to close the connection
		next.ServeHTTP(w, r)
	})
}

func (s *simulator) observeKind(r *http.Request, x *exchange) {
	entry, _ := fakes.RequestOf(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	x.kind = entry.Kind
	if x.kind == "" { // the service does not support the method
		return
	}
	x.session.kinds[x.kind]++
	x.nth = x.session.kinds[x.kind]
}

func (s *simulator) observeOperation(r *http.Request, x *exchange) {
	entry, _ := fakes.RequestOf(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	x.operation = entry.Operation
	if x.kind == fakes.Begin && x.operation != "" {
		x.session.started++
	}
}

// noteAction wraps a fault's middleware, so that the log and the journal show the action for each
// request that the fault hits.
func (s *simulator) noteAction(action string, do middleware) middleware {
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
			s.log(x) // log now, because the request hangs until the client gives up or lro serve stops
			s.journalResponse(x, false)
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

// finish waits for the requests in progress, writes the last line of output, and returns the first
// recording error.
func (s *simulator) finish() error {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.running.Wait()
	say(s.out, "\nStopped after "+s.summary()+".\n")
	if s.record != nil && s.record.err != nil {
		return fmt.Errorf("--record: %w", s.record.err)
	}
	return nil
}

// summary says how many requests arrived in the session, and how many operations started or, for a
// replay, how many recorded requests did not arrive.
func (s *simulator) summary() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.session
	text := plural(in.requests, "request")
	if in.replay != nil {
		text += fmt.Sprintf("; %s of the recording did not arrive", plural(in.replay.Remaining(), "request"))
	} else {
		text += " and " + plural(in.started, "operation")
	}
	if s.resets > 0 {
		text += " since the last reset"
	}
	return text
}
