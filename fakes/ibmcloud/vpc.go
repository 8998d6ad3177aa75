package ibmcloud

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/internal/engine"
)

// NewVPC returns a service without resources that behaves like the VPC API. In contrast to [New], a
// resource reports its own status, with VPC's words: a creation of an instance ends as running, of a
// load balancer as active, of a share as stable, and of a volume, a subnet or another resource as
// available. A DELETE returns 204 long before the resource is gone, and until then the resource is
// readable. An instance has the actions start, stop and reboot:
//
//	POST /v1/instances/{id}/actions  {"type": "stop"}
//
// A listing has VPC's pages. The Style, Words and EndWord of a [fakes.Plan] take precedence. The
// service accepts requests without the query parameters version and generation.
func NewVPC() *fakes.Service { return newService(dialect{vpc: true}) }

// vpcInstances is the collection of VPC whose resources run.
const vpcInstances = "instances"

// vpcStyles maps the collections of VPC that do not report a status in the member status.
var vpcStyles = map[string]fakes.Style{
	"load_balancers":   ProvisioningStatus,
	"shares":           LifecycleState,
	"vpn_servers":      LifecycleState,
	"snapshots":        LifecycleState,
	"placement_groups": LifecycleState,
	"backup_policies":  LifecycleState,
	"reservations":     LifecycleState,
}

// collection returns the first segment of path after the version, such as "instances".
func collection(path string) string {
	rest := strings.Trim(strings.TrimPrefix(path, prefix(path)), "/")
	first, _, _ := strings.Cut(rest, "/")
	return strings.ToLower(first)
}

// vpcStyle returns the style of an operation of VPC on path.
func vpcStyle(path string) fakes.Style {
	style, ok := vpcStyles[collection(path)]
	if !ok {
		return ResourceStatus
	}
	return style
}

// An action is what a POST does to an instance, and how the status of the instance shows that.
type action struct{ word, end string }

var vpcActions = map[string]action{
	"start":  {"starting", "running"},
	"stop":   {"stopping", "stopped"},
	"reboot": {"restarting", "running"},
}

// planVPC sets the words of an operation whose status is in the member status.
func planVPC(p engine.Plan, q *engine.Request) engine.Plan {
	if p.Style != ResourceStatus {
		return p
	}
	words, end := []string{"pending"}, "available"
	if collection(q.Target) == vpcInstances {
		words, end = wordings[ResourceStatus].words[doing(q)], "running"
	}
	if did, ok := vpcAction(q); ok {
		words, end = []string{did.word}, did.end
	}
	if doing(q) == deleting {
		words = wordings[ResourceStatus].words[deleting]
	}
	if len(p.Words) == 0 {
		p.Words = words
	}
	if p.EndWord == "" && p.Ending != engine.Failed && p.Ending != engine.Canceled {
		p.EndWord = end
	}
	return p
}

// vpcAction returns the action that q asks for, if it is one.
func vpcAction(q *engine.Request) (action, bool) {
	if q.Method != http.MethodPost || doing(q) != acting {
		return action{}, false
	}
	var body struct{ Type string }
	err := json.Unmarshal(q.Body, &body)
	if err != nil {
		return action{}, false
	}
	did, ok := vpcActions[body.Type]
	return did, ok
}
