package serve

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/cmd/lro/internal/control"
	"github.com/lro-go/lro/cmd/lro/internal/faults"
	"github.com/lro-go/lro/fakes"
)

var _ control.Simulator = (*simulator)(nil)

func (s *simulator) current() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session
}

// Operations implements [control.Simulator]. A replayed recording has no operations.
func (s *simulator) Operations() []fakes.Operation {
	in := s.current()
	if in.service == nil {
		return nil
	}
	return in.service.Operations()
}

// End implements [control.Simulator].
func (s *simulator) End(id string, ending fakes.Ending, err fakes.Error) bool {
	in := s.current()
	return in.service != nil && in.service.End(id, ending, err)
}

// Forget implements [control.Simulator].
func (s *simulator) Forget(id string) bool {
	in := s.current()
	return in.service != nil && in.service.Forget(id)
}

// Faults implements [control.Simulator].
func (s *simulator) Faults() []control.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session.remaining()
}

// AddFault implements [control.Simulator].
func (s *simulator) AddFault(text, path string) (control.Fault, error) {
	rule, err := faults.Parse(text)
	if err != nil {
		return control.Fault{}, err
	}
	rule.Path = path
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session.service == nil {
		return control.Fault{}, errors.New("lro serve cannot add faults to a recording that it replays")
	}
	return s.session.add(rule, s.noteAction), nil
}

// RemoveFault implements [control.Simulator].
func (s *simulator) RemoveFault(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session.remove(id)
}

// Reset implements [control.Simulator] by starting a new session.
func (s *simulator) Reset() error {
	in, err := s.newSession()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = in
	s.resets++
	s.journal.Clear()
	return nil
}

// controlHandler returns the handler of the control interface. The handler logs each command
// without a request number.
func (s *simulator) controlHandler(service string) http.Handler {
	h := control.New(s, s.journal, service)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &tap{ResponseWriter: w}
		h.ServeHTTP(t, r)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.logUnnumbered(r, t.code, "control")
		}
	})
}

// logUnnumbered logs a request that does not reach the service. Such a request has no number,
// because faults that select requests by number do not count it.
func (s *simulator) logUnnumbered(r *http.Request, status int, note string) {
	path := shorten(r.URL.EscapedPath(), pathWidth)
	line := fmt.Sprintf(layout, time.Now().Format("15:04:05"), "-", r.Method, path, fmt.Sprint(status), "-", "", note)
	s.mu.Lock()
	defer s.mu.Unlock()
	say(s.out, strings.TrimRight(line, " ")+"\n")
}

// journalArrival adds x's request to the journal.
func (s *simulator) journalArrival(x *exchange) {
	if s.journal == nil {
		return
	}
	x.journaled = s.journal.Add(control.Request{
		N: x.n, Time: x.at.UTC(), Method: x.req.Method, URL: x.req.URL.RequestURI(), Header: x.req.Header, Body: string(x.body),
	})
}

// journalResponse updates x's journal entry with the kind, operation and faults of the request, and
// with what is known about the response. done says whether the response has ended.
func (s *simulator) journalResponse(x *exchange, done bool) {
	if x.journaled == nil {
		return
	}
	s.journal.Update(x.journaled, func(r *control.Request) {
		r.Kind, r.Nth, r.Operation = strings.ToLower(string(x.kind)), x.nth, x.operation
		r.Faults = slices.Clone(x.faults)
		r.Done = done
		r.StatusCode = x.response.code
		r.RetryAfter = x.response.header.Get("Retry-After")
		r.State = x.state()
		r.Took = x.took.Milliseconds()
	})
}
