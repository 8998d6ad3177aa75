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

// Begin answers a request that starts an operation. The frontend checks the state of the resource,
// then the body, then the state of the cluster that contains the resource. It allows the request
// while the cluster is Accepted, because a cluster is Accepted not only before it is Provisioning,
// but also before it is Updating.
func (d dialect) Begin(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	res, busy := s.Find(q.Path)
	verb := map[string]string{http.MethodPut: "update", http.MethodPatch: "update", http.MethodDelete: "delete"}[q.Method]
	if res == nil && q.Method == http.MethodPut {
		verb = "create"
	}
	switch {
	case q.Method == http.MethodPost:
		return d.act(s, q)
	case verb == "": // a GET, which starts an operation because a plan says so
	case res == nil && verb != "create": // the response is a 404 or, for a DELETE, a 204
	case busy != nil && (verb != "delete" || busy.Method == http.MethodDelete): // the response is a 409
	case q.Method == http.MethodPut && len(bytes.TrimSpace(q.Body)) == 0:
		return engine.Failure(http.StatusBadRequest, engine.Error{
			Code:    "InvalidRequestContent",
			Message: `The request content was invalid and could not be deserialized: "unexpected end of JSON input"`,
		}), nil
	default:
		if word := parentWord(s, q.Path); word == "provisioning" || word == "deleting" {
			message := fmt.Sprintf("Cannot %s resource while parent resource is %s", verb, word)
			return engine.Failure(http.StatusConflict, engine.Error{Code: "Conflict", Message: message, Target: q.Path}), nil
		}
	}
	return d.ARM.Begin(s, q)
}

// parentWord returns the provisioningState, in lower case, of the cluster that
// contains the resource at path. It returns "" if the resource is not in a
// cluster.
func parentWord(s *engine.Service, path string) string {
	collection, _ := engine.Cut(path)
	parent, _ := engine.Cut(collection)
	cluster, op := s.Find(parent)
	if cluster == nil {
		return ""
	}
	return strings.ToLower(cluster.Status(op))
}

// act answers a POST. Several requests for a credential may be in progress at the same time. A
// revocation cancels them. While the revocation is in progress, both actions are refused with a
// Retry-After (wire-quirks.md, section B). Each refusal names the cluster.
func (d dialect) act(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	path, action := engine.Cut(q.Path)
	revokes := strings.EqualFold(action, revokeCredentials)
	cluster, busy := s.Visible(path)
	revocation := s.Latest[engine.Key(path+"/"+revokeCredentials)]
	s.Settle(revocation)
	refusal := engine.Error{Code: "Conflict", Target: path}
	switch {
	case cluster == nil:
		return d.NotFound(q, path), nil
	case busy != nil && revokes:
		refusal.Message = fmt.Sprintf("Cannot revoke credentials while resource is %q", strings.ToLower(busy.Status()))
	case busy != nil:
		refusal.Message = fmt.Sprintf("Cannot request credential while resource is %q", strings.ToLower(busy.Status()))
	case revocation.Running() && revokes:
		refusal.Message = "Credentials are already being revoked"
	case revocation.Running():
		refusal.Message = "Cannot request credential while credentials are being revoked"
	}
	if refusal.Message != "" {
		a := engine.Failure(http.StatusConflict, refusal)
		if busy == nil {
			a.Header.Set("Retry-After", "10")
		}
		return a, nil
	}
	op := s.Start(q)
	if revokes && !op.Refused() {
		cancelRequests(s, path)
	}
	return d.First(s, q, op), op
}

// cancelRequests cancels the running credential requests for the cluster at path, oldest first.
func cancelRequests(s *engine.Service, path string) {
	for _, id := range slices.Sorted(maps.Keys(s.Operations)) {
		op := s.Operations[id]
		if engine.Key(op.Target) != engine.Key(path+"/"+requestCredential) {
			continue
		}
		if s.Settle(op); op.Running() {
			s.End(op, engine.Canceled, engine.Superseded, time.Now())
		}
	}
}
