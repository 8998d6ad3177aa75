package fhir_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/fhir"
)

// This example exports the data of a group of patients and prints the URL of the exported file.
func ExampleAsync() {
	ctx := context.Background()
	client := fakes.Client(&service{}) // a fake server in this process; for a real server, use your own client
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://fhir.example.test/fhir/Group/1/$export", nil)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Prefer", "respond-async")
	req.Header.Set("Accept", "application/fhir+json")
	p, err := poller.Begin[manifest](req, client, &poller.Options{
		Strategy: fhir.Async{},
		Cadence:  poller.Cadence{Default: time.Millisecond, Min: time.Millisecond, Max: time.Millisecond}, // short pauses, because the server is in this process
	})
	if err != nil {
		panic(err)
	}
	for status, err := range p.Updates(ctx) {
		fmt.Println(status, err)
	}
	m, err := p.PollUntilDone(ctx)
	fmt.Println(m.Output[0].URL, err)
	// Output:
	// InProgress <nil>
	// InProgress "40%" 40% <nil>
	// InProgress "80%" 80% <nil>
	// Succeeded <nil>
	// https://files.example.test/1.ndjson <nil>
}
