package aip151_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/aip151"
)

// Print two books. The second operation fails.
func ExampleOperation() {
	ctx := context.Background()
	client := fakes.Client(newService()) // an in-process service; use your own client for a real service
	for _, title := range []string{"Middlemarch", "lost"} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://library.example.test/v1/books/"+title, nil)
		if err != nil {
			panic(err)
		}
		p, err := poller.Begin[book](req, client, &poller.Options{
			Strategy: aip151.Operation{},
			Cadence:  poller.Cadence{Default: time.Millisecond, Min: time.Millisecond}, // short pauses, so that the example ends quickly
		})
		if err != nil {
			panic(err)
		}
		for status, err := range p.Updates(ctx) {
			fmt.Println(status, err)
		}
		b, err := p.PollUntilDone(ctx)
		fmt.Printf("%q, %v\n", b.Title, err)
	}
	// Output:
	// InProgress 0% <nil>
	// InProgress 25% <nil>
	// InProgress 50% <nil>
	// Succeeded <nil>
	// "Middlemarch", <nil>
	// InProgress 0% <nil>
	// InProgress 25% <nil>
	// InProgress 50% <nil>
	// Failed: 5: the manuscript is lost <nil>
	// "", lro: operation Failed: 5: the manuscript is lost
}
