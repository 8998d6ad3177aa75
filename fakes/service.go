package fakes

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// A Service is a simulated management service. Long-running operations create, change and delete
// its resources.
//
//	PUT    /widgets/w1         creates or replaces a resource
//	PATCH  /widgets/w1         changes it (RFC 7396, merge patch)
//	DELETE /widgets/w1         deletes it
//	POST   /widgets/w1/start   performs an action
//	GET    /widgets/w1         reads it
//	GET    /widgets            lists a collection; see Listing
//
// Any path works, including a full one such as
// /subscriptions/s/resourceGroups/g/providers/Microsoft.Contoso/widgets/w1. A path with an even
// number of segments names a resource, and a path with an odd number names a collection or an
// action. Paths are not case-sensitive.
//
// The zero Service is ready to use. It follows the Resource Provider Contract: a PUT gets 201 or
// 200 and Azure-AsyncOperation, and every other method gets 202, Location and Azure-AsyncOperation.
// An operation is in progress for two polls and then succeeds. [Service.Plan] and Default change
// how operations proceed and end. If the client reads only the resource and not the status URL, set
// Plan.Duration, because reads of the resource are not polls; see [Poll]. [Service.Fault] makes
// requests fail.
//
// A POST to an operation's URL with /cancel appended cancels the operation and gets 202, or 409 if
// the operation has already ended. A DELETE of the operation's URL also cancels the operation, and
// gets 204 in either case. The services of packages arohcp and ibmcloud differ. A DELETE of a
// resource supersedes an operation that creates or changes the resource, and that operation ends as
// Canceled. The service refuses any other second operation on a resource with 409 Conflict.
//
// A response that contains a resource has an ETag, which changes when the resource or its status
// changes. A PUT, PATCH or DELETE whose If-Match or If-None-Match is not met gets 412 Precondition
// Failed and changes nothing. If the resource does not exist, a PATCH gets 404 and a DELETE gets
// 204, regardless of these headers (the contract, "ETags for Resources"). A GET with the current
// ETag in If-None-Match gets 304. The services of packages arohcp and ibmcloud send no ETags and
// ignore both headers.
//
// A Service is safe for concurrent use once its fields are set.
type Service struct {
	// Default is the plan for operations that no other plan matches.
	Default Plan

	PageSize int // the maximum number of resources on a page of a listing; no limit by default

	// Expire is how long an operation's URLs keep working after the operation ends. After that,
	// they return 404, and the service forgets the operation. No limit by default.
	Expire time.Duration

	// KeepOperations is the maximum number of ended operations that the service keeps; no limit by
	// default. The service forgets the ones that ended first, and their URLs return 404. It never
	// forgets an operation in progress. Set a limit if the service runs under load for days.
	KeepOperations int

	// Identity returns the identity of a request's sender. An operation's URLs return 404 to every
	// identity except the one that started the operation. By default, all requests have the same
	// identity.
	Identity func(*http.Request) string

	// Notify sends the notifications that clients request. If a request has the header
	// Azure-AsyncNotificationUri, its response has Azure-AsyncNotification: Enabled. The service
	// posts a status document to that URI as soon as the operation ends. By default, the service
	// sends no notifications. A service of package ibmcloud never sends any.
	// [Service.Notifications] returns the notifications, and [Service.Close] stops them.
	Notify *http.Client

	// KeepRequests is the maximum number of requests that [Service.Requests] returns; no limit by
	// default. The service forgets older requests. Set a limit if the service runs under load for
	// days.
	KeepRequests int

	dialect engine.Dialect // nil means the Resource Provider Contract
	engine  engine.Service
	log     requestLog

	notifier notifier

	mu      sync.Mutex
	faults  []*fault  // in the order of Fault calls
	scripts []script  // in the order of Quirk calls
	replays []*replay // the conversations that the scripts have started, one for each resource
}

var _ http.Handler = (*Service)(nil)

// New returns a Service that uses the given dialect. Only packages below this one can implement a
// Dialect, so other packages call arohcp.New or ibmcloud.New instead.
func New(d engine.Dialect) *Service { return &Service{dialect: d} }

