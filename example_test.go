package lro_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A Widget is the resource of the Examples.
type Widget struct {
	Name       string `json:"name"`
	Properties struct {
		Size int `json:"size"`
	} `json:"properties"`
}

// quick is how often the Examples read a status. The defaults are for services
// that are not in the same process.
var quick = poller.Cadence{Default: time.Millisecond}

// request makes a request whose URL is known to be good.
func request(method, path, body string) *http.Request {
	req, err := http.NewRequestWithContext(context.Background(), method, "https://a.test"+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	return req
}

// Create a resource and wait for it.
func Example() {
	ctx := context.Background()
	svc := &fakes.Service{} // in place of a real one
	client := fakes.Client(svc)

	req := request("PUT", "/widgets/w1", `{"properties": {"size": 3}}`)
	p, err := poller.Begin[Widget](req, client, &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}
	widget, err := p.PollUntilDone(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s has size %d\n", widget.Name, widget.Properties.Size)
	// Output:
	// w1 has size 3
}

// Updates yields a status for each read, for a progress line or a log.
func Example_progress() {
	ctx := context.Background()
	svc := &fakes.Service{Default: fakes.Plan{Polls: 3, Percent: true}}

	p, err := poller.Begin[Widget](request("PUT", "/widgets/w1", `{}`), fakes.Client(svc), &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}
	for status, err := range p.Updates(ctx) {
		if err != nil {
			log.Fatal(err) // a *WaitError
		}
		fmt.Println(status)
	}
	widget, err := p.Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(widget.Name)
	// Output:
	// InProgress "Accepted"
	// InProgress "Accepted" 25%
	// InProgress "Provisioning" 50%
	// InProgress "Provisioning" 75%
	// Succeeded 100%
	// w1
}

// A resume token carries an operation to another process.
func Example_resume() {
	ctx := context.Background()
	client := fakes.Client(&fakes.Service{})

	first, err := poller.Begin[Widget](request("PUT", "/widgets/w1", `{}`), client, &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}
	token, err := first.ResumeToken() // store it
	if err != nil {
		log.Fatal(err)
	}

	second, err := poller.Resume[Widget](token, client, &poller.Options{
		Origins: []string{"https://a.test"}, // a token could be forged: say whom you trust
		Cadence: quick,
	})
	if err != nil {
		log.Fatal(err)
	}
	widget, err := second.PollUntilDone(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(widget.Name)
	// Output:
	// w1
}

// A deadline ends the wait, not the operation. Where the service asked for a
// pause that goes beyond it, the wait ends at once.
func Example_deadline() {
	svc := &fakes.Service{Default: fakes.Plan{RetryAfter: 5 * time.Minute}}
	p, err := poller.Begin[Widget](request("PUT", "/widgets/w1", `{}`), fakes.Client(svc), nil)
	if err != nil {
		log.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = p.PollUntilDone(ctx)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		token, err := wait.ResumeToken()
		fmt.Printf("%s; the service asked for the pause: %t\n", wait.Reason, wait.Asked)
		fmt.Printf("there is a token to store: %t\n", err == nil && token != "")
	}
	// Output:
	// Deadline; the service asked for the pause: true
	// there is a token to store: true
}

// ARM does not say how an operation is canceled, so the caller does. Canceling
// is a wish: the operation tells how it ends.
func Example_cancel() {
	ctx := context.Background()
	svc := &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}}
	var p *poller.Poller[Widget]
	p, err := poller.Begin[Widget](request("PUT", "/widgets/w1", `{}`), fakes.Client(svc), &poller.Options{
		Cadence: quick,
		CancelRequest: func(poller.Status) (*poller.Request, error) {
			return &poller.Request{Method: http.MethodDelete, URL: p.URL()}, nil // of the operation
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Cancel(ctx); err != nil {
		log.Fatal(err)
	}
	_, err = p.PollUntilDone(ctx)
	fmt.Println(errors.Is(err, lroerrors.ErrCanceled))
	// Output:
	// true
}

// A service has its own word for success. The words of the specification are
// known, and so are some that are often seen.
func Example_words() {
	ctx := context.Background()
	svc := &fakes.Service{Default: fakes.Plan{EndWord: "Ready"}}
	p, err := poller.Begin[Widget](request("PUT", "/widgets/w1", `{}`), fakes.Client(svc), &poller.Options{
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

// Where the result of a POST is, the service's OpenAPI description says:
// "x-ms-long-running-operation-options": {"final-state-via": …}.
func Example_finalStateVia() {
	ctx := context.Background()
	svc := &fakes.Service{}
	svc.Put("/widgets/w1", Widget{})
	svc.Plan(fakes.Plan{Method: http.MethodPost, Result: map[string]string{"key": "k-123"}})

	p, err := poller.Begin[struct{ Key string }](request("POST", "/widgets/w1/listKeys", ""), fakes.Client(svc), &poller.Options{
		FinalStateVia: poller.FinalStateViaAzureAsyncOp, // rather than Location
		ResultPointer: "/properties",                    // within the status document
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

// A deletion has no result. Where a service forgets the operation together with
// the resource, the resource tells that it is gone.
func Example_delete() {
	ctx := context.Background()
	svc := &fakes.Service{Default: fakes.Plan{Polls: 1}}
	svc.Put("/widgets/w1", Widget{})
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.Status(http.StatusNotFound)})

	p, err := poller.Begin[struct{}](request("DELETE", "/widgets/w1", ""), fakes.Client(svc), &poller.Options{Cadence: quick})
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
	// DELETE Begin 202
	// GET Poll 200
	// GET Poll 404
	// GET Read 404
}

// Token brings the credential. It is asked once for all requests, and again
// shortly before it expires or when the service refuses it.
func Example_token() {
	ctx := context.Background()
	svc := &fakes.Service{}
	client := transport.NewClient(&transport.Options{
		Base: &fakes.Transport{Handler: svc}, // leave it out to use the network
		Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
			fmt.Println("a token is made")
			return transport.Token{Value: "secret", Expires: time.Now().Add(time.Hour)}, nil
		},
	})
	p, err := poller.Begin[Widget](request("PUT", "/widgets/w1", `{}`), client, &poller.Options{Cadence: quick})
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
	// a token is made
	// PUT Begin Bearer secret
	// GET Poll Bearer secret
	// GET Poll Bearer secret
	// GET Poll Bearer secret
	// GET Read Bearer secret
}

// A service that goes wrong when told, and remembers what it was asked, is all
// that a test needs. In a bubble of testing/synctest leave the Cadence as it is:
// the minutes pass by themselves, and can be counted.
func Example_testing() {
	ctx := context.Background()
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.HTML(http.StatusBadGateway)})

	p, err := poller.Begin[Widget](request("PUT", "/widgets/w1", `{}`), fakes.Client(svc), &poller.Options{
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
	// GET Read 200
}
