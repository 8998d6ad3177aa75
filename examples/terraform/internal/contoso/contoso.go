// Package contoso simulates the service whose widgets the provider manages. [Serve] makes it
// available over HTTP.
package contoso

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/lro-go/lro/fakes"
)

// Widgets is the path of the widget collection.
const Widgets = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo/providers/Microsoft.Contoso/widgets"

// New returns a service whose operations end after the given number of polls. The service asks
// clients to pause for the given time between polls. Creating a widget named "too-large" fails.
func New(polls int, pause time.Duration) *fakes.Service {
	svc := &fakes.Service{Default: fakes.Plan{Polls: polls, Percent: true}}
	svc.Plan(fakes.Plan{Path: Widgets + "/too-large", Method: http.MethodPut, Polls: 1, Ending: fakes.Failed, Error: fakes.Error{
		Code:    "QuotaExceeded",
		Message: "The request is over a quota of this subscription.",
		Details: []fakes.Error{{
			Code:    "SizeLimit",
			Message: "A widget may have a size of at most 100.",
			Target:  "properties.size",
		}},
	}})
	svc.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", strconv.FormatInt(pause.Milliseconds(), 10))})
	return svc
}

// Serve serves h at the given address until the caller calls stop.
func Serve(ctx context.Context, address string, h http.Handler) (origin string, stop func(), err error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(ln) // returns http.ErrServerClosed when stop closes the server
	}()
	stop = func() {
		server.Close()
		<-ended
	}
	return "http://" + ln.Addr().String(), stop, nil
}
