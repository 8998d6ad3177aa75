package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
)

// widgets is the collection that all the resources are in.
const widgets = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/otel/providers/Microsoft.Contoso/widgets"

// signature is in the status URLs of the service, and is not to be seen.
const signature = "sig=c2VjcmV0IQ%3D%3D"

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
	svc := &fakes.Service{}
	svc.Plan(fakes.Plan{
		Path:   widgets + "/too-large",
		Ending: fakes.Failed,
		Error:  fakes.Error{Code: "QuotaExceeded", Message: "The request is over a quota of this subscription."},
	})
	svc.Plan(fakes.Plan{Path: widgets, Polls: 3})

	// Two things go wrong: one that package transport mends within a poll, and one
	// that the poller bears.
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Path: widgets + "/alpha", Nth: 1, Do: fakes.Status(http.StatusServiceUnavailable)})
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Path: widgets + "/alpha", Nth: 3, Do: fakes.HTML(http.StatusOK)})

	// The status URLs are signed. Real services ask for some seconds between two
	// reads; this one asks for 100 ms, so that the demonstration is short.
	svc.Fault(fakes.Fault{Do: fakes.Edit(func(a *fakes.Answer) {
		if status := a.Header.Get("Azure-AsyncOperation"); status != "" {
			a.Header.Set("Azure-AsyncOperation", status+"?"+signature)
		}
		a.Header.Set("Retry-After-Ms", "100")
	})})
	return svc
}
