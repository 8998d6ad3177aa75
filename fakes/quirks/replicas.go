package quirks

import (
	"net/http"
	"slices"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks in which reads of a resource lag behind the operation that changed it.
const (
	// VisibleAfterDelete answers a GET of a resource with 200 for a minute after a DELETE has
	// succeeded, as in Service Bus. A client that recreates the resource at once may find the old
	// one. Use poller.Confirm to wait for the 404.
	VisibleAfterDelete Quirk = "W26"

	// NotFoundAfterCreate answers a GET of a new resource with 404 for a minute after the creation
	// has succeeded, as happens with the firewall rules of a flexible PostgreSQL server. A client
	// that reads the result only once reports a failure.
	NotFoundAfterCreate Quirk = "W27"

	// FlapsAfterCreate answers the second and the fourth GET of a new resource with 404, as happens
	// with replicated resource groups. A client that continues after the first 200 may get a 404
	// later. Use poller.Confirm with Times to wait until several reads in a row have found the
	// resource.
	FlapsAfterCreate Quirk = "W28"

	// SometimesNotFoundAfterCreate answers the first, the second and the fourth GET of a new
	// resource with 404, as happens with DNS records, identities and role assignments. Use
	// poller.Confirm with Times to wait until several reads in a row have found the resource.
	SometimesNotFoundAfterCreate Quirk = "W30"

	// ForbiddenAfterCreate answers the first three GETs of a new resource with
	// 403, as happens with a management group. A client that treats 403 as
	// final reports a failure.
	ForbiddenAfterCreate Quirk = "W31"

	// FlapsAfterChange alternates between the old and the new state of a resource for ten minutes
	// after a change, as happens with custom IP prefixes and dedicated hosts. After a creation or a
	// DELETE, it alternates between 404 and 200. A client can detect this only by reading the
	// resource repeatedly. Use poller.Confirm with Times to wait until several reads in a row
	// agree.
	FlapsAfterChange Quirk = "W32/flapping"

	// StaleAfterChange shows the old state of a resource for ten minutes after a
	// change, as happens with custom IP prefixes. A client cannot detect this.
	// Use poller.Confirm with a Delay of ten minutes to wait that long.
	StaleAfterChange Quirk = "W32/stale"

	// DeleteReportedEarly reports the end of a DELETE at Location five minutes before the resource
	// is gone, as happens with a container registry's agent pools. During that time, the resource's
	// provisioningState is Deleting. A client that follows the contract continues too early. Use
	// poller.Confirm to wait for the 404.
	DeleteReportedEarly Quirk = "W51"
)

var replicaQuirks = []entry{
	{VisibleAfterDelete, "GET returns 200 for a while after a DELETE", func() engine.Hooks { return outdated(deletes, within(time.Minute)) }},
	{NotFoundAfterCreate, "GET returns 404 for a while after a creation", func() engine.Hooks { return outdated(creates, within(time.Minute)) }},
	{FlapsAfterCreate, "GET alternates between 200 and 404 after a creation", func() engine.Hooks { return outdated(creates, reads(2, 4)) }},
	{SometimesNotFoundAfterCreate, "GET occasionally returns 404 after a creation", func() engine.Hooks { return outdated(creates, reads(1, 2, 4)) }},
	{ForbiddenAfterCreate, "GET returns 403 for a while after a creation", forbiddenAfterCreate},
	{FlapsAfterChange, "GET alternates between the old and the new resource after a change", func() engine.Hooks { return outdated(changes, everyOther(10*time.Minute)) }},
	{StaleAfterChange, "GET returns the old resource for ten minutes after a change", func() engine.Hooks { return outdated(changes, within(10*time.Minute)) }},
	{DeleteReportedEarly, "DELETE: Location reports the end too early", deleteReportedEarly},
}

func creates(op *engine.Operation) bool { return op.Created }
func changes(op *engine.Operation) bool { return op.Method != http.MethodPost }

// A when function reports whether a quirk affects the nth GET of a resource after an operation has
// ended. d is the time since the end.
type when func(n int, d time.Duration) bool

func within(span time.Duration) when {
	return func(_ int, d time.Duration) bool { return d < span }
}

func everyOther(span time.Duration) when {
	return func(n int, d time.Duration) bool { return n%2 == 1 && d < span }
}

func reads(numbers ...int) when {
	return func(n int, _ time.Duration) bool { return slices.Contains(numbers, n) }
}

// outdated returns hooks that answer some GETs with the state that a resource had before its last
// operation, if that operation succeeded. The first parameter selects the operations, and the
// second selects the GETs.
func outdated(changed func(*engine.Operation) bool, old when) engine.Hooks {
	var now engine.Answer // what a GET would have returned just before the current request
	before := map[*engine.Operation]engine.Answer{}
	gets := tally[*engine.Operation]{}

	return engine.Hooks{
		Instead: func(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
			now = s.Read(q)
			return engine.Answer{}, false
		},
		Answer: func(s *engine.Service, q *engine.Request, a *engine.Answer) {
			if started(q) {
				before[q.Op] = now
			}

			op := lastSuccess(s, q.Path)
			if op == nil || !changed(op) || !readsAfterEnd(q, op) {
				return
			}
			if old(gets.next(op), time.Since(op.End)) {
				*a = before[op]
			}
		},
	}
}

// readsAfterEnd reports whether q reads the resource of op after op has ended. A poll qualifies
// only if it reports the end.
func readsAfterEnd(q *engine.Request, op *engine.Operation) bool {
	return q.Kind == engine.Read || readsResource(q) && op.Reported
}

func deleteReportedEarly() engine.Hooks {
	hooks := outdated(deletes, within(lag))
	showOld := hooks.Answer
	hooks.Plan = forceStyle(engine.Location, http.MethodDelete)
	hooks.Answer = func(s *engine.Service, q *engine.Request, a *engine.Answer) {
		showOld(s, q, a)
		op := lastSuccess(s, q.Path)
		if op != nil && deletes(op) && a.StatusCode == http.StatusOK {
			a.Edit(func(o engine.Object) { engine.SetProperty(o, "provisioningState", "Deleting") })
		}
	}
	return hooks
}

func forbiddenAfterCreate() engine.Hooks {
	gets := tally[*engine.Operation]{}

	return engine.Hooks{Answer: func(s *engine.Service, q *engine.Request, a *engine.Answer) {
		op := s.Latest[engine.Key(q.Path)]
		if op == nil || !creates(op) || !readsResource(q) {
			return
		}
		if gets.next(op) > 3 {
			return
		}
		*a = s.Dialect.Failure(q, http.StatusForbidden, engine.Error{
			Code:    "AuthorizationFailed",
			Message: "The client does not have authorization to read the resource '" + q.Path + "'.",
		})
	}}
}
