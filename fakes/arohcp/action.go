package arohcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

const (
	requestCredential = "requestAdminCredential"
	revokeCredentials = "revokeCredentials"
)

// isClusterAction reports whether path consists of a cluster's path and one of the two actions.
func isClusterAction(path string) bool {
	cluster, action := engine.Cut(path)
	collection, _ := engine.Cut(cluster)
	provider, _ := engine.Cut(collection)
	if !engine.IsScope(provider) {
		return false
	}
	return strings.EqualFold(action, requestCredential) || strings.EqualFold(action, revokeCredentials)
}

// beginAction answers a POST that requests or revokes credentials. A revocation cancels all
// credential requests in progress. Until the revocation ends, the response to either action is a
// 409 (wire-quirks.md, section B).
func (d dialect) beginAction(s *engine.Service, q *engine.Request) (engine.Answer, *engine.Operation) {
	path, action := engine.Cut(q.Path)
	cluster, _ := s.Visible(path)
	if cluster == nil {
		return d.NotFound(q, q.Path), nil
	}

	revokes := strings.EqualFold(action, revokeCredentials)
	messages := requestRefusal
	if revokes {
		messages = revokeRefusal
	}
	if word := unsettled(s, path); word != "" {
		return conflict(path, fmt.Sprintf(messages.whileBusy, word)), nil
	}
	revocation := s.Latest[engine.Key(path+"/"+revokeCredentials)]
	s.Settle(revocation)
	if revocation.Running() {
		a := conflict(path, messages.whileRevoking)
		a.Header.Set("Retry-After", "10")
		return a, nil
	}
	if a := checkSigningRequest(q); !revokes && a.StatusCode != 0 {
		return a, nil
	}

	op := s.Start(q)
	if revokes && !op.Refused() {
		supersede(s, path+"/"+requestCredential, op)
	}
	return d.First(s, q, op), op
}

// A refusal holds the messages with which the frontend refuses an action.
type refusal struct {
	whileBusy     string // %q is the cluster's state in lower case
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

// firstWithSigningRequest is the first API version that requires a certificate signing request in a
// credential request.
const firstWithSigningRequest = "2026-09-01-preview"

// checkSigningRequest returns a 400 if a credential request lacks a required certificate signing
// request, and otherwise the zero Answer. It does not parse the signing request.
func checkSigningRequest(q *engine.Request) engine.Answer {
	if versionOf(q) < firstWithSigningRequest {
		return engine.Answer{}
	}
	var body struct{ CertificateSigningRequest string }
	if err := json.Unmarshal(q.Body, &body); err != nil {
		return unreadable(err)
	}
	if body.CertificateSigningRequest != "" {
		return engine.Answer{}
	}
	return engine.Failure(http.StatusBadRequest, engine.Error{
		Code: "InvalidRequestContent", Message: "Required value", Target: "certificateSigningRequest",
	})
}
