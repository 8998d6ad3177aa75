package main

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
)

const (
	clusters = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters"
	version  = "?api-version=2024-06-10-preview"
)

// newService returns a service with plans for the clusters that this program creates.
func newService() *fakes.Service {
	svc := arohcp.New()
	svc.Notify = http.DefaultClient
	svc.Plan(fakes.Plan{Method: http.MethodPut, Path: clusters + "/blue", Times: 1, Duration: 300 * time.Millisecond})
	svc.Plan(fakes.Plan{Path: clusters + "/too-many", Ending: fakes.Failed, Error: fakes.Error{
		Code: "InternalServerError", Message: "cluster install failed", Target: clusters + "/too-many",
		Details: []fakes.Error{{Code: "OCM4001", Message: "no quota for another control plane"}},
	}})
	for _, name := range []string{"slow", "private"} {
		svc.Plan(fakes.Plan{Method: http.MethodPut, Path: clusters + "/" + name, Duration: fakes.Forever})
	}
	return svc
}

// A receiver handles the notification that an operation has ended. It does not trust the
// notification, so it only wakes the poller, which then reads the status.
type receiver struct {
	uri  string
	wake atomic.Pointer[func()]
}

func (r *receiver) ServeHTTP(http.ResponseWriter, *http.Request) {
	if wake := r.wake.Load(); wake != nil {
		(*wake)()
	}
}
