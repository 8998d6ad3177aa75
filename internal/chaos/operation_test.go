package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
	fakeibm "github.com/lro-go/lro/fakes/ibmcloud"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
)

// An operation describes one of a test's long-running operations. The seed and the operation's
// index determine all its fields.
type operation struct {
	index    int
	name     string // the correlation ID, which the client sends with each of the operation's requests
	family   family
	way      string // how the service reports the status, for messages
	verb     string
	resource string
	path     string // the path and query of the request that starts the operation
	body     string
	plan     fakes.Plan
	strategy poller.Strategy
	exists   bool // whether the resource exists before the operation starts

	// repeatable is set if a repeated request gets the same answer as the first one. Otherwise, a
	// repeated request may start a second operation.
	repeatable bool

	want outcome
}

// A family is a kind of service.
type family string

const (
	arm   family = "ARM"
	hcp   family = "ARO-HCP"
	cloud family = "IBM Cloud"
)

// An outcome is what the client reports, or must report, about an operation.
type outcome struct {
	State   string // a poller.State, "Refused", or "lost: " and the error
	Code    string // the error code; "" if the operation succeeded or its error has no code
	Content string // the content of the operation's result, if any
}

const refused = "Refused"

// A shape is a way to report the status of an operation, together with the verbs that can start
// such operations.
type shape struct {
	family   family
	way      string
	verbs    string
	style    fakes.Style
	strategy poller.Strategy
	endings  []fakes.Ending // the endings that the protocol can express
}

var (
	everything = []fakes.Ending{fakes.Succeeded, fakes.Succeeded, fakes.Succeeded, fakes.Failed, fakes.Canceled}
	noCanceled = []fakes.Ending{fakes.Succeeded, fakes.Succeeded, fakes.Failed} // for protocols that report a canceled operation as failed
	noFailure  = []fakes.Ending{fakes.Succeeded}                                // for a protocol that reports a failed deletion as still in progress
)

// shapes lists all shapes, which are equally likely.
var shapes = []shape{
	{arm, "Azure-AsyncOperation", "PUT PATCH DELETE POST", fakes.AzureAsyncOperation, nil, everything},
	{arm, "Azure-AsyncOperation and Location", "PUT PATCH DELETE POST", fakes.AzureAsyncOperation | fakes.Location, nil, everything},
	{arm, "Operation-Location", "PUT PATCH DELETE POST", fakes.OperationLocation, nil, everything},
	{arm, "Location", "PUT PATCH DELETE POST", fakes.Location, nil, noCanceled},
	{arm, "provisioningState", "PUT PATCH", fakes.ProvisioningState, nil, everything},
	{arm, "synchronous", "PUT PATCH DELETE POST", fakes.Synchronous, nil, noCanceled},
	{hcp, "ARO-HCP", "PUT PATCH DELETE POST", 0, nil, everything},
	{cloud, "IBM operation", "PUT PATCH DELETE POST", fakes.Location | fakeibm.ContentLocation, ibmcloud.Operation{}, everything},
	{cloud, "IBM operation by href", "PUT PATCH DELETE POST", fakeibm.Href, ibmcloud.Operation{}, everything},
	{cloud, "IBM status", "PUT PATCH", fakeibm.ResourceStatus, ibmcloud.VPC(), noCanceled},
	{cloud, "IBM status of a deletion", "DELETE", fakeibm.ResourceStatus, ibmcloud.VPC(), noFailure},
	{cloud, "IBM lifecycle_state", "PUT PATCH", fakeibm.LifecycleState, ibmcloud.VPCLifecycle(), noCanceled},
	{cloud, "IBM last_operation", "PUT PATCH", fakeibm.LastOperation, ibmcloud.ResourceController(), noCanceled},
}

