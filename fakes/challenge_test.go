package fakes_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// The client polls the fake through package transport, which retries requests and adds tokens. The
// second poll gets a 401, so the client gets another token.
func ExampleTransport() {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.Challenge("")})
	tokens := 0
	client := transport.NewClient(&transport.Options{
		Base: &fakes.Transport{Handler: svc},
		Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
			tokens++
			return transport.Token{Value: fmt.Sprint("token", tokens)}, nil
		},
	})

	req, err := http.NewRequest("PUT", "https://a.test/widgets/w1", strings.NewReader("{}")) //nolint:noctx // the example needs no context
	if err != nil {
		log.Fatal(err)
	}
	// This example runs in real time, so it polls often. A test in a synctest bubble can use the
	// default Cadence.
	const pause = time.Millisecond
	opts := &poller.Options{Cadence: poller.Cadence{Default: pause, Min: pause}}
	p, err := poller.Begin[struct{ Name string }](req, client, opts)
	if err != nil {
		log.Fatal(err)
	}
	widget, err := p.PollUntilDone(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(widget.Name)
	for _, r := range svc.Requests() {
		fmt.Println(r.Kind, r.Header.Get("Authorization"), r.StatusCode)
	}
	// Output:
	// w1
	// Begin Bearer token1 201
	// Poll Bearer token1 200
	// Poll Bearer token1 401
	// Poll Bearer token2 200
	// Poll Bearer token2 200
	// Read Bearer token2 200
}

// If the service's challenge contains claims, the client passes them to the Token function.
func TestChallenge(t *testing.T) {
	const claims = `{"access_token":{"xms_cc":{"value":"?>~"}}}`
	for name, tt := range map[string]struct{ claims, header string }{
		"invalid token": {"", `Bearer realm="", error="invalid_token"`},
		"claims":        {claims, `Bearer realm="", error="insufficient_claims", claims="eyJhY2Nlc3NfdG9rZW4iOnsieG1zX2NjIjp7InZhbHVlIjoiPz5+In19fQ=="`},
	} {
		t.Run(name, func(t *testing.T) {
			svc := &fakes.Service{}
			svc.Fault(fakes.Fault{Times: 2, Do: fakes.Challenge(tt.claims)})
			r := newTester(t, svc).get(widget)
			require.Equal(t, 401, r.code)
			require.Equal(t, tt.header, r.header.Get("WWW-Authenticate"))
			require.JSONEq(t, `{"error":{"code":"InvalidAuthenticationToken","message":"The access token is invalid."}}`, r.body)
			var demanded []string
			c := tester{t, transport.NewClient(&transport.Options{
				Base: &fakes.Transport{Handler: svc},
				Token: func(_ context.Context, r transport.TokenRequest) (transport.Token, error) {
					demanded = append(demanded, r.Claims)
					return transport.Token{Value: fmt.Sprint("token", len(demanded))}, nil
				},
			})}
			require.Equal(t, 201, c.do("PUT", widget, "{}").code)
			require.Equal(t, []string{"", tt.claims}, demanded)
		})
	}
}
