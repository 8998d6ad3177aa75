package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"

	"github.com/lro-go/lro/examples/azure/management"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// fakeSubscription is the only subscription of the local service, and fakeRoot is the path of its
// resource groups.
const (
	fakeSubscription = "00000000-0000-0000-0000-000000000000"
	fakeRoot         = "/subscriptions/" + fakeSubscription + "/resourceGroups"
)

// onThisMachine serves a simulated Resource Manager on a free loopback port until stop is called.
// It uses TLS, because the client sends a bearer token.
func onThisMachine() (t *target, stop func()) {
	svc := newService()
	// Make the service ask for pauses of 100 ms, so that the program ends after about 2 s. The
	// Cadence.Min below allows such pauses.
	svc.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", "100")})
	server := httptest.NewTLSServer(authorized(svc))
	t = fakeTarget(server.URL, server.Client().Transport)
	t.poller = poller.Options{Cadence: poller.Cadence{Min: 50 * time.Millisecond}}
	return t, server.Close
}

// fakeTarget returns a target for the simulated service at endpoint. The target sends its requests
// through base.
func fakeTarget(endpoint string, base http.RoundTripper) *target {
	return &target{
		endpoint: endpoint, credential: &azfake.TokenCredential{}, base: base,
		subscription: fakeSubscription, location: "westeurope", group: "lro-demo", account: "lrodemo",
		machines: []machine{{"production", "web"}, {"production", "gpu"}},
	}
}

// newService returns a service whose operations behave like Azure's.
func newService() *fakes.Service {
	const (
		group    = fakeRoot + "/lro-demo"
		accounts = group + "/providers/Microsoft.Storage/storageAccounts"
		machines = fakeRoot + "/production/providers/Microsoft.Compute/virtualMachines"
	)
	svc := &fakes.Service{PageSize: 2}
	svc.Plan(fakes.Plan{Method: http.MethodPut, Path: accounts + "/test", Style: fakes.Synchronous, Ending: fakes.Failed, FailureCode: http.StatusConflict, Error: fakes.Error{
		Code: "StorageAccountAlreadyTaken", Message: "The storage account named test is already taken.",
	}})
	svc.Plan(fakes.Plan{Method: http.MethodPut, Path: accounts, Style: fakes.Location, RetryAfter: 17 * time.Second})
	svc.Plan(fakes.Plan{Method: http.MethodPut, Path: group, Style: fakes.Synchronous})
	svc.Plan(fakes.Plan{Method: http.MethodDelete, Path: group, Style: fakes.Location, RetryAfter: 15 * time.Second})
	svc.Plan(fakes.Plan{Path: machines + "/gpu", Style: fakes.AzureAsyncOperation | fakes.Location, RetryAfter: 10 * time.Second, Ending: fakes.Failed, Error: fakes.Error{
		Code: "AllocationFailed", Message: "Allocation failed. We do not have sufficient capacity for the requested VM size in this region.",
	}})
	svc.Plan(fakes.Plan{Path: machines, Style: fakes.AzureAsyncOperation | fakes.Location, RetryAfter: 10 * time.Second})
	svc.Put(machines+"/web", management.VirtualMachine{Location: "westeurope"})
	svc.Put(machines+"/gpu", management.VirtualMachine{Location: "westeurope"})
	return svc
}

// authorized returns a handler that passes requests with a bearer token to h, and refuses all
// others.
func authorized(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !ok || token == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}