// draw returns the operation with the given index. The result depends only on the arguments.
func draw(seed uint64, index int) *operation {
	r := rand.New(rand.NewPCG(seed, uint64(index)))
	s := shapes[r.IntN(len(shapes))]
	op := &operation{
		index:      index,
		name:       fmt.Sprintf("operation-%d-%04d", seed, index),
		family:     s.family,
		way:        s.way,
		verb:       pick(r, strings.Fields(s.verbs)),
		strategy:   s.strategy,
		repeatable: r.IntN(2) == 0,
	}
	op.place(r, s)
	op.decide(r, s)
	return op
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// place chooses the operation's resource, whether it exists, and the path of the operation's first
// request.
func (op *operation) place(r *rand.Rand, s shape) {
	op.exists = op.verb != http.MethodPut || r.IntN(3) == 0
	switch {
	case op.family == hcp:
		op.resource = fmt.Sprintf("/subscriptions/s%d/resourceGroups/g/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/c%d", op.index%50, op.index)
	case op.family == arm:
		op.resource = fmt.Sprintf("/subscriptions/s%d/resourceGroups/g/providers/Microsoft.Chaos/things/t%d", op.index%50, op.index)
	case s.style == fakeibm.LastOperation:
		op.resource = fmt.Sprintf("/v2/resource_instances/i%d", op.index)
	default:
		op.resource = fmt.Sprintf("/v1/things/t%d", op.index)
	}
	op.path = op.resource
	switch {
	case op.verb == http.MethodPost && op.family == hcp:
		op.path += "/revokeCredentials"
	case op.verb == http.MethodPost:
		op.path += "/act"
	}
	if op.family == hcp {
		op.path += "?api-version=2024-06-10-preview&signature=x"
	}
}

// decide chooses how the operation runs and ends, and derives the outcome that the client must
// report.
func (op *operation) decide(r *rand.Rand, s shape) {
	ending := pick(r, s.endings)
	content := fmt.Sprintf("content of %s, %x", op.name, r.Uint64())
	op.plan = fakes.Plan{
		Path:        op.resource,
		Style:       s.style,
		Ending:      ending,
		Error:       fakes.Error{Code: fmt.Sprintf("Chaos%d", op.index), Message: "As it was decided."},
		FailureCode: pick(r, []int{http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity}),
		Result:      map[string]string{"content": content},
		Percent:     r.IntN(2) == 0,
		RetryAfter:  pick(r, []time.Duration{0, 0, time.Second}),
	}
	op.last(r)
	op.write(content)
	op.want = outcome{State: string(ending), Code: op.plan.Error.Code}
	switch {
	case ending == fakes.Succeeded:
		op.want.Code = ""
		switch {
		case op.family == cloud && op.verb == http.MethodPost:
			op.want.Content = op.was() // the result is the resource, which the POST does not change
		case op.verb != http.MethodDelete:
			op.want.Content = content
		}
	case s.style == fakes.Synchronous:
		op.want.State = refused
	case s.style == fakes.ProvisioningState:
		op.want.Code = "" // provisioningState does not say why an operation failed
	}
}

// last chooses how long the operation runs. If the service recognizes repeated requests, the
// operation ends after a number of polls. Otherwise, it ends after a period of time, because a
// caller that lost the response cannot poll, and an operation that waits for polls would never end.
func (op *operation) last(r *rand.Rand) {
	op.plan.Polls = pick(r, []int{-1, 1, 2, 3, 4, 6, 9})
	if !op.repeatable {
		op.plan.Polls, op.plan.Duration = -1, time.Duration(1+r.IntN(100))*time.Millisecond
	}
}

// was returns the resource's content before the operation.
func (op *operation) was() string { return "content before " + op.name }

// write sets the request body of a PUT or PATCH, with the given content. Other requests have no
// body.
func (op *operation) write(content string) {
	if op.verb != http.MethodPut && op.verb != http.MethodPatch {
		return
	}
	op.body = fmt.Sprintf(`{"content":%q,"properties":{"size":%d}}`, content, op.index)
}
