package main

import (
	"net/http"

	"github.com/lro-go/lro/fakes"
)

// widgets is the path of the collection that contains all resources.
const widgets = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/otel/providers/Microsoft.Contoso/widgets"

// signature is a secret in the request and status URLs. It must not appear in the output.
const signature = "sig=c2VjcmV0IQ%3D%3D"

// newService returns a simulated service with plans for this program's operations.
func newService() http.Handler {
	svc := &fakes.Service{}
	svc.Plan(fakes.Plan{
		Path:   widgets + "/too-large",
		Ending: fakes.Failed,
		Error:  fakes.Error{Code: "QuotaExceeded", Message: "The request exceeds a quota of this subscription."},
	})
	svc.Plan(fakes.Plan{Path: widgets, Polls: 3})

	// Inject two faults. Package transport retries the request that gets the 503, within the same
	// poll. The HTML page makes one poll fail, but the poller continues.
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Path: widgets + "/alpha", Nth: 1, Do: fakes.Status(http.StatusServiceUnavailable)})
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Path: widgets + "/alpha", Nth: 3, Do: fakes.HTML(http.StatusOK)})

	// Sign the status URLs, and ask for pauses of 100 ms. Real services ask for a few seconds.
	svc.Fault(fakes.Fault{Do: fakes.Edit(func(a *fakes.Answer) {
		if status := a.Header.Get("Azure-AsyncOperation"); status != "" {
			a.Header.Set("Azure-AsyncOperation", status+"?"+signature)
		}
		a.Header.Set("Retry-After-Ms", "100")
	})})
	return svc
}
