package arohcp

import (
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// accepted is the first status of most operations. An operation keeps it for at most
// backendInterval, the interval at which the backend processes all operations.
const (
	accepted        = "Accepted"
	backendInterval = 10 * time.Second
)

// words returns the in-progress statuses of the operation that q starts (wire-quirks.md, section B,
// "States"), or nil if the frontend uses the contract's statuses.
func words(q *engine.Request) []string {
	path := engine.Key(q.Path)
	switch q.Method {
	case http.MethodPut:
		if !q.Creates {
			return []string{accepted, "Updating"}
		}
		if strings.HasSuffix(engine.TypeOf(path), "/externalauths") {
			return []string{accepted, "AwaitingSecret"} // the operation waits until the user supplies a secret
		}
	case http.MethodPost:
		if strings.HasSuffix(path, engine.Key(revokeCredentials)) {
			return []string{accepted, "Deleting"}
		}
		return []string{accepted, "Provisioning"}
	}
	return nil
}

// state returns the provisioningState of res. op is the operation in progress on res, or nil. While
// a cluster is being deleted, the resources in it are Deleting (design document, "Delete an HCP
// OpenShift Cluster and Node Pool").
func state(s *engine.Service, res *engine.Resource, op *engine.Operation) string {
	deletion := s.Latest[engine.Key(parentOf(res.Path))]
	if deletion.Running() && deletion.Method == http.MethodDelete {
		return "Deleting"
	}
	if op != nil {
		return op.Status()
	}
	return res.State
}

// parentOf returns the path of the parent of the resource at path, or "" if the parent is a scope
// such as a resource group.
func parentOf(path string) string {
	collection, _ := engine.Cut(path)
	parent, _ := engine.Cut(collection)
	if engine.IsScope(parent) {
		return ""
	}
	return parent
}

// unsettled returns, in lower case, the provisioningState of the resource at path. It returns "" if
// the resource does not exist or its state is terminal.
func unsettled(s *engine.Service, path string) string {
	res, op := s.Find(path)
	if res == nil {
		return ""
	}
	word := strings.ToLower(state(s, res, op))
	if op == nil && !nonTerminal[word] {
		return ""
	}
	return word
}

// nonTerminal lists, in lower case, the provisioningStates that are not terminal (wire-quirks.md,
// section B, "States").
var nonTerminal = map[string]bool{"accepted": true, "deleting": true, "provisioning": true, "updating": true, "awaitingsecret": true}

// Show returns the response body for a GET of res. It adds systemData if a test stored the resource
// without any.
func (d dialect) Show(s *engine.Service, res *engine.Resource, op *engine.Operation, base string) []byte {
	shown := *res
	shown.State = state(s, res, op)
	body := res.Object()
	body["systemData"] = systemDataOf(body)
	shown.Body = engine.Encode(body)
	return d.ARM.Show(s, &shown, nil, base)
}

// Look returns an operation's status document or result.
func (d dialect) Look(s *engine.Service, q *engine.Request) engine.Answer {
	op := q.Op
	switch q.View {
	case engine.StatusURL:
		doc := op.StatusDocument()
		doc.Properties = nil
		return engine.JSON(http.StatusOK, engine.Encode(doc))
	case engine.ResultURL:
		if op.Running() {
			return engine.Answer{StatusCode: http.StatusAccepted, Header: http.Header{"Location": {q.Link(op.Paths()[engine.ResultURL])}}}
		}
		if !op.Succeeded() {
			return internalError()
		}
	}
	return d.ARM.Look(s, q)
}
