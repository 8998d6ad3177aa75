package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
)

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
	stop = func() {
		server.Close()
		<-ended
	}
	return "http://" + ln.Addr().String(), stop, nil
}

// newService says what becomes of the operations that the demo begins. One read of
// a status fails.
func newService() *fakes.Service {
	svc := &fakes.Service{}
	svc.Plan(fakes.Plan{Path: widgets + "/large", Times: 1, Ending: fakes.Failed, Error: fakes.Error{
		Code: "QuotaExceeded", Message: "A widget may have a size of at most 100.", Target: "properties.size",
	}})
	svc.Default = fakes.Plan{Polls: 3, Percent: true}
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.HTML(http.StatusBadGateway)})
	return svc
}
