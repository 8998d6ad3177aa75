package management

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/poller"
)

const versionCompute = "2026-04-01" // Microsoft.Compute

// A VirtualMachine is one, as far as it matters here.
type VirtualMachine struct {
	ID         string                    `json:"id,omitempty"`
	Name       string                    `json:"name,omitempty"`
	Location   string                    `json:"location"`
	Tags       map[string]string         `json:"tags,omitempty"`
	Properties *VirtualMachineProperties `json:"properties,omitempty"`
}

// VirtualMachineProperties are told by the service.
type VirtualMachineProperties struct {
	ProvisioningState string `json:"provisioningState,omitempty"`
	VMID              string `json:"vmId,omitempty"`
}

// VirtualMachines are those of a subscription.
type VirtualMachines struct{ c *Client }

// VirtualMachines returns the virtual machines of the subscription.
func (c *Client) VirtualMachines() VirtualMachines { return VirtualMachines{c} }

// Get reads a machine.
func (m VirtualMachines) Get(ctx context.Context, group, name string) (VirtualMachine, error) {
	return done[VirtualMachine](ctx, m.c, m.call(http.MethodGet, group, name))
}

// BeginStart starts a machine. The answer is 202 with Azure-AsyncOperation, Location and
// a Retry-After of 10 s; the former tells a status document of InProgress until it is
// Succeeded or Failed. Starting one that runs is no error.
//
// A newer write to the machine cancels it, with the code OperationPreempted (quirk W47).
// That is no reason to try again: it would undo the newer.
func (m VirtualMachines) BeginStart(ctx context.Context, group, name string) (*poller.Poller[struct{}], error) {
	what := m.call(http.MethodPost, group, name, "start")
	// It has no result. By its description that would be read from Location all the
	// same: one request more, which tells nothing, and which may fail.
	what.result = poller.FinalStateViaAzureAsyncOp
	return begin[struct{}](ctx, m.c, what)
}

func (m VirtualMachines) call(method, group, name string, action ...string) call {
	return call{
		method: method, version: versionCompute,
		path: append([]string{"resourceGroups", group, "providers", "Microsoft.Compute", "virtualMachines", name}, action...),
	}
}
