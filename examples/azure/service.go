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

// The subscription of the service on this machine.
const (
	fakeSubscription = "00000000-0000-0000-0000-000000000000"
	fakeRoot         = "/subscriptions/" + fakeSubscription + "/resourceGroups"
)

// onThisMachine serves Resource Manager on a free loopback port until stop is called.
// It is served by TLS, with a certificate that only its own client trusts: nobody,
// azcore least of all, sends a bearer token without.
func onThisMachine() (in *surroundings, stop func()) {
	svc := newService()
	// Real services ask for 10 s and more between two reads. This one asks for 100 ms, so
	// that the demonstration is short, and the options let it.
	svc.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", "100")})
	server := httptest.NewTLSServer(authorized(svc))
	in = fakeSurroundings(server.URL, server.Client().Transport)
	in.poller = poller.Options{Cadence: poller.Cadence{Min: 50 * time.Millisecond}}
	return in, server.Close
}

// fakeSurroundings are those of a new service that base leads to.
func fakeSurroundings(endpoint string, base http.RoundTripper) *surroundings {
	return &surroundings{
		endpoint: endpoint, credential: &azfake.TokenCredential{}, base: base,
		subscription: fakeSubscription, location: "westeurope", group: "lro-demo", account: "lrodemo",
		machines: []machine{{"production", "web"}, {"production", "gpu"}},
	}
}

// newService says what becomes of the operations, as the real services have it.
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

// authorized lets only those through who have a token.
func authorized(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !ok || token == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}
