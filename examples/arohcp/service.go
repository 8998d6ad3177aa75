package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
)

const (
	clusters = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters"
	version  = "?api-version=2024-06-10-preview"
)

// newService says what becomes of the clusters of this demonstration.
func newService() *fakes.Service {
	svc := fakes.AROHCP()
	svc.Notify = http.DefaultClient
	svc.Plan(fakes.Plan{Method: http.MethodPut, Path: clusters + "/blue", Times: 1, Duration: 300 * time.Millisecond})
	svc.Plan(fakes.Plan{Path: clusters + "/too-many", Ending: fakes.Failed, Error: fakes.Error{
		Code: "InternalServerError", Message: "cluster install failed", Target: clusters + "/too-many",
		Details: []fakes.Error{{Code: "OCM4001", Message: "no quota for another control plane"}},
	}})
	for _, name := range []string{"slow", "slower", "private"} {
		svc.Plan(fakes.Plan{Method: http.MethodPut, Path: clusters + "/" + name, Duration: fakes.Forever})
	}
	return svc
}

// serve serves h on a free loopback port until stop is called.
func serve(ctx context.Context, h http.Handler) (origin string, stop func(), err error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(ln) // until Close
	}()
	return "http://" + ln.Addr().String(), func() { server.Close(); <-ended }, nil
}
