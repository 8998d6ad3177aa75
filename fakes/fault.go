package fakes

import "net/http"

// A Fault is something that goes wrong with requests to a [Service]. The zero
// Fault hits every request and does nothing to it.
//
// Which requests: all of Kind, Method and Path. These are counted, over all
// operations; Path narrows that to those of one. Of them Nth is the first to be
// hit, counting from 1, and Times is how many are hit from there on. Without
// both all are hit, Nth alone hits one, Times alone the first ones, and a
// negative Times all from the Nth on.
//
//	fakes.Fault{Kind: fakes.Poll, Nth: 3, Do: fakes.Status(503)}           // the third poll
//	fakes.Fault{Kind: fakes.Poll, Times: 2, Do: fakes.Status(404)}         // the first two
//	fakes.Fault{Kind: fakes.Poll, Nth: 2, Times: -1, Do: fakes.Hang()}     // all but the first
//	fakes.Fault{Kind: fakes.Begin, Method: "DELETE", Do: fakes.Drop()}     // every delete
//	fakes.Fault{Path: "/widgets/w1", Nth: 1, Do: fakes.Slow(time.Minute)}  // whatever is first
type Fault struct {
	Kind   Kind   // "" any
	Method string // "" any
	Path   string // it and everything below, and the operations on these; "" any
	Nth    int
	Times  int

	// Do wraps the service, as a middleware does: [Status], [Drop] and others of
	// this package, or one of your own. A fault that does not call the service
	// is no poll to the operation.
	Do func(http.Handler) http.Handler
}

// A fault counts.
type fault struct {
	Fault
	seen int
}

// hits counts q, if it matches, and says whether it is one to be hit.
func (f *fault) hits(q *question) bool {
	if f.Kind != "" && f.Kind != q.kind || f.Method != "" && f.Method != q.method || !f.covers(q) {
		return false
	}
	f.seen++
	first, times := max(f.Nth, 1), f.Times
	if times == 0 && f.Nth > 0 {
		times = 1
	}
	return f.seen >= first && (times <= 0 || f.seen < first+times)
}

// covers says whether q is about the fault's path, be it by way of an operation.
func (f *fault) covers(q *question) bool {
	return under(q.path, f.Path) || q.op != nil && under(q.op.target, f.Path)
}
