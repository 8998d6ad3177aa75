package quirks

import (
	"net/http"
	"slices"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks that affect a DELETE.
const (
	// GoneBeforeEnd makes a resource return 404 while its DELETE is still in progress. The Location
	// reports success with 200 and no body, as in API Management. A client that treats the 404 as
	// the end continues too early, and the service rejects its next PUT.
	GoneBeforeEnd Quirk = "W3"

	// DeleteEndsIn404 reports the success of a DELETE with a 404 ResourceNotFound at Location, as
	// happens with Event Hubs and Service Bus namespaces. A client that follows the contract
	// reports a failure.
	DeleteEndsIn404 Quirk = "W16"

	// DeleteSometimesEndsIn404 reports the success of every other DELETE, starting with the first,
	// with a 404 at any URL of the operation, as in Managed HSM. A client that always expects a
	// 404, or never expects one, fails on some DELETEs.
	DeleteSometimesEndsIn404 Quirk = "W17/delete"

	// DeleteFailsLater accepts a DELETE with 202, but the deletion eventually fails and the
	// resource remains, as happens with the AD administrator of a flexible PostgreSQL server. A
	// client that treats the 202 as success misses the failure.
	DeleteFailsLater Quirk = "W24"

	// ChildGoneBeforeEnd makes a resource return 404 before its deletion has ended. Until the end,
	// the service rejects a DELETE of the parent with 409 CannotDeleteResource, as happens with
	// ServiceNetworking frontends. A client that waits only for the 404 tries to delete the parent
	// too early.
	ChildGoneBeforeEnd Quirk = "W25"

	// DeleteEndsIn204 reports the success of a DELETE with 204 instead of a status document, as
	// Microsoft.Storage and Microsoft.Quota do. A client that requires a status document reports a
	// failure.
	DeleteEndsIn204 Quirk = "W46"

	// LocationWithoutBody answers a DELETE with 202 and only a Location, as happens with a resource
	// group. The Location returns 202 without a body and, at the end, 200 without a body. A client
	// that looks for a status in the body finds none.
	LocationWithoutBody Quirk = "W50"
)

var deleteQuirks = []entry{
	{GoneBeforeEnd, "DELETE: the resource returns 404 before the end, and Location reports the end with an empty 200", always(engine.Hooks{Answer: join(goneBeforeEnd, endsIn200)})},
	{DeleteEndsIn404, "DELETE: Location reports the end with 404", always(engine.Hooks{Plan: forceStyle(engine.Location, http.MethodDelete), Answer: deleteEndsIn404})},
	{DeleteSometimesEndsIn404, "DELETE: the URLs of the operation sometimes report the end with 404", deleteSometimesEndsIn404},
	{DeleteFailsLater, "DELETE is accepted and fails in the end", always(engine.Hooks{Plan: deleteFails})},
	{ChildGoneBeforeEnd, "DELETE: the resource returns 404 before the end, and until then the service refuses to delete its parent", always(engine.Hooks{Instead: childGoneBeforeEnd})},
	{DeleteEndsIn204, "DELETE: the status URL reports the end with 204", always(engine.Hooks{Plan: deleteByStatus, Answer: deleteEndsIn204})},
	{LocationWithoutBody, "DELETE: Location returns 202 without a body, then an empty 200", always(engine.Hooks{Plan: preferStyle(engine.Location, http.MethodDelete), Answer: endsIn200})},
}

func goneBeforeEnd(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Kind != engine.Read {
		return
	}
	op := s.Latest[engine.Key(q.Path)]
	if op.Running() && deletes(op) {
		*a = s.Dialect.NotFound(q, q.Path)
	}
}

// endsIn200 makes the Location of a DELETE report success with an empty 200 instead of a 204.
func endsIn200(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if !polls(q, http.MethodDelete) || q.View != engine.ResultURL {
		return
	}
	if a.StatusCode == http.StatusNoContent {
		a.StatusCode = http.StatusOK
	}
}

// reportsDeleted reports whether q is a poll whose response shows that a DELETE has succeeded.
func reportsDeleted(q *engine.Request) bool {
	return reportsEnd(q, engine.Succeeded) && deletes(q.Op)
}

func deleteEndsIn404(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if reportsDeleted(q) {
		*a = s.Dialect.NotFound(q, q.Op.Target)
	}
}

func deleteSometimesEndsIn404() engine.Hooks {
	missing := map[*engine.Operation]bool{} // whether the operation ends with a 404

	return engine.Hooks{Answer: func(s *engine.Service, q *engine.Request, a *engine.Answer) {
		if !reportsDeleted(q) {
			return
		}
		if _, known := missing[q.Op]; !known {
			missing[q.Op] = len(missing)%2 == 0
		}
		if missing[q.Op] {
			*a = s.Dialect.NotFound(q, q.Op.Target)
		}
	}}
}

func deleteFails(q *engine.Request, p *engine.Plan) {
	if q.Method == http.MethodDelete && p.Style != engine.Synchronous {
		p.Ending = engine.Failed
	}
}

// childGoneBeforeEnd hides a resource that is being deleted, and refuses to delete its parent until
// the deletion has ended.
func childGoneBeforeEnd(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	itself := false // whether the resource that q requests is being deleted
	var children []string
	for _, path := range beingDeleted(s, q.Path) {
		if engine.Key(path) == engine.Key(q.Path) {
			itself = true
			continue
		}
		children = append(children, "'"+path+"'")
	}

	if itself && q.Kind == engine.Read {
		return s.Dialect.NotFound(q, q.Path), true
	}
	if len(children) == 0 || !q.Is(engine.Begin, http.MethodDelete) {
		return engine.Answer{}, false
	}

	slices.Sort(children)
	return s.Dialect.Failure(q, http.StatusConflict, engine.Error{
		Code: "CannotDeleteResource",
		Message: "Cannot delete resource while nested resources exist. Some existing nested resource IDs include: " +
			strings.Join(children, ", ") + ".",
	}), true
}

// beingDeleted returns the paths of the resources at or below root that are being deleted.
func beingDeleted(s *engine.Service, root string) []string {
	var paths []string
	for _, op := range s.Latest {
		s.Settle(op)
		if op.Running() && deletes(op) && engine.Under(op.Target, root) {
			paths = append(paths, op.Target)
		}
	}
	return paths
}

// deleteByStatus makes a DELETE report its status in a status document, unless the operation is
// synchronous.
func deleteByStatus(q *engine.Request, p *engine.Plan) {
	const suitable = engine.AzureAsyncOperation | engine.OperationLocation | engine.Synchronous
	if q.Method == http.MethodDelete && !p.Style.Has(suitable) {
		p.Style = engine.AzureAsyncOperation
	}
}

func deleteEndsIn204(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if reportsDeleted(q) {
		*a = engine.Answer{StatusCode: http.StatusNoContent}
	}
}
