package arohcp

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// A change is a PUT, PATCH or DELETE that the frontend checks.
type change struct {
	s    *engine.Service
	q    *engine.Request
	res  *engine.Resource // nil if the resource does not exist
	verb string           // the verb in error messages: create, update or delete
}

// beginChange answers a PUT, PATCH or DELETE. A nil res means that the resource does not exist.
func (d dialect) beginChange(s *engine.Service, q *engine.Request, res *engine.Resource) (engine.Answer, *engine.Operation) {
	c := change{s, q, res, verbs[q.Method]}
	if res == nil && q.Method == http.MethodPut {
		c.verb = "create"
	}
	for _, check := range changeChecks {
		if a := check(c); a.StatusCode != 0 {
			return a, nil
		}
	}

	if q.Method == http.MethodDelete {
		a, op := d.ARM.Begin(s, q)
		supersede(s, q.Path, op)
		return a, op
	}
	undo := store(q, res)
	a, op := d.ARM.Begin(s, q)
	if op == nil || op.Refused() {
		undo()
	}
	return a, op
}

// verbs maps a method to its verb in error messages. For a PUT that creates a resource, the verb is
// "create" instead.
var verbs = map[string]string{
	http.MethodPut:    "update",
	http.MethodPatch:  "update",
	http.MethodDelete: "delete",
}

// changeChecks lists the frontend's checks of a change, in the frontend's order. A check that
// passes returns an Answer without a status code.
var changeChecks = []func(change) engine.Answer{
	change.checkExists, change.checkState, change.checkBody, change.checkParent, change.checkLastPool,
}

// checkExists answers a PATCH with 404 and a DELETE with 204 if the resource does not exist.
func (c change) checkExists() engine.Answer {
	if c.res != nil || c.verb == "create" {
		return engine.Answer{}
	}
	if c.verb == "delete" {
		return engine.Answer{StatusCode: http.StatusNoContent}
	}
	return dialect{}.NotFound(c.q, c.q.Path)
}

// checkState refuses a change to a resource whose state is not terminal. It refuses a DELETE only
// if the resource is Deleting.
func (c change) checkState() engine.Answer {
	word := unsettled(c.s, c.q.Path)
	if word == "" || c.verb == "delete" && word != "deleting" {
		return engine.Answer{}
	}
	return conflict(c.q.Path, busyMessage(c.q.Method, word))
}

// busyMessage returns the message of the 409 for a resource whose state is not terminal. The word
// is the state in lower case.
func busyMessage(method, word string) string {
	if method == http.MethodDelete {
		return "Resource is already deleting"
	}
	return fmt.Sprintf("Cannot update resource while resource is %q", word)
}

// checkBody refuses a change if the frontend cannot decode the body. For some bodies, it returns
// the 500 that a bug in the frontend causes.
func (c change) checkBody() engine.Answer {
	refuse := badBodies[c.q.Method+" "+string(bytes.TrimSpace(c.q.Body))]
	if refuse == nil {
		return engine.Answer{}
	}
	return refuse()
}

// badBodies holds the responses to bodies that are not resources. Each key is a method, a space and
// the body.
var badBodies = map[string]func() engine.Answer{
	"PUT ":     func() engine.Answer { return unreadable(errors.New("unexpected end of JSON input")) },
	"PUT null": internalError,
	"PATCH ":   internalError,
}

// checkParent refuses a change if the resource's cluster is Provisioning or Deleting. If the
// cluster is missing, it allows only a DELETE. It allows a change while the cluster is Accepted,
// because an update also starts in this state, and the frontend allows changes to the resources of
// a cluster during its update.
func (c change) checkParent() engine.Answer {
	parent := parentOf(c.q.Path)
	if parent == "" {
		return engine.Answer{}
	}
	if cluster, _ := c.s.Find(parent); cluster == nil && c.verb != "delete" {
		return dialect{}.NotFound(c.q, parent)
	}
	word := unsettled(c.s, parent)
	if word != "provisioning" && word != "deleting" {
		return engine.Answer{}
	}
	return conflict(c.q.Path, fmt.Sprintf("Cannot %s resource while parent resource is %s", c.verb, word))
}

// checkLastPool refuses to delete a cluster's last node pool.
func (c change) checkLastPool() engine.Answer {
	self := engine.Key(c.q.Path)
	pools, _ := engine.Cut(self)
	if c.verb != "delete" || !strings.HasSuffix(pools, "/nodepools") {
		return engine.Answer{}
	}
	for path := range c.s.Resources {
		collection, _ := engine.Cut(path)
		if collection != pools || path == self {
			continue
		}
		if other, _ := c.s.Find(path); other != nil {
			return engine.Answer{}
		}
	}
	return engine.Failure(http.StatusBadRequest, engine.Error{
		Code:    "InvalidRequestContent",
		Message: "Forbidden: The last node pool can not be deleted from a cluster.",
		Target:  "name",
	})
}