// configured applies the current fields of s to its engine and returns the engine.
func (s *Service) configured() *engine.Service {
	dialect := s.dialect
	if dialect == nil {
		dialect = engine.ARM{}
	}
	s.engine.Configure(engine.Config{
		Dialect: dialect, Default: s.Default.engine(), PageSize: s.PageSize,
		Expire: s.Expire, Keep: s.KeepOperations, ETags: s.dialect == nil, Identity: s.Identity, Notify: s.notifier.sender(s.Notify),
	})
	return &s.engine
}

// ServeHTTP answers r. Every fault that hits r can change or replace the response.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	entry, err := s.log.add(r, s.KeepRequests)
	if err != nil {
		panic(http.ErrAbortHandler) // the client disconnected during the request
	}
	e := s.configured()
	id := e.Mark(w.Header(), r)
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, id, entry) })
	for _, do := range slices.Backward(s.hits(e.Classify(r), entry)) {
		h = do(h)
	}
	watched := &watcher{ResponseWriter: w, log: &s.log, entry: entry}
	h.ServeHTTP(watched, r.WithContext(context.WithValue(r.Context(), watcherKey{}, watched)))
}

// answer sends the response to r without applying faults: a recorded response if one matches, and
// the engine's response otherwise. id is the request ID, and entry is r's log entry.
func (s *Service) answer(w http.ResponseWriter, r *http.Request, id string, entry *Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if recorded, ok := s.replay(r, body); ok {
		if recorded.play(w, r) != nil {
			panic(http.ErrAbortHandler)
		}
		return
	}
	a, operation := s.engine.Answer(r, body, id)
	s.log.update(func() { entry.Operation = operation })
	a.Send(w)
}

// hits records a request's kind and operation in its log entry. It returns the middleware of the
// faults that hit the request.
func (s *Service) hits(f engine.Facts, entry *Request) (does []func(http.Handler) http.Handler) {
	s.log.update(func() { entry.Kind, entry.Operation = f.Kind, f.Operation })
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fault := range s.faults {
		if fault.hits(f) && fault.Do != nil {
			does = append(does, fault.Do)
		}
	}
	return does
}

// Plan adds a plan for the operations that p matches. If several plans match an operation, the
// service uses the most specific: the one with the longest Path and, among equal Paths, one with a
// Method. Among equally specific plans, it uses the one added first. If a plan has Times, it stops
// matching after that many operations.
func (s *Service) Plan(p Plan) { s.configured().AddPlan(p.Method, p.Path, p.Times, p.engine()) }

// Fault adds a fault for the requests that f matches. If several faults hit a request, all of them
// apply. The middleware of the fault that was added first is the outermost.
func (s *Service) Fault(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &fault{Fault: f})
}

// Quirk turns on a quirk for the resource at path, all resources below it, and their operations. An
// empty path means all resources. Package quirks defines the quirks. Plans still apply, except
// where the quirk itself sets how an operation reports its status or how it ends. Several quirks
// can be on at once. Quirk panics if the quirk is unknown.
func (s *Service) Quirk(q engine.Quirk, path string) {
	h := q.Hooks()
	s.configured().AddQuirk(h, path)
	if h.Transcript == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts = append(s.scripts, script{h.Transcript, path})
}

// Listing sets the format of the listings that l matches. If several formats match a listing, the
// service uses the one added last. Listing panics if Items, Link or Count is not a JSON pointer.
func (s *Service) Listing(l Listing) { s.configured().AddListing(engine.Listing(l)) }

// Pages defines the listing at path, independently of the service's resources. Each page is a value
// that encodes as a JSON array, or nil for a page without items. Pages panics for any other value.
func (s *Service) Pages(path string, pages ...any) { s.configured().AddPages(path, pages) }

// Put stores a resource as if it had been created long ago. It panics if the body does not encode
// as a JSON object. The service adds id, name and type. It also adds properties.provisioningState
// unless the body has one.
func (s *Service) Put(path string, body any) { s.configured().Put(path, body) }

// Resource returns the body that a GET of the resource at path would return, and reports whether
// the resource exists. URLs in the body have no scheme or host.
func (s *Service) Resource(path string) (json.RawMessage, bool) { return s.configured().Resource(path) }

// Requests returns a copy of all requests so far, or of the last KeepRequests, in order of arrival.
// It includes requests that a fault hits.
func (s *Service) Requests() []Request { return s.log.copy() }
