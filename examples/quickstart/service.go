package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
)

// widgets is the collection that all the resources are in.
const widgets = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/quickstart/providers/Microsoft.Contoso/widgets"

// startService serves a management service on a free loopback port until stop
// is called.
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

// newService says what becomes of the operations that the demonstration begins.
func newService() http.Handler {
	svc := &fakes.Service{PageSize: 2}
	for _, way := range ways {
		svc.Plan(fakes.Plan{Path: widgets + "/" + way.name, Style: way.style, Polls: 3, Percent: true})
	}
	svc.Plan(fakes.Plan{
		Path:   widgets + "/too-large",
		Ending: fakes.Failed,
		Error: fakes.Error{
			Code:    "QuotaExceeded",
			Message: "The request is over a quota of this subscription.",
			Details: []fakes.Error{{
				Code:    "SizeLimit",
				Message: "A widget may have a size of at most 100.",
				Target:  "properties.size",
			}},
		},
	})
	svc.Plan(fakes.Plan{Path: widgets + "/endless", Duration: fakes.Forever})

	// Real services ask for some seconds between two reads. This one asks for
	// 150 ms, so that the demonstration is short.
	svc.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", "150")})
	return svc
}
