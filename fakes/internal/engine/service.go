// Package engine runs the operations of a simulated management service. Package
// fakes puts the service behind an [http.Handler]. The subpackages of fakes
// change how the service behaves, with a [Dialect] or with [Hooks].
package engine

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// A Service holds the resources and the operations of a simulated service.
// [Service.Configure] must be called before anything else.
//
// The methods of a [Dialect] and the functions in [Hooks] are called while the
// mutex of the Service is held. They may use the exported fields of the
// Service. They may also call the methods that take a [Request] or an
// [Operation], because these do not lock the mutex.
type Service struct {
	mu sync.Mutex
	Config

	Resources  map[string]*Resource  // by the Key of their path
	Operations map[string]*Operation // by ID
	Latest     map[string]*Operation // the last operation on each path, by the Key of that path

	answers  int               // the number of responses so far
	plans    []*plan           // in the order of AddPlan calls
	places   map[string]place  // by the Key of their path
	pages    map[string][]page // by the Key of the collection
	listings []Listing         // in the order of AddListing calls
	quirks   []quirk           // in the order of AddQuirk calls
	timers   []*time.Timer     // each ends an operation whose client awaits a notification
	closed   bool              // whether Close has been called
}

// A Config holds the settings of a Service. The fields of fakes.Service
// document them.
type Config struct {
	Dialect  Dialect // nil: ARM
	Default  Plan
	PageSize int
	Expire   time.Duration
	Identity func(*http.Request) string
	Notify   func(Notification) // sends a notification, without waiting for the receiver; nil: none is sent
}

// A Notification reports that an operation has ended. The fields of
// fakes.Notification document it.
type Notification struct {
	Time      time.Time
	Operation string
	URI       string
	Body      []byte
}

// Configure replaces the settings of s.
func (s *Service) Configure(c Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Dialect == nil {
		c.Dialect = ARM{}
	}
	s.Config = c
	if s.Resources != nil {
		return
	}
	s.Resources = make(map[string]*Resource)
	s.Operations = make(map[string]*Operation)
	s.Latest = make(map[string]*Operation)
	s.places = make(map[string]place)
	s.pages = make(map[string][]page)
}

// AddPlan adds a plan for the operations whose first request has this method
// and path. If times is not 0, the plan applies to only that many operations.
func (s *Service) AddPlan(method, path string, times int, p Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans = append(s.plans, &plan{Plan: p, method: method, path: path, times: times})
}

// Mark sets the headers that any response to r must have, and returns the
// request ID.
func (s *Service) Mark(h http.Header, r *http.Request) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers++
	request, trace := s.Dialect.IDHeaders()
	id = GUID("f", s.answers)
	h.Set(request, id)
	if id := r.Header.Get(trace); id != "" {
		h.Set(trace, id)
	}
	return id
}

// Facts hold what a fault or the request log needs to know about a request.
type Facts struct {
	Kind         Kind
	Method, Path string
	Target       string // the path that the request's operation acts on
	Operation    string // the ID of the request's operation
}

// Classify determines the facts about r before r is answered.
func (s *Service) Classify(r *http.Request) Facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.classify(r)
	f := Facts{Kind: q.Kind, Method: q.Method, Path: q.Path}
	if q.Op != nil {
		f.Target, f.Operation = q.Op.Target, q.Op.ID
	}
	return f
}

// Answer answers r, whose body the caller has already read. It also returns the
// ID of the operation that r started, read or canceled.
func (s *Service) Answer(r *http.Request, body []byte, id string) (a Answer, operation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.classify(r)
	q.Body, q.ID = body, id
	a, ok := s.preempt(q)
	if !ok {
		a, q.Op = s.do(q)
		a = s.twist(q, a)
	}
	if q.Op != nil {
		operation = q.Op.ID
	}
	return a, operation
}

// do answers q without applying the quirks. It also returns the operation that
// q started, read or canceled.
func (s *Service) do(q *Request) (Answer, *Operation) {
	d := s.Dialect
	if a, refused := d.Refuse(s, q); refused {
		return a, q.Op
	}
	switch q.Kind {
	case Begin:
		return d.Begin(s, q)
	case Poll, Result:
		return s.Poll(q), q.Op
	case Cancel:
		return d.Cancel(s, q), q.Op
	case List:
		return s.list(q), nil
	case Read:
		return s.Read(q), nil
	}
	return d.Failure(q, http.StatusMethodNotAllowed, Error{Code: "MethodNotAllowed", Message: q.Method + " is not allowed."}), nil
}

// GUID returns the nth ID in the series of IDs that start with first, a
// hexadecimal digit. The ID looks real, and is the same in every run.
func GUID(first string, n int) string {
	return fmt.Sprintf("%s0000000-0000-4000-8000-%012d", first, n)
}
