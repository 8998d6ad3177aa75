package transport_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// The Transport calls Token once for all requests, and again only if the token is about to expire
// or the service rejects it.
func ExampleOptions_token() {
	ctx := context.Background()
	svc := &fakes.Service{}
	client := transport.NewClient(&transport.Options{
		Base: &fakes.Transport{Handler: svc}, // omit Base to use the network
		Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
			fmt.Println("getting a token")
			return transport.Token{Value: "secret", Expires: time.Now().Add(time.Hour)}, nil
		},
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://a.test/widgets/w1", http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	p, err := poller.Begin[struct{}](req, client, &poller.Options{
		Cadence: poller.Cadence{Default: time.Millisecond}, // short, because the service runs in this process
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := p.PollUntilDone(ctx); err != nil {
		log.Fatal(err)
	}
	for _, req := range svc.Requests() {
		fmt.Println(req.Method, req.Kind, req.Header.Get("Authorization"))
	}
	// Output:
	// getting a token
	// PUT Begin Bearer secret
	// GET Poll Bearer secret
	// GET Poll Bearer secret
	// GET Poll Bearer secret
}
