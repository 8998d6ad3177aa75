package management

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
)

const versionStorage = "2025-01-01" // the API version of Microsoft.Storage

// A StorageAccount describes an account that stores blobs, files, queues and tables.
type StorageAccount struct {
	ID         string                    `json:"id,omitempty"`
	Name       string                    `json:"name,omitempty"`
	Location   string                    `json:"location,omitempty"`
	Kind       string                    `json:"kind,omitempty"` // such as StorageV2
	SKU        *SKU                      `json:"sku,omitempty"`
	Properties *StorageAccountProperties `json:"properties,omitempty"`
}

// A SKU is the pricing tier of a [StorageAccount].
type SKU struct {
	Name string `json:"name"` // such as Standard_LRS
}

// StorageAccountProperties holds some properties of a [StorageAccount].
type StorageAccountProperties struct {
	ProvisioningState     string `json:"provisioningState,omitempty"` // read-only
	AllowBlobPublicAccess *bool  `json:"allowBlobPublicAccess,omitempty"`
	MinimumTLSVersion     string `json:"minimumTlsVersion,omitempty"` // such as TLS1_2
}

// StorageAccounts manages the storage accounts of a subscription.
type StorageAccounts struct{ c *Client }

// StorageAccounts returns a client for storage accounts.
func (c *Client) StorageAccounts() StorageAccounts { return StorageAccounts{c} }

// BeginCreate starts creating an account, or replacing the properties of an existing one. The
// service responds with 202, a Location and a Retry-After of about 17 s. A GET of the Location
// returns 202 until the account exists, and then 200 with the account. If the account already has
// these properties, the service returns it right away and starts no operation.
//
// Account names are unique across Azure. If the name is taken, the error is a *StatusError with
// status 409 and the code StorageAccountAlreadyTaken.
func (a StorageAccounts) BeginCreate(ctx context.Context, group, name string, account StorageAccount) (*poller.Poller[StorageAccount], error) {
	return begin[StorageAccount](ctx, a.c, a.call(http.MethodPut, group, name, account))
}

// Get returns an account.
func (a StorageAccounts) Get(ctx context.Context, group, name string) (StorageAccount, error) {
	return callAndWait[StorageAccount](ctx, a.c, a.call(http.MethodGet, group, name, nil))
}

// Delete deletes an account. The service responds with 200, or with 204 if the account does not
// exist. If the service starts an operation instead (quirk W46), Delete waits until the operation
// ends.
func (a StorageAccounts) Delete(ctx context.Context, group, name string) error {
	_, err := callAndWait[struct{}](ctx, a.c, a.call(http.MethodDelete, group, name, nil))
	return err
}

// ListByResourceGroup returns a pager for the accounts in a group.
func (a StorageAccounts) ListByResourceGroup(group string) (*pager.Pager[StorageAccount], error) {
	return list[StorageAccount](a.c, versionStorage, "resourceGroups", group, "providers", "Microsoft.Storage", "storageAccounts")
}

func (a StorageAccounts) call(method, group, name string, body any) call {
	return call{
		method: method, version: versionStorage, body: body,
		path: []string{"resourceGroups", group, "providers", "Microsoft.Storage", "storageAccounts", name},
	}
}
