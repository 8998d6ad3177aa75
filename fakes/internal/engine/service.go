// Package engine runs the operations of a simulated management service.
//
// It knows about resources, operations, plans and listings, and implements what the Resource
// Provider Contract says about them. It knows nothing about faults, transcripts, the request log,
// connections or HTTP clients: package fakes adds these and exposes the service as an
// [http.Handler]. It also knows nothing about any particular service: the subpackages of fakes
// change the service's behavior with a [Dialect] or with [Hooks]. The engine is a separate package
// so that the subpackages can use names that package fakes does not export.
//
// For each request, package fakes calls these methods of a [Service]:
//
//   - Configure sets the current settings.
//   - Mark sets the headers that every response must have.
//   - Classify returns the facts that faults and the request log need.
//   - Answer returns the response.
//
// When a test changes the service, package fakes calls Put, AddPlan, AddListing, AddPages,
// AddQuirk, EndNow or ForgetNow. [Service.Each] visits the operations.
//
// The files form three layers. Each layer uses only itself and the layers below it:
//
//   - The requests: handle.go answers a request, with the help of classify.go and list.go. arm.go
//     and begin.go follow the contract.
//   - The state: service.go, dialect.go and hooks.go declare it. lifecycle.go starts and ends
//     operations, store.go finds resources, condition.go checks the conditions of requests, and
//     notify.go decides when a client gets a notification.
//   - The values, which do not depend on Service: request.go, operation.go, document.go,
//     resource.go, plan.go, listing.go, answer.go, json.go and path.go.
package engine

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/lro-go/lro/fakes/internal/tree"
)

// A Service holds the resources and operations of a simulated service. Call [Service.Configure]
// before any other method.
//
// The Service holds its mutex while it calls a [Dialect] or [Hooks]. They may use the Service's
// exported fields, but only methods that do not lock the mutex, such as [Service.Find],
// [Service.Store], [Service.Start] and [Service.End].
type Service struct {
	mu sync.Mutex
	Config

	Resources  map[string]*Resource    // by the Key of the path; use Store and Remove to add and delete resources
	Operations map[string]*Operation   // by ID
	Started    int                     // the number of operations started so far
	Latest     map[string]*Operation   // the last operation on each path, by the path's Key
	Open       map[*Operation]struct{} // the operations in progress

	order    tree.Tree         // the keys of Resources
	ended    []*Operation      // the ended operations still in the map Operations, in the order they ended
	answers  int               // the number of responses so far
	plans    []*plan           // in the order of AddPlan calls
	pages    map[string][]page // by the Key of the collection
	listings []Listing         // in the order of AddListing calls
	quirks   []quirk           // in the order of AddQuirk calls
	closed   bool              // whether Close has been called
}

// A Config holds the settings of a Service. They are documented in fakes.Service.
type Config struct {
	Dialect  Dialect
	Default  Plan
	PageSize int
	Expire   time.Duration
	Keep     int  // fakes.Service.KeepOperations
	ETags    bool // whether resources have entity tags (the contract, "ETags for Resources")
	Identity func(*http.Request) string
	Notify   func(Notification) // sends a notification without waiting for the receiver; nil if the service sends none
}

// A Notification reports that an operation has ended. See fakes.Notification for its fields.
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
	s.Config = c
	if s.Resources != nil {
		return
	}
	s.Resources = make(map[string]*Resource)
	s.Operations = make(map[string]*Operation)
	s.Latest = make(map[string]*Operation)
	s.Open = make(map[*Operation]struct{})
	s.pages = make(map[string][]page)
}

// HasAny reports whether a collection has any resources. The argument is the Key of the
// collection's path.
func (s *Service) HasAny(collection string) bool { return s.order.Children(collection).Len() > 0 }

// GUID returns the nth ID in a series. The parameter first is the hexadecimal digit that all IDs in
// the series start with. The IDs look real, but are the same in every run.
func GUID(first string, n int) string {
	return fmt.Sprintf("%s0000000-0000-4000-8000-%012d", first, n)
}
