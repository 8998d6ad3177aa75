package lro_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// A Widget is the resource that createWidget creates.
type Widget struct{ Name string }

// createWidget creates a widget and waits until it is ready.
func createWidget(ctx context.Context, client *http.Client, url string, body io.Reader, opts *poller.Options) (Widget, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, body)
	if err != nil {
		return Widget{}, err
	}
	p, err := poller.Begin[Widget](req, client, opts)
	if err != nil {
		return Widget{}, err
	}
	return p.PollUntilDone(ctx)
}

// Create a resource and wait until it is ready.
func Example() {
	client := fakes.Client(&fakes.Service{})
	opts := &poller.Options{
		Cadence: poller.Cadence{Default: time.Millisecond}, // short, because the service is in this process; the default is a minute
	}
	widget, err := createWidget(context.Background(), client, "https://a.test/widgets/w1", strings.NewReader("{}"), opts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(widget.Name, "is ready")
	// Output:
	// w1 is ready
}
