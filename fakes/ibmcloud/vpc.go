package ibmcloud

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/internal/engine"
)

// NewVPC returns a service without resources that behaves like the VPC API: each resource reports
// its own status, in VPC's words. Once created, an instance is running, a load balancer is active,
// and a share, VPN server, snapshot, placement group, backup policy or reservation is stable. Any
// other resource, such as a volume or a subnet, is available. A DELETE returns 204 long before the
// resource is gone, and the resource is readable until then. An instance has the actions start,
// stop and reboot:
//
//	POST /v1/instances/{id}/actions  {"type": "stop"}
//
// The pages of a listing have VPC's format. The Style, Words and EndWord of a [fakes.Plan] take
// precedence over VPC's. The service does not require the query parameters version and generation.
func NewVPC() *fakes.Service { return newService(dialect{vpc: true}) }

// vpcInstances is the VPC collection whose resources can be started and stopped.
const vpcInstances = "instances"

// vpcStyles maps each VPC collection that does not use ResourceStatus to its style.
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

// vpcStyle returns the style of a VPC operation on path.
func vpcStyle(path string) fakes.Style {
	style, ok := vpcStyles[collection(path)]
	if !ok {
		return ResourceStatus
	}
	return style
}

// An action holds the status that an instance has during the action, and the status afterward.
type action struct{ word, end string }

var vpcActions = map[string]action{
	"start":  {"starting", "running"},
	"stop":   {"stopping", "stopped"},
	"reboot": {"restarting", "running"},
}

// planVPC fills in missing Words and EndWord, but only if the plan's Style is ResourceStatus.
func planVPC(p engine.Plan, q *engine.Request) engine.Plan {
	if p.Style != ResourceStatus {
		return p
	}
	words, end := []string{"pending"}, "available"
	if collection(q.Target) == vpcInstances {
		words, end = wordings[ResourceStatus].words[changeKind(q)], "running"
	}
	if did, ok := vpcAction(q); ok {
		words, end = []string{did.word}, did.end
	}
	if changeKind(q) == deleting {
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

// vpcAction returns the action that q requests, and reports whether there is one.
func vpcAction(q *engine.Request) (action, bool) {
	if q.Method != http.MethodPost || changeKind(q) != acting {
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
