package management_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/azure/management"
	"github.com/lro-go/lro/poller"
)

// These are the operations' status URLs, without the origin.
const (
	groupResult   = root + "/operationResults/00000000-0000-4000-8000-000000000001?api-version=2025-04-01"
	accountResult = root + "/providers/Microsoft.Storage/operationResults/00000000-0000-4000-8000-000000000001?api-version=2025-01-01"
	machineStatus = root + "/providers/Microsoft.Compute/operationsStatuses/00000000-0000-4000-8000-000000000001?api-version=2026-04-01"
)

var newAccount = management.StorageAccount{Location: "westeurope", Kind: "StorageV2", SKU: &management.SKU{Name: "Standard_LRS"}}

// wire lists calls of the client's methods. Each has the expected result and the expected requests,
// with the time of each request.
var wire = []struct {
	name string
	call func(context.Context, *management.Client) (any, error)
	want string
	wire []string
}{
	{"create a group", createGroup, `{"id":"/subscriptions/s/resourcegroups/new","name":"new","location":"westeurope","tags":{"k":"v"},"properties":{"provisioningState":"Succeeded"}}`, []string{
		`PUT /subscriptions/s/resourcegroups/new?api-version=2025-04-01 {"location":"westeurope","tags":{"k":"v"}}`,
	}},
	{"get a group", getGroup, `{"id":"/subscriptions/s/resourceGroups/g","name":"g","location":"westeurope","properties":{"provisioningState":"Succeeded"}}`, []string{
		"GET /subscriptions/s/resourcegroups/g?api-version=2025-04-01",
	}},
	{"delete a group", deleteGroup, `{}`, []string{
		"DELETE /subscriptions/s/resourcegroups/g?api-version=2025-04-01",
		"GET " + groupResult + " after 15s", "GET " + groupResult + " after 30s", "GET " + groupResult + " after 45s",
	}},
	{"create an account", createAccount, `{"id":"` + account + `","name":"a","location":"westeurope","kind":"StorageV2","sku":{"name":"Standard_LRS"},"properties":{"provisioningState":"Succeeded"}}`, []string{
		"PUT " + account + `?api-version=2025-01-01 {"location":"westeurope","kind":"StorageV2","sku":{"name":"Standard_LRS"}}`,
		"GET " + accountResult + " after 17s", "GET " + accountResult + " after 34s", "GET " + accountResult + " after 51s",
	}},
	{"get an account", getAccount, `{"id":"` + account + `ncient","name":"ancient","location":"westeurope","properties":{"provisioningState":"Succeeded"}}`, []string{
		"GET " + account + "ncient?api-version=2025-01-01",
	}},
	{"delete an account", deleteAccount, `null`, []string{
		"DELETE " + account + "ncient?api-version=2025-01-01",
	}},
	{"get a machine", getMachine, `{"id":"` + machine + `","name":"v","location":"westeurope","properties":{"provisioningState":"Succeeded"}}`, []string{
		"GET " + machine + "?api-version=2026-04-01",
	}},
	{"start a machine", startMachine, `{}`, []string{ // no final GET, because the Location would return nothing
		"POST " + machine + "/start?api-version=2026-04-01",
		"GET " + machineStatus + " after 10s", "GET " + machineStatus + " after 20s", "GET " + machineStatus + " after 30s",
	}},
}

func createGroup(ctx context.Context, c *management.Client) (any, error) {
	return c.ResourceGroups().CreateOrUpdate(ctx, "new", management.ResourceGroup{Location: "westeurope", Tags: map[string]string{"k": "v"}})
}

func getGroup(ctx context.Context, c *management.Client) (any, error) {
	return c.ResourceGroups().Get(ctx, "g")
}

func deleteGroup(ctx context.Context, c *management.Client) (any, error) {
	return wait(ctx)(c.ResourceGroups().BeginDelete(ctx, "g"))
}

func createAccount(ctx context.Context, c *management.Client) (any, error) {
	p, err := c.StorageAccounts().BeginCreate(ctx, "g", "a", newAccount)
	if err != nil {
		return nil, err
	}
	return p.PollUntilDone(ctx)
}

func getAccount(ctx context.Context, c *management.Client) (any, error) {
	return c.StorageAccounts().Get(ctx, "g", "ancient")
}

func deleteAccount(ctx context.Context, c *management.Client) (any, error) {
	return nil, c.StorageAccounts().Delete(ctx, "g", "ancient")
}

func getMachine(ctx context.Context, c *management.Client) (any, error) {
	return c.VirtualMachines().Get(ctx, "g", "v")
}

func startMachine(ctx context.Context, c *management.Client) (any, error) {
	return wait(ctx)(c.VirtualMachines().BeginStart(ctx, "g", "v"))
}

// wait returns a function that takes what a Begin method returns and waits for the operation, which
// has no result.
func wait(ctx context.Context) func(*poller.Poller[struct{}], error) (any, error) {
	return func(p *poller.Poller[struct{}], err error) (any, error) {
		if err != nil {
			return nil, err
		}
		return p.PollUntilDone(ctx)
	}
}

func TestWire(t *testing.T) {
	for _, tt := range wire {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc, start := newARM(), time.Now()
				got, err := tt.call(t.Context(), newClient(t, svc))
				require.NoError(t, err)
				text, err := json.Marshal(got)
				require.NoError(t, err)
				require.Equal(t, tt.want, string(text))
				require.Equal(t, tt.wire, requests(svc, start))
				for _, r := range svc.Requests() {
					require.Equal(t, "application/json", r.Header.Get("Accept"), r.URL)
					require.Equal(t, len(r.Body) > 0, r.Header.Get("Content-Type") == "application/json", r.URL)
				}
			})
		})
	}
}

func TestListing(t *testing.T) {
	svc := newARM()
	svc.Put(account, newAccount)
	svc.Put(account+"2", newAccount)
	client := newClient(t, svc)

	all, err := client.StorageAccounts().ListByResourceGroup("g")
	require.NoError(t, err)
	require.Equal(t, 3, count(t, all.All(t.Context())))
	require.Equal(t, []string{
		"GET " + group + "/providers/Microsoft.Storage/storageAccounts?api-version=2025-01-01",
		"GET " + group + "/providers/Microsoft.Storage/storageAccounts?api-version=2025-01-01&$skiptoken=2",
	}, requests(svc, time.Now()))
}

func count[T any](t *testing.T, all iter.Seq2[T, error]) (n int) {
	t.Helper()
	for _, err := range all {
		require.NoError(t, err)
		n++
	}
	return n
}
