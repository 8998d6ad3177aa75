package management

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
)

const versionStorage = "2025-01-01" // Microsoft.Storage

// A StorageAccount holds blobs, files, queues and tables.
type StorageAccount struct {
	ID         string                    `json:"id,omitempty"`
	Name       string                    `json:"name,omitempty"`
	Location   string                    `json:"location,omitempty"`
	Kind       string                    `json:"kind,omitempty"` // StorageV2
	SKU        *SKU                      `json:"sku,omitempty"`
	Tags       map[string]string         `json:"tags,omitempty"`
	Properties *StorageAccountProperties `json:"properties,omitempty"`
}

// An SKU says what is paid for.
type SKU struct {
	Name string `json:"name"` // Standard_LRS
	Tier string `json:"tier,omitempty"`
}

// StorageAccountProperties are some of those of a [StorageAccount]. Those of the first
// group are told by the service.
type StorageAccountProperties struct {
	ProvisioningState string            `json:"provisioningState,omitempty"`
	CreationTime      string            `json:"creationTime,omitempty"`
	PrimaryEndpoints  map[string]string `json:"primaryEndpoints,omitempty"`

	AllowBlobPublicAccess *bool  `json:"allowBlobPublicAccess,omitempty"`
	MinimumTLSVersion     string `json:"minimumTlsVersion,omitempty"` // TLS1_2
}

// StorageAccounts are those of a subscription.
type StorageAccounts struct{ c *Client }

// StorageAccounts returns the storage accounts of the subscription.
func (c *Client) StorageAccounts() StorageAccounts { return StorageAccounts{c} }

// BeginCreate makes an account, or replaces its properties. The answer is 202 with no
// body, a Location and a Retry-After of some 17 s; the Location answers 202 until the
// account is there, and then with the account. An account that is there already, with
// these properties, is the answer at once.
//
// Names are unique in all of Azure: another's is a 409 StorageAccountAlreadyTaken.
func (a StorageAccounts) BeginCreate(ctx context.Context, group, name string, account StorageAccount) (*poller.Poller[StorageAccount], error) {
	return begin[StorageAccount](ctx, a.c, a.call(http.MethodPut, group, name, account))
}

// Get reads an account.
func (a StorageAccounts) Get(ctx context.Context, group, name string) (StorageAccount, error) {
	return done[StorageAccount](ctx, a.c, a.call(http.MethodGet, group, name, nil))
}

// Delete deletes an account. It answers 200, or 204 where there was none; a service that
// goes on with a status instead (quirk W46) is followed to its end.
func (a StorageAccounts) Delete(ctx context.Context, group, name string) error {
	_, err := done[struct{}](ctx, a.c, a.call(http.MethodDelete, group, name, nil))
	return err
}

// List returns the accounts of the subscription, by pages.
func (a StorageAccounts) List() (*pager.Pager[StorageAccount], error) {
	return list[StorageAccount](a.c, versionStorage, "providers", "Microsoft.Storage", "storageAccounts")
}

// ListByResourceGroup returns the accounts in a group, by pages.
func (a StorageAccounts) ListByResourceGroup(group string) (*pager.Pager[StorageAccount], error) {
	return list[StorageAccount](a.c, versionStorage, "resourceGroups", group, "providers", "Microsoft.Storage", "storageAccounts")
}

func (a StorageAccounts) call(method, group, name string, body any) call {
	return call{
		method: method, version: versionStorage, body: body,
		path: []string{"resourceGroups", group, "providers", "Microsoft.Storage", "storageAccounts", name},
	}
}
