package ibmcloud_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	fakeibm "github.com/lro-go/lro/fakes/ibmcloud"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/transport"
)

// fast is a Cadence with short pauses for a service in the same process. For a real service, use
// the default of a minute.
var fast = poller.Cadence{Default: time.Millisecond, Min: time.Millisecond, Max: time.Millisecond}

// do starts an operation, waits until it ends and returns its result.
func do[T any](client *http.Client, method, path string, strategy poller.Strategy) (T, error) {
	var none T
	ctx := context.Background()
	req, err := http.NewRequestWithContext(ctx, method, "https://api.example.test"+path, strings.NewReader(`{"name": "alpha"}`))
	if err != nil {
		return none, err
	}
	p, err := poller.Begin[T](req, client, &poller.Options{Strategy: strategy, Cadence: fast})
	if err != nil {
		return none, err
	}
	return p.PollUntilDone(ctx)
}

// The result is the created resource. Once the operation has ended, the operation resource contains
// the URL of that resource.
func ExampleOperation() {
	client := transport.NewClient(&transport.Options{
		Policy: transport.IdempotentOnly,                    // a repeated POST would create a second resource
		Base:   &fakes.Transport{Handler: fakeibm.New(nil)}, // a service in this process; omit Base for a real one
	})
	type widget struct{ Name string }
	w, err := do[widget](client, http.MethodPost, "/v1/widgets", ibmcloud.Operation{})
	fmt.Println(w.Name, err)
	// Output:
	// alpha <nil>
}

// If an operation fails with several errors, Details contains each error with its code.
func ExampleOperation_failed() {
	svc := fakeibm.New(nil)
	svc.Default = fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{
		Code: "missing_field", Message: "A size is required.", Target: "size",
		Details: []fakes.Error{{Code: "reserved_value", Message: "The name is taken.", Target: "name"}},
	}}
	_, err := do[struct{}](fakes.Client(svc), http.MethodPost, "/v1/widgets", ibmcloud.Operation{})
	if operation, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		for _, d := range operation.Detail.Details {
			fmt.Printf("%s about %s: %s\n", d.Code, d.Target, d.Message)
		}
	}
	// Output:
	// missing_field about size: A size is required.
	// reserved_value about name: The name is taken.
}

// The VPC API responds to the DELETE of an instance with a 204. The operation ends once the
// instance is gone.
func ExampleVPC() {
	svc := fakeibm.NewVPC()
	svc.Put("/v1/instances/i1", map[string]any{"status": "running"})
	_, err := do[struct{}](fakes.Client(svc), http.MethodDelete, "/v1/instances/i1?version=2026-01-01&generation=2", ibmcloud.VPC())
	_, there := svc.Resource("/v1/instances/i1")
	fmt.Println(there, err)
	// Output:
	// false <nil>
}
