package management

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/poller"
)

const versionCompute = "2026-04-01" // the API version of Microsoft.Compute

// A VirtualMachine describes a virtual machine, with only some of the properties that the service
// returns.
type VirtualMachine struct {
	ID         string                    `json:"id,omitempty"`
	Name       string                    `json:"name,omitempty"`
	Location   string                    `json:"location"`
	Properties *VirtualMachineProperties `json:"properties,omitempty"`
}

// VirtualMachineProperties holds some read-only properties of a [VirtualMachine].
type VirtualMachineProperties struct {
	ProvisioningState string `json:"provisioningState,omitempty"`
}

// VirtualMachines manages the virtual machines of a subscription.
type VirtualMachines struct{ c *Client }

// VirtualMachines returns a client for virtual machines.
func (c *Client) VirtualMachines() VirtualMachines { return VirtualMachines{c} }

// Get returns a machine.
func (m VirtualMachines) Get(ctx context.Context, group, name string) (VirtualMachine, error) {
	return callAndWait[VirtualMachine](ctx, m.c, m.call(http.MethodGet, group, name))
}

// BeginStart starts a machine. The service responds with 202, an Azure-AsyncOperation, a Location
// and a Retry-After of 10 s. The status document reports InProgress, and then Succeeded or Failed.
// If the machine is already running, the operation succeeds.
//
// A newer write to the machine cancels the operation, and the error has the code OperationPreempted
// (quirk W47). In that case, do not start the machine again, because that would undo the newer
// write.
func (m VirtualMachines) BeginStart(ctx context.Context, group, name string) (*poller.Poller[struct{}], error) {
	what := m.call(http.MethodPost, group, name, "start")
	// The API description expects a result at the Location. Do not read it: the operation has no
	// result, and a GET of the Location may fail.
	what.result = poller.FinalStateViaAzureAsyncOp
	return begin[struct{}](ctx, m.c, what)
}

func (m VirtualMachines) call(method, group, name string, action ...string) call {
	return call{
		method: method, version: versionCompute,
		path: append([]string{"resourceGroups", group, "providers", "Microsoft.Compute", "virtualMachines", name}, action...),
	}
}
