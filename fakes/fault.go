package fakes

import (
	"net/http"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// A Fault injects a failure into some of the requests to a [Service]. The zero Fault matches every
// request and changes nothing.
//
// Kind, Method and Path select requests, and the Service counts the requests that match. To count
// only the requests for one resource and its operations, set Path. Nth is the number of the first
// matching request that the fault hits, starting at 1. Times is how many requests it hits,
// including the first. If both are 0, the fault hits every matching request. If only Nth is set,
// the fault hits just that request. If only Times is set, it hits the first Times requests. If
// Times is negative, it hits all requests from the Nth on. The Service does not report a fault that
// hits no request, so check [Service.Requests] in the test.
//
// The path of an operation's URL is /operationsStatuses/ID for Azure-AsyncOperation,
// /operationResults/ID for Location and /operations/ID for Operation-Location. If the resource has
// a full ARM path, these paths start with its subscription and provider, as in
// /subscriptions/s/providers/Microsoft.Contoso/operationsStatuses/ID. Packages arohcp and ibmcloud
// use other paths. You rarely need these paths, because the Path of a resource also matches the
// URLs of its operations.
//
//	fakes.Fault{Kind: fakes.Poll, Nth: 3, Do: fakes.Status(503)}           // the third poll
//	fakes.Fault{Kind: fakes.Poll, Times: 2, Do: fakes.Status(404)}         // the first two
//	fakes.Fault{Kind: fakes.Poll, Nth: 2, Times: -1, Do: fakes.Hang()}     // all but the first
//	fakes.Fault{Kind: fakes.Begin, Method: "DELETE", Do: fakes.Drop()}     // every DELETE
//	fakes.Fault{Path: "/widgets/w1", Nth: 1, Do: fakes.Slow(time.Minute)}  // the first request of any kind
type Fault struct {
	Kind   Kind   // any by default
	Method string // any by default
	Path   string // this path, all paths below it, and the operations on them; any path by default
	Nth    int
	Times  int

	// Do is middleware around the service. Use [Status], [Drop] or another function of this
	// package, or write your own. If Do does not call the service, the request neither starts nor
	// advances an operation.
	Do func(http.Handler) http.Handler
}

// A fault is a Fault with the number of requests that have matched it so far.
type fault struct {
	Fault
	seen int
}

// hits reports whether the fault hits q. It also counts q if q matches.
func (f *fault) hits(q engine.Facts) bool {
	if !f.matches(q) {
		return false
	}
	f.seen++

	first := max(f.Nth, 1)
	times := f.Times
	if times == 0 && f.Nth > 0 {
		times = 1
	}
	return f.seen >= first && (times <= 0 || f.seen < first+times)
}

// matches reports whether the fault's Kind, Method and Path match q.
func (f *fault) matches(q engine.Facts) bool {
	if f.Kind != "" && f.Kind != q.Kind {
		return false
	}
	if f.Method != "" && f.Method != q.Method {
		return false
	}
	return f.covers(q)
}

// covers reports whether q, or its operation's resource, is at or below the fault's path.
func (f *fault) covers(q engine.Facts) bool {
	return engine.Under(q.Path, f.Path) || q.Operation != "" && engine.Under(q.Target, f.Path)
}
