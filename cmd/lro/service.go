package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
)

// widgets is the path of the demo's collection.
const widgets = "/widgets"

// startService serves the demo's service on a free loopback port until stop is called.
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
		_ = server.Serve(ln) // returns when Close is called
	}()
	stop = func() {
		server.Close()
		<-ended
	}
	return "http://" + ln.Addr().String(), stop, nil
}

// newService returns the demo's service. Its plans and faults produce the outcomes that the demo
// shows.
func newService() http.Handler {
	svc := &fakes.Service{PageSize: 2}
	svc.Plan(fakes.Plan{Path: widgets + "/too-large", Ending: fakes.Failed, Error: fakes.Error{
		Code:    "QuotaExceeded",
		Message: "The request exceeds a quota of this subscription.",
		Details: []fakes.Error{{
			Code:    "SizeLimit",
			Message: "The size of a widget is at most 100.",
			Target:  "properties.size",
		}},
	}})
	svc.Plan(fakes.Plan{Path: widgets, Polls: 4, Percent: true})
	svc.Fault(fakes.Fault{Method: http.MethodDelete, Do: fakes.Status(http.StatusForbidden)})

	// Real services ask for pauses of a few seconds. This one asks for 300 ms to keep the demo
	// short.
	svc.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", "300")})
	return svc
}
