package poller_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

type cache struct {
	Properties struct{ ResourceState string }
}

// This service reports Succeeded before a new cache is running (quirk W34). Confirm keeps reading
// the cache until it is running.
func ExampleConfirm() {
	reads := 0
	service := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		state := "Creating"
		if reads++; reads > 3 {
			state = "Running"
		}
		_, _ = fmt.Fprintf(w, `{"properties":{"provisioningState":"Succeeded","resourceState":%q}}`, state)
	})
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPut, "https://a.test/caches/c1", strings.NewReader(`{}`))
	if err != nil {
		log.Fatal(err)
	}
	p, err := poller.Begin[cache](req, fakes.Client(service), &poller.Options{
		Strategy: poller.Confirm(nil, poller.Check{State: func(a strategy.Answer) poller.State {
			switch a.Text("/properties/resourceState") {
			case "Running":
				return poller.Succeeded
			case "CreateFailed":
				return poller.Failed
			}
			return poller.InProgress
		}}),
		Cadence: poller.Cadence{Default: time.Millisecond}, // short pauses, because the service is in this process
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Status())
	c, err := p.PollUntilDone(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Properties.ResourceState)
	// Output:
	// InProgress "Succeeded", reported success, not confirmed
	// Running
}

// The poller pauses for a minute between reads, unless the service asks for a different pause. For
// operations that may be short, start with short pauses that grow.
func ExampleCadence() {
	client := fakes.Client(&fakes.Service{}) // in place of a real service
	opts := &poller.Options{Cadence: poller.Cadence{
		First:   2 * time.Second,  // the first pause; each later pause is twice the previous
		Default: 20 * time.Second, // the longest pause
	}}
	p, err := poller.Begin[Widget](widgetRequest("PUT", "/widgets/w1", "{}"), client, opts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(time.Until(p.NextPoll()).Round(time.Second))
	if _, err := p.Poll(context.Background()); err != nil { // reads now, before the pause is over
		log.Fatal(err)
	}
	fmt.Println(time.Until(p.NextPoll()).Round(time.Second))
	// Output:
	// 2s
	// 4s
}

// This service has its own word for success, so Words has to define it. By default, only the words
// of the specification and their usual variants end an operation.
func ExampleOptions_words() {
	ctx := context.Background()
	svc := &fakes.Service{Default: fakes.Plan{EndWord: "Ready"}}
	p, err := poller.Begin[Widget](widgetRequest("PUT", "/widgets/w1", `{}`), fakes.Client(svc), &poller.Options{
		Words:   map[string]poller.State{"Ready": poller.Succeeded},
		Cadence: quick,
	})
	if err != nil {
		log.Fatal(err)
	}
	widget, err := p.PollUntilDone(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(widget.Name, p.Status())
	// Output:
	// w1 Succeeded "Ready"
}

// The service's OpenAPI description says where to find the result of a POST:
// "x-ms-long-running-operation-options": {"final-state-via": …}.
func ExampleFinalStateVia() {
	ctx := context.Background()
	svc := &fakes.Service{}
	svc.Put("/widgets/w1", Widget{})
	svc.Plan(fakes.Plan{Method: http.MethodPost, Result: map[string]string{"key": "k-123"}})

	p, err := poller.Begin[struct{ Key string }](widgetRequest("POST", "/widgets/w1/listKeys", ""), fakes.Client(svc), &poller.Options{
		FinalStateVia: poller.FinalStateViaAzureAsyncOp, // the result is in the status document, not at the Location
		ResultPointer: "/properties",                    // only this part of the status document is the result
		Cadence:       quick,
	})
	if err != nil {
		log.Fatal(err)
	}
	keys, err := p.PollUntilDone(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(keys.Key)
	// Output:
	// k-123
}
