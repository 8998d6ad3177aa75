package fakes_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// One poll fails, and the service's log shows which requests the client sent. In a testing/synctest
// bubble, a test should leave Cadence unset. The minutes between polls then pass instantly, and the
// test can check how long the wait took.
func ExampleService() {
	ctx := context.Background()
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.HTML(http.StatusBadGateway)})

	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://a.test/widgets/w1", http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	p, err := poller.Begin[struct{}](req, fakes.Client(svc), &poller.Options{
		Cadence: poller.Cadence{Default: time.Millisecond, Min: time.Millisecond},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := p.PollUntilDone(ctx); err != nil {
		log.Fatal(err)
	}
	for _, req := range svc.Requests() {
		fmt.Println(req.Method, req.Kind, req.StatusCode)
	}
	// Output:
	// PUT Begin 201
	// GET Poll 200
	// GET Poll 502
	// GET Poll 200
	// GET Poll 200
}

// End lets the test choose when an operation fails.
func ExampleService_End() {
	svc := &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPut, "https://a.test/widgets/w1", http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := fakes.Client(svc).Do(req)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()

	svc.End("/widgets/w1", fakes.Failed, fakes.Error{Code: "QuotaExceeded", Message: "No more widgets."})
	for _, op := range svc.Operations() {
		fmt.Println(op.Method, op.Path, op.Status, op.Error.Code)
	}
	// Output: PUT /widgets/w1 Failed QuotaExceeded
}
