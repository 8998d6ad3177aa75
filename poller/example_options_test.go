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
)

type cache struct {
	Properties struct{ ResourceState string }
}

// A cache that says Succeeded before it runs (quirk W34).
func ExampleConfirm() {
	asked := 0
	service := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		state := "Creating"
		if asked++; asked > 3 {
			state = "Running"
		}
		_, _ = fmt.Fprintf(w, `{"properties":{"provisioningState":"Succeeded","resourceState":%q}}`, state)
	})
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPut, "https://a.test/caches/c1", strings.NewReader(`{}`))
	if err != nil {
		log.Fatal(err)
	}
	p, err := poller.Begin[cache](req, fakes.Client(service), &poller.Options{
		Strategy: poller.Confirm(nil, poller.Confirmation{State: func(a poller.Answer) poller.State {
			switch a.Text("/properties/resourceState") {
			case "Running":
				return poller.Succeeded
			case "CreateFailed":
				return poller.Failed
			}
			return poller.InProgress
		}}),
		Cadence: poller.Cadence{Default: time.Millisecond}, // the service is in this process
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
