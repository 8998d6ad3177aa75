package management_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/azure/management"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/transport"
)

const (
	root    = "/subscriptions/s"
	group   = root + "/resourceGroups/g"
	account = group + "/providers/Microsoft.Storage/storageAccounts/a"
	machine = group + "/providers/Microsoft.Compute/virtualMachines/v"
	arm     = "https://management.azure.com"
)

// newARM returns a service that behaves like Azure Resource Manager.
func newARM() *fakes.Service {
	svc := &fakes.Service{PageSize: 2}
	svc.Plan(fakes.Plan{Method: "PUT", Path: account, Style: fakes.Location, RetryAfter: 17 * time.Second})
	svc.Plan(fakes.Plan{Method: "DELETE", Path: account + "ncient", Style: fakes.Synchronous})
	svc.Plan(fakes.Plan{Method: "POST", Path: machine, Style: fakes.AzureAsyncOperation | fakes.Location, RetryAfter: 10 * time.Second})
	svc.Plan(fakes.Plan{Method: "DELETE", Path: group, Style: fakes.Location, RetryAfter: 15 * time.Second})
	svc.Plan(fakes.Plan{Method: "PUT", Path: root + "/resourceGroups/new", Style: fakes.Synchronous})
	svc.Put(group, management.ResourceGroup{Location: "westeurope"})
	svc.Put(account+"ncient", management.StorageAccount{Location: "westeurope"})
	svc.Put(machine, management.VirtualMachine{Location: "westeurope"})
	return svc
}

// newClient returns a client that sends its requests to svc in memory.
func newClient(t *testing.T, svc *fakes.Service) *management.Client {
	t.Helper()
	client, err := management.New("s", transport.NewClient(&transport.Options{Base: &fakes.Transport{Handler: svc}}), nil)
	require.NoError(t, err)
	return client
}

// requests returns one line for each request that svc received: the method, the URL without the
// origin, the body if there is one, and how long after start the request arrived, unless that is
// zero.
func requests(svc *fakes.Service, start time.Time) (lines []string) {
	for _, r := range svc.Requests() {
		line := r.Method + " " + r.URL[len(arm):]
		if len(r.Body) > 0 {
			line += " " + string(r.Body)
		}
		if at := r.Time.Sub(start); at > 0 {
			line += " after " + at.String()
		}
		lines = append(lines, line)
	}
	return lines
}
