package checker

import (
	"net/http"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/ibm"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// The names of the probes, as in rule.Rule.Probe.
const (
	conflict          = "conflict"           // a PUT of a resource while another PUT is in progress
	unknownOperation  = "unknown-operation"  // a read of the status of a nonexistent operation
	provisioningState = "provisioning-state" // a PUT that sets provisioningState to Failed
	malformedBody     = "malformed-body"     // a PUT whose body is not JSON
)

// A protocol interprets responses according to one specification. The implementations document the
// methods.
type protocol interface {
	Resource(method, target string) string
	Watches(op *trace.Operation) []trace.Watch
	Next(x *trace.Exchange, w trace.Watch) string
	State(op *trace.Operation, x *trace.Exchange) trace.State
}

// A spec defines how to check a service against a specification.
type spec struct {
	protocol
	postCreates   bool   // whether a POST may create a resource
	repeatsDelete bool   // whether to send a second DELETE; true if the specification defines its response
	cancelMethod  string // the method of a cancel request; "" if the specification defines none
	cancelSuffix  string // appended to the path of the status URL to form the URL of a cancel request

	// The names of the probes to send during a PUT, after a successful PUT, and after any
	// operation.
	probesDuring, probesAfterPut, probesAfter []string
}

// probes returns, on one line, the names of the invalid requests to send during and after an
// operation with the given method.
func (s spec) probes(method string) string {
	names := s.probesAfter
	if method == http.MethodPut {
		names = slices.Concat(names, s.probesDuring, s.probesAfterPut)
	}
	return strings.Join(names, ", ")
}

// specs maps the name of each specification to its spec.
var specs = map[string]spec{
	rules.ARM: {
		protocol: arm.Protocol{}, repeatsDelete: true, cancelMethod: http.MethodPost, cancelSuffix: "/cancel",
		probesDuring: []string{conflict}, probesAfterPut: []string{provisioningState, malformedBody}, probesAfter: []string{unknownOperation},
	},
	rules.IBMOperation: {protocol: ibm.Operation{}, postCreates: true, cancelMethod: http.MethodDelete, probesAfter: []string{unknownOperation}},
	rules.IBMResource:  {protocol: ibm.Resource{}, postCreates: true},
}
