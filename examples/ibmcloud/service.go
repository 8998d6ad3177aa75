package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
)

// The query that VPC wants in every request.
const version = "?version=2026-01-01&generation=2"

// newService says what becomes of the operations of this demonstration.
func newService() http.Handler {
	svc := fakes.IBMCloud()
	svc.Plan(fakes.Plan{Path: "/v1/gadgets", Ending: fakes.Failed, Error: fakes.Error{
		Code: "insufficient_capacity", Message: "There is no room in this zone.",
		Details: []fakes.Error{{Code: "reserved_value", Message: "The name is taken.", Target: "name"}},
	}})
	svc.Plan(fakes.Plan{Path: "/v1/endless", Duration: fakes.Forever})
	svc.Plan(fakes.Plan{Path: "/v1/instances", Style: fakes.ResourceStatus})
	svc.Plan(fakes.Plan{Path: "/v2/resource_instances", Duration: fakes.Forever})
	svc.Put("/v5/ibm/deployments/d1", map[string]any{"name": "db"})
	return svc
}

// startService serves it on a free loopback port until stop is called.
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
	return "http://" + ln.Addr().String(), func() { server.Close(); <-ended }, nil
}
