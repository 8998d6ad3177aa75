package fakes

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Service is a simulated management service. Its resources are created,
// changed and deleted by long-running operations.
//
//	PUT    /widgets/w1         creates or replaces a resource
//	PATCH  /widgets/w1         changes it (RFC 7396, merge patch)
//	DELETE /widgets/w1         deletes it
//	POST   /widgets/w1/start   performs an action
//	GET    /widgets/w1         reads it
//	GET    /widgets            lists a collection; see Listing
//
// Any path works, including a full one such as
// /subscriptions/s/resourceGroups/g/providers/Microsoft.Contoso/widgets/w1. An
// even number of segments names a resource, and an odd number names a
// collection or an action. Paths are compared without regard to case.
//
// The zero Service is ready to use. It follows the Resource Provider Contract:
// a PUT gets 201 or 200 and Azure-AsyncOperation, and every other method gets
// 202, Location and Azure-AsyncOperation. An operation succeeds after two polls
// that find it in progress. [Service.Plan] and Default change how operations
// proceed and end. [Service.Fault] makes requests fail.
//
// A POST of an operation's URL with /cancel appended cancels it, and so does a
// DELETE of its URL. A DELETE of a resource supersedes an operation that
// creates or changes it: that operation ends as Canceled. Any other second
// operation on a resource is refused with 409 Conflict.
//
// Several goroutines may use a Service after its fields are set.
type Service struct {
	// Default is the plan of every operation that no other plan matches.
	Default Plan

	// PageSize is the number of resources on a page of a listing. 0: all.
	PageSize int

	// Expire is how long the URLs of an operation keep working after its end.
	// After that they are 404. 0: forever.
	Expire time.Duration

	// Identity returns the identity of the sender of a request. The URLs of an
	// operation are 404 for every identity except the one that started it. nil:
	// all requests have the same identity.
	Identity func(*http.Request) string

	// Notify sends the notifications that clients ask for. If a request has the
	// header Azure-AsyncNotificationUri, its response has
	// Azure-AsyncNotification: Enabled, and the service posts a status document
	// to that URI at the moment when the operation ends, even if the client
	// does not poll. nil: no notifications. [IBMCloud] never sends any.
	// [Service.Notifications] returns them, and [Service.Close] stops them.
	Notify *http.Client

	log     requestLog
	dialect dialect // nil: arm

	mu         sync.Mutex
	answers    int                   // the number of responses
	plans      []*plan               // in the order of Plan calls
	faults     []*fault              // in the order of Fault calls
	resources  map[string]*resource  // by the key of their path
	operations map[string]*operation // by ID
	latest     map[string]*operation // the last one for each path, by its key
	places     map[string]place      // by the key of their path
	pages      map[string][]page     // by the key of the collection
	listings   []Listing             // in the order of Listing calls
	quirks     []quirk               // in the order of Quirk calls
	notifier   notifier
}

var _ http.Handler = (*Service)(nil)

// Plan adds a plan for the operations that p matches. If several plans match an
// operation, the service uses the one that was added first and is not used up.
func (s *Service) Plan(p Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans = append(s.plans, &plan{Plan: p})
}

// Fault adds a fault for the requests that f matches. If several faults hit a
// request, all of them apply, with the one that was added first outermost.
func (s *Service) Fault(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &fault{Fault: f})
}

// Requests returns a copy of all requests so far, in the order of their
// arrival. It includes requests that a fault hit.
func (s *Service) Requests() []Request { return s.log.copy() }

// ServeHTTP answers r, after the faults that hit it.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	entry, err := s.log.add(r)
	if err != nil {
		panic(http.ErrAbortHandler) // the client disconnected during the request
	}
	s.mark(w.Header(), r)
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, entry) })
	for _, do := range slices.Backward(s.hits(r, entry)) {
		h = do(h)
	}
	h.ServeHTTP(&watcher{ResponseWriter: w, log: &s.log, entry: entry}, r)
}

// mark sets the headers that every response has.
func (s *Service) mark(h http.Header, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers++
	request, trace := s.speech().ids()
	h.Set(request, guid("f", s.answers))
	if id := r.Header.Get(trace); id != "" {
		h.Set(trace, id)
	}
}

// hits records what r asks for, and returns the faults that hit it.
func (s *Service) hits(r *http.Request, entry *Request) (does []func(http.Handler) http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.classify(r)
	s.log.update(func() { entry.Kind, entry.Operation = q.kind, q.op.ID() })
	for _, f := range s.faults {
		if f.hits(q) && f.Do != nil {
			does = append(does, f.Do)
		}
	}
	return does
}

// serve answers r without the faults.
func (s *Service) serve(w http.ResponseWriter, r *http.Request, entry *Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	name, _ := s.speech().ids()
	a, op := s.answer(r, body, w.Header().Get(name))
	s.log.update(func() { entry.Operation = op.ID() })
	a.send(w)
}

// answer answers r. It also returns the operation that r started, read or
// canceled.
func (s *Service) answer(r *http.Request, body []byte, id string) (Answer, *operation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	q := s.classify(r)
	q.body, q.id = body, id
	if a, ok := s.preempt(q); ok {
		return a, q.op
	}
	a, op := s.do(q)
	q.op = op
	return s.twist(q, a), op
}

// do is answer without the quirks.
func (s *Service) do(q *question) (Answer, *operation) {
	d := s.speech()
	if a, refused := d.refuse(s, q); refused {
		return a, q.op
	}
	switch q.kind {
	case Begin:
		return d.begin(s, q)
	case Poll, Result:
		return s.poll(q), q.op
	case Cancel:
		return d.cancel(s, q), q.op
	case List:
		return s.list(q), nil
	case Read:
		return s.read(q), nil
	}
	return d.failure(q, http.StatusMethodNotAllowed, Error{Code: "MethodNotAllowed", Message: q.method + " is not allowed."}), nil
}

func (s *Service) init() {
	if s.resources != nil {
		return
	}
	s.resources = make(map[string]*resource)
	s.operations = make(map[string]*operation)
	s.latest = make(map[string]*operation)
	s.places = make(map[string]place)
	s.pages = make(map[string][]page)
}

// guid returns the nth ID of a kind. It looks like a real ID and is the same in
// every run.
func guid(first string, n int) string {
	return fmt.Sprintf("%s0000000-0000-4000-8000-%012d", first, n)
}
