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

// This test makes one poll fail, and checks which requests its client sent. A test in a
// testing/synctest bubble should leave Cadence unset. The minutes between polls then pass
// instantly, and the test can check how long the wait took.
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
