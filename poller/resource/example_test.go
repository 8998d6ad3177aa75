package resource_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
)

// newServers returns a service that starts a server. At the second read, the server is stable.
func newServers() http.Handler {
	var reads atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/servers", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprint(w, `{"href": "/v1/servers/s1", "lifecycle_state": "pending"}`)
	})
	mux.HandleFunc("GET /v1/servers/s1", func(w http.ResponseWriter, _ *http.Request) {
		state := "pending"
		if reads.Add(1) == 2 {
			state = "stable"
		}
		_, _ = fmt.Fprintf(w, `{"href": "/v1/servers/s1", "name": "alpha", "lifecycle_state": %q}`, state)
	})
	return mux
}

// For your own service, define a Strategy that says where the status is and which words end an
// operation.
func ExampleStrategy() {
	ctx := context.Background()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://api.example.test/v1/servers", strings.NewReader(`{"name": "alpha"}`))
	if err != nil {
		panic(err)
	}
	type server struct {
		Name  string
		State string `json:"lifecycle_state"`
	}
	client := fakes.Client(newServers()) // use your own client for a real service
	p, err := poller.Begin[server](req, client, &poller.Options{
		Strategy: resource.Strategy{
			Status:    "/lifecycle_state",
			Succeeded: []string{"stable"},
			Failed:    []string{"failed", "suspended"},
		},
		Cadence: poller.Cadence{Default: time.Millisecond, Min: time.Millisecond}, // short pauses, so that the example runs quickly
	})
	if err != nil {
		panic(err)
	}
	s, err := p.PollUntilDone(ctx)
	fmt.Println(s.Name, s.State, err)
	// Output:
	// alpha stable <nil>
}

// A background response of the OpenAI API contains no URL, so the Strategy's URL function builds
// one from the response's ID.
func ExampleStrategy_background() {
	background := resource.Strategy{
		Failed: []string{"failed", "incomplete"},
		URL:    func(a strategy.Answer) (string, error) { return "/v1/responses/" + url.PathEscape(a.Text("/id")), nil },
	}

	mux := http.NewServeMux() // simulates the real service
	mux.HandleFunc("POST /v1/responses", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"id": "resp_1", "status": "queued"}`)
	})
	mux.HandleFunc("GET /v1/responses/resp_1", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"id": "resp_1", "status": "completed", "model": "m1"}`)
	})
	ctx := context.Background()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://api.example.test/v1/responses", strings.NewReader(`{"background": true}`))
	if err != nil {
		panic(err)
	}
	type response struct{ ID, Model string }
	p, err := poller.Begin[response](req, fakes.Client(mux), &poller.Options{
		Strategy: background,
		Cadence:  poller.Cadence{Default: time.Millisecond, Min: time.Millisecond}, // short pauses, so that the example runs quickly
	})
	if err != nil {
		panic(err)
	}
	r, err := p.PollUntilDone(ctx)
	fmt.Println(r.ID, r.Model, err)
	// Output:
	// resp_1 m1 <nil>
}
