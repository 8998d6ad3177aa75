package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
)

// widgets is the collection that all the resources of the demo are in.
const widgets = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo/providers/Microsoft.Contoso/widgets"

// startService serves a management service on a free loopback port until stop is
// called.
func startService(ctx context.Context) (origin string, stop func(), err error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: newService(), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(ln) // until Close
	}()
	stop = func() {
		server.Close()
		<-ended
	}
	return "http://" + ln.Addr().String(), stop, nil
}

// newService says what becomes of the operations that the demo begins.
func newService() http.Handler {
	svc := &fakes.Service{PageSize: 2}
	svc.Plan(fakes.Plan{Path: widgets + "/too-large", Ending: fakes.Failed, Error: fakes.Error{
		Code:    "QuotaExceeded",
		Message: "The request is over a quota of this subscription.",
		Details: []fakes.Error{{
			Code:    "SizeLimit",
			Message: "A widget may have a size of at most 100.",
			Target:  "properties.size",
		}},
	}})
	svc.Plan(fakes.Plan{Path: widgets, Polls: 4, Percent: true})
	svc.Fault(fakes.Fault{Method: http.MethodDelete, Do: fakes.Status(http.StatusForbidden)})

	// Real services ask for some seconds between two reads.
	svc.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", "300")})
	return svc
}
