package arohcp

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// A cluster has these actions.
const (
	requestCredential = "requestAdminCredential"
	revokeCredentials = "revokeCredentials"
)

// Begin answers a request that starts an operation.
func (d dialect) Begin(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	res, busy := s.Find(q.Path)
	if q.Method == http.MethodPost {
		return d.beginAction(s, q)
	}
	if a, refused := refuseChange(s, q, res, busy); refused {
		return a, nil
	}
	return d.ARM.Begin(s, q)
}

// refuseChange refuses a change to a resource that the contract would allow. res is the resource,
// and busy the operation in progress on it; each is nil if there is none. The frontend checks the
// state of the resource, then the body, then the state of the cluster that contains the resource. It
// allows the request while the cluster is Accepted, because a cluster is Accepted not only before it
// is Provisioning, but also before it is Updating.
func refuseChange(s *engine.Service, q *engine.Request, res *engine.Resource, busy *engine.Operation) (engine.Answer, bool) {
	verb := verbs[q.Method]
	if res == nil && q.Method == http.MethodPut {
		verb = "create"
	}
	if verb == "" { // a GET, which starts an operation because a plan says so
		return engine.Answer{}, false
	}
	if res == nil && verb != "create" { // the response is a 404 or, for a DELETE, a 204
		return engine.Answer{}, false
	}
	if busy != nil && !supersedes(q, busy) { // the response is a 409
		return engine.Answer{}, false
	}

	if q.Method == http.MethodPut && len(bytes.TrimSpace(q.Body)) == 0 {
		return engine.Failure(http.StatusBadRequest, engine.Error{
			Code:    "InvalidRequestContent",
			Message: `The request content was invalid and could not be deserialized: "unexpected end of JSON input"`,
		}), true
	}
	status := parentStatus(s, q.Path)
	if status == "provisioning" || status == "deleting" {
		return conflict(q.Path, fmt.Sprintf("Cannot %s resource while parent resource is %s", verb, status)), true
	}
	return engine.Answer{}, false
}

// verbs holds the words for a change in error messages, by method. A PUT that creates a resource has
// another word.
var verbs = map[string]string{
	http.MethodPut:    "update",
	http.MethodPatch:  "update",
	http.MethodDelete: "delete",
}

// supersedes reports whether q, a DELETE, cancels busy instead of being refused.
func supersedes(q *engine.Request, busy *engine.Operation) bool {
	return q.Method == http.MethodDelete && busy.Method != http.MethodDelete
}

// conflict returns a 409 that names the resource at path.
func conflict(path, message string) engine.Answer {
	return engine.Failure(http.StatusConflict, engine.Error{Code: "Conflict", Message: message, Target: path})
}

// parentStatus returns the provisioningState, in lower case, of the cluster that
// contains the resource at path. It returns "" if the resource is not in a
// cluster.
func parentStatus(s *engine.Service, path string) string {
	collection, _ := engine.Cut(path)
	parent, _ := engine.Cut(collection)
	cluster, op := s.Find(parent)
	if cluster == nil {
		return ""
	}
	return strings.ToLower(cluster.Status(op))
}

// beginAction answers a POST. Several requests for a credential may be in progress at the same time.
// A revocation cancels them. While the revocation is in progress, both actions are refused with a
// Retry-After (wire-quirks.md, section B). Each refusal names the cluster.
func (d dialect) beginAction(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	path, action := engine.Cut(q.Path)
	cluster, busy := s.Visible(path)
	revocation := s.Latest[engine.Key(path+"/"+revokeCredentials)]
	s.Settle(revocation)
	if cluster == nil {
		return d.NotFound(q, path), nil
	}

	revokes := strings.EqualFold(action, revokeCredentials)
	messages := requestRefusal
	if revokes {
		messages = revokeRefusal
	}
	if busy != nil {
		return conflict(path, fmt.Sprintf(messages.whileBusy, strings.ToLower(busy.Status()))), nil
	}
	if revocation.Running() {
		a := conflict(path, messages.whileRevoking)
		a.Header.Set("Retry-After", "10")
		return a, nil
	}

	op := s.Start(q)
	if revokes && !op.Refused() {
		cancelRequests(s, path)
	}
	return d.First(s, q, op), op
}

// A refusal holds the messages with which the frontend refuses an action.
type refusal struct {
	whileBusy     string // %q is the status of the cluster
	whileRevoking string
}

var (
	requestRefusal = refusal{
		whileBusy:     "Cannot request credential while resource is %q",
		whileRevoking: "Cannot request credential while credentials are being revoked",
	}
	revokeRefusal = refusal{
		whileBusy:     "Cannot revoke credentials while resource is %q",
		whileRevoking: "Credentials are already being revoked",
	}
)

// cancelRequests cancels the running credential requests for the cluster at path, oldest first.
func cancelRequests(s *engine.Service, path string) {
	for _, id := range slices.Sorted(maps.Keys(s.Operations)) {
		op := s.Operations[id]
		if engine.Key(op.Target) != engine.Key(path+"/"+requestCredential) {
			continue
		}
		s.Settle(op)
		if op.Running() {
			s.End(op, engine.Canceled, engine.Superseded, time.Now())
		}
	}
}
