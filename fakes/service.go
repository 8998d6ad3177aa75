package fakes

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Service is a management service: resources that are created, updated,
// deleted and acted upon by operations which take their time.
//
//	PUT    /widgets/w1         creates or replaces a resource
//	PATCH  /widgets/w1         changes it (RFC 7396, merge patch)
//	DELETE /widgets/w1         deletes it
//	POST   /widgets/w1/start   acts on it
//	GET    /widgets/w1         reads it
//	GET    /widgets            lists what is in a collection; see [Listing]
//
// Any path will do, a full one such as
// /subscriptions/s/resourceGroups/g/providers/Microsoft.Contoso/widgets/w1
// included; an even number of segments names a resource, an odd number a
// collection or an action. Paths are compared without case.
//
// The zero Service is ready to use. It answers as the Resource Provider
// Contract says: a PUT with 201 or 200 and Azure-AsyncOperation; the other verbs
// with 202, Location and Azure-AsyncOperation. Operations succeed after two
// polls that find them in progress. [Service.Plan] and Default change what
// becomes of an operation, [Service.Fault] what becomes of a request.
//
// An operation that runs can be canceled with a POST of its URL with /cancel
// added, or with a DELETE of its URL. A DELETE of a resource that is being
// created or changed supersedes that operation, which is then Canceled; any
// other second operation is refused with 409 Conflict.
//
// A Service is safe for concurrent use once its fields are set.
type Service struct {
	// Default is the plan of the operations that no other plan matches.
	Default Plan

	// PageSize is how many resources a page of a collection has; 0: all.
	PageSize int

	// Expire is how long after its end an operation is known: then its URLs are
	// those of any other resource that is not there. 0: for ever.
	Expire time.Duration

	// Identity tells who sent a request. An operation is known to those whom it
	// tells to be the one that began it, to others its URLs are not there. nil:
	// all are one.
	Identity func(*http.Request) string

	// Notify sends the notifications that a client asks for: where a request has
	// Azure-AsyncNotificationUri, the answer that begins its operation has
	// Azure-AsyncNotification: Enabled, and a status document is posted to that
	// URI at the moment at which the operation ends, whether or not anybody
	// polls. nil: none are offered, nor by [IBMCloud], which knows no such thing.
	// [Service.Notifications] has what was sent, and [Service.Close] ends it.
	Notify *http.Client

	log     requestLog
	dialect dialect // nil: arm

	mu         sync.Mutex
	answers    int                   // how many there were
	plans      []*plan               // in the order in which they were added
	faults     []*fault              // likewise
	resources  map[string]*resource  // by key of their path
	operations map[string]*operation // by ID
	latest     map[string]*operation // by key of the path they were asked for
	places     map[string]place      // by key of their path
	pages      map[string][]page     // by key of the path of the collection
	listings   []Listing             // in the order in which they were added
	quirks     []quirk               // likewise
	notifier   notifier
}

var _ http.Handler = (*Service)(nil)

// Plan says what becomes of the operations that p matches. Of several plans
// that match, the first one that was added and is not used up is taken.
func (s *Service) Plan(p Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans = append(s.plans, &plan{Plan: p})
}

// Fault says what becomes of the requests that f matches. All faults that hit a
// request are applied, the first one that was added outermost.
func (s *Service) Fault(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &fault{Fault: f})
}

// Requests returns all requests so far, those that a fault hit included, in the
// order in which they came. The copy is the caller's.
func (s *Service) Requests() []Request { return s.log.copy() }

// ServeHTTP answers r, or does what the faults make of it.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	entry, err := s.log.add(r)
	if err != nil {
		panic(http.ErrAbortHandler) // the client went away in mid-request
	}
	s.mark(w.Header(), r)
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, entry) })
	for _, do := range slices.Backward(s.hits(r, entry)) {
		h = do(h)
	}
	h.ServeHTTP(&watcher{ResponseWriter: w, log: &s.log, entry: entry}, r)
}

// mark sets the headers that every answer has.
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

// hits finds out what r asks for, and which faults that meets.
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

// serve is the service without its faults.
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

// answer does what r asks for. It tells the operation that r was about, too.
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

// guid makes an ID that looks like those of a real service and is the same in
// every run.
func guid(first string, n int) string {
	return fmt.Sprintf("%s0000000-0000-4000-8000-%012d", first, n)
}
