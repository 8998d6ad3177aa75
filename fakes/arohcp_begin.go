package fakes

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The actions of a cluster.
const (
	requestCredential = "requestAdminCredential"
	revokeCredentials = "revokeCredentials"
)

// begin answers a request that starts an operation. The frontend checks the state
// of the resource, then the body, then the state of the cluster that it is in.
// There Accepted does not count, because it also precedes Updating.
func (d arohcp) begin(s *Service, q *question) (Answer, *operation) {
	res, busy := s.find(q.path)
	verb := map[string]string{http.MethodPut: "update", http.MethodPatch: "update", http.MethodDelete: "delete"}[q.method]
	if res == nil && q.method == http.MethodPut {
		verb = "create"
	}
	switch {
	case q.method == http.MethodPost:
		return d.act(s, q)
	case verb == "": // a GET, where a plan says so
	case res == nil && verb != "create": // 404 or 204
	case busy != nil && (verb != "delete" || busy.method == http.MethodDelete): // 409
	case q.method == http.MethodPut && len(bytes.TrimSpace(q.body)) == 0:
		return failure(http.StatusBadRequest, Error{
			Code:    "InvalidRequestContent",
			Message: `The request content was invalid and could not be deserialized: "unexpected end of JSON input"`,
		}), nil
	default:
		if word := s.parentWord(q.path); word == "provisioning" || word == "deleting" {
			message := fmt.Sprintf("Cannot %s resource while parent resource is %s", verb, word)
			return failure(http.StatusConflict, Error{Code: "Conflict", Message: message, Target: q.path}), nil
		}
	}
	return d.arm.begin(s, q)
}

// parentWord is the provisioningState, in lower case, of the cluster that has the
// resource at path, such as a node pool. It is empty for any other resource.
func (s *Service) parentWord(path string) string {
	collection, _ := cut(path)
	parent, _ := cut(collection)
	cluster, op := s.find(parent)
	if cluster == nil {
		return ""
	}
	return strings.ToLower(cluster.word(op))
}

// act answers a POST. Requests for a credential may run at the same time. A
// revocation cancels them, and while it runs both actions are refused with a
// Retry-After (wire-quirks.md, section B). Each refusal names the cluster.
func (d arohcp) act(s *Service, q *question) (Answer, *operation) {
	path, action := cut(q.path)
	revokes := strings.EqualFold(action, revokeCredentials)
	cluster, busy := s.visible(path)
	revocation := s.latest[key(path+"/"+revokeCredentials)]
	s.settle(revocation)
	refusal := Error{Code: "Conflict", Target: path}
	switch {
	case cluster == nil:
		return d.notFound(q, path), nil
	case busy != nil && revokes:
		refusal.Message = fmt.Sprintf("Cannot revoke credentials while resource is %q", strings.ToLower(busy.status()))
	case busy != nil:
		refusal.Message = fmt.Sprintf("Cannot request credential while resource is %q", strings.ToLower(busy.status()))
	case revocation.running() && revokes:
		refusal.Message = "Credentials are already being revoked"
	case revocation.running():
		refusal.Message = "Cannot request credential while credentials are being revoked"
	}
	if refusal.Message != "" {
		a := failure(http.StatusConflict, refusal)
		if busy == nil {
			a.Header.Set("Retry-After", "10")
		}
		return a, nil
	}
	op := s.start(q)
	if revokes && !op.refused() {
		s.cancelRequests(path)
	}
	return d.first(s, q, op), op
}

// cancelRequests cancels the requests for a credential of the cluster at path,
// the oldest first.
func (s *Service) cancelRequests(path string) {
	for _, id := range slices.Sorted(maps.Keys(s.operations)) {
		op := s.operations[id]
		if key(op.target) != key(path+"/"+requestCredential) {
			continue
		}
		if s.settle(op); op.running() {
			s.end(op, Canceled, superseded, time.Now())
		}
	}
}
