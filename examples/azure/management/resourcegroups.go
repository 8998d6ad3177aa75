package management

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/poller"
)

const versionResourceGroups = "2025-04-01" // the API version of Microsoft.Resources

// A ResourceGroup describes a resource group, which is a container for resources.
type ResourceGroup struct {
	ID         string                   `json:"id,omitempty"`
	Name       string                   `json:"name,omitempty"`
	Location   string                   `json:"location"`
	Tags       map[string]string        `json:"tags,omitempty"`
	Properties *ResourceGroupProperties `json:"properties,omitempty"`
}

// ResourceGroupProperties are the read-only properties of a [ResourceGroup].
type ResourceGroupProperties struct {
	ProvisioningState string `json:"provisioningState,omitempty"`
}

// ResourceGroups manages the resource groups of a subscription.
type ResourceGroups struct{ c *Client }

// ResourceGroups returns a client for resource groups.
func (c *Client) ResourceGroups() ResourceGroups { return ResourceGroups{c} }

// CreateOrUpdate creates or updates a group. The service responds with 201 or 200 and normally
// starts no operation. If it starts one, CreateOrUpdate waits for it. For a few seconds after the
// creation, requests that need the group may get a 404 (quirk W28).
func (g ResourceGroups) CreateOrUpdate(ctx context.Context, name string, group ResourceGroup) (ResourceGroup, error) {
	return callAndWait[ResourceGroup](ctx, g.c, g.call(http.MethodPut, name, group))
}

// Get returns a group.
func (g ResourceGroups) Get(ctx context.Context, name string) (ResourceGroup, error) {
	return callAndWait[ResourceGroup](ctx, g.c, g.call(http.MethodGet, name, nil))
}

// BeginDelete starts deleting a group and everything in it, which can take from a few minutes to
// more than an hour. The service responds with 202, a Location, a Retry-After of 15 s and no body.
// A GET of the Location returns the same response until the deletion has ended, and then 200
// without a body (quirk W50). For an unknown group, the error is a *StatusError with status 404.
//
// If the status is no longer available, the poller reads the group, and a 404 for the group means
// success.
func (g ResourceGroups) BeginDelete(ctx context.Context, name string) (*poller.Poller[struct{}], error) {
	return begin[struct{}](ctx, g.c, g.call(http.MethodDelete, name, nil))
}

func (g ResourceGroups) call(method, name string, body any) call {
	return call{method: method, path: []string{"resourcegroups", name}, version: versionResourceGroups, body: body}
}
