package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/poller"
)

// A cluster is the resource that the service manages.
type cluster struct {
	Name       string
	Tags       map[string]string
	Properties struct{ ProvisioningState string }
}

// options returns the options for most pollers in this program. The service never requests a pause,
// so the Cadence determines the pauses. The default of one minute is too long for a demonstration.
func options() *poller.Options {
	const pause = 100 * time.Millisecond
	return &poller.Options{Cadence: poller.Cadence{Default: pause, Min: pause}}
}

func (d *demo) request(ctx context.Context, method, name, body string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, d.origin+clusters+"/"+name+version, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// begin sends a request that starts an operation.
func (d *demo) begin(ctx context.Context, method, name, body string, opts *poller.Options) (*poller.Poller[cluster], error) {
	req, err := d.request(ctx, method, name, body)
	if err != nil {
		return nil, err
	}
	return poller.Begin[cluster](req, d.client, opts)
}

// follow prints the operation's status word whenever it changes, and returns the result.
func (d *demo) follow(ctx context.Context, label string, p *poller.Poller[cluster]) (cluster, error) {
	word := ""
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return cluster{}, err
		}
		if status.Word != word {
			word = status.Word
			d.printf("%-10s %s", label, word)
		}
	}
	return p.PollUntilDone(ctx)
}

func (d *demo) printf(format string, args ...any) { _, _ = fmt.Fprintf(d.w, "  "+format+"\n", args...) }
