package management

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
)

const versionResourceGroups = "2025-04-01" // Microsoft.Resources

// A ResourceGroup is what resources are in.
type ResourceGroup struct {
	ID         string                   `json:"id,omitempty"`
	Name       string                   `json:"name,omitempty"`
	Location   string                   `json:"location"`
	Tags       map[string]string        `json:"tags,omitempty"`
	Properties *ResourceGroupProperties `json:"properties,omitempty"`
}

// ResourceGroupProperties are told by the service.
type ResourceGroupProperties struct {
	ProvisioningState string `json:"provisioningState,omitempty"`
}

// ResourceGroups are those of a subscription.
type ResourceGroups struct{ c *Client }

// ResourceGroups returns the resource groups of the subscription.
func (c *Client) ResourceGroups() ResourceGroups { return ResourceGroups{c} }

// CreateOrUpdate makes a group, or changes it. It answers at once, with 201 or 200. For
// some seconds after that, some replicas of Resource Manager may not know the group
// (quirk W28): what depends on it has to bear a 404.
func (g ResourceGroups) CreateOrUpdate(ctx context.Context, name string, group ResourceGroup) (ResourceGroup, error) {
	return done[ResourceGroup](ctx, g.c, g.call(http.MethodPut, name, group))
}

// Get reads a group.
func (g ResourceGroups) Get(ctx context.Context, name string) (ResourceGroup, error) {
	return done[ResourceGroup](ctx, g.c, g.call(http.MethodGet, name, nil))
}

// BeginDelete deletes a group and everything in it, which takes minutes, or more than an
// hour. The answer is 202 with a Location and a Retry-After of 15 s, and so is that of
// the Location, with no status in it, until it is 200 without a body (quirk W50). A
// group that is not there is a 404, a *StatusError.
//
// Where the status is lost, the group itself is asked, and gone means done.
func (g ResourceGroups) BeginDelete(ctx context.Context, name string) (*poller.Poller[struct{}], error) {
	return begin[struct{}](ctx, g.c, g.call(http.MethodDelete, name, nil))
}

// List returns all groups of the subscription, by pages.
func (g ResourceGroups) List() (*pager.Pager[ResourceGroup], error) {
	return list[ResourceGroup](g.c, versionResourceGroups, "resourcegroups")
}

func (g ResourceGroups) call(method, name string, body any) call {
	return call{method: method, path: []string{"resourcegroups", name}, version: versionResourceGroups, body: body}
}
