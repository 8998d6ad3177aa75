package redfish_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/redfish"
)

// Update a management controller's firmware and print the progress.
func ExampleTaskMonitor() {
	ctx := context.Background()
	client := fakes.Client(&service{}) // an in-process service; use your own client for a real one
	body := strings.NewReader(`{"ImageURI": "https://images.example.test/bmc.bin"}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://bmc.example.test/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate", body)
	if err != nil {
		panic(err)
	}
	p, err := poller.Begin[struct{}](req, client, &poller.Options{
		Strategy: redfish.TaskMonitor{},
		Cadence:  poller.Cadence{Default: time.Millisecond, Min: time.Millisecond}, // short pauses, so that the example runs quickly
	})
	if err != nil {
		panic(err)
	}
	for status, err := range p.Updates(ctx) {
		fmt.Println(status, err)
	}
	// Output:
	// InProgress "Running" 0% <nil>
	// InProgress "Running" 30% <nil>
	// InProgress "Running" 60% <nil>
	// Succeeded <nil>
}
