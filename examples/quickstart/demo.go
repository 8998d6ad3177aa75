package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/lro-go/lro/poller"
)

// A demo has what its parts share.
type demo struct {
	client *http.Client
	origin string // of the service
	screen *screen
}

// A widget is the resource of the service. An operation that creates one has it
// as its result.
type widget struct {
	Name       string `json:"name,omitempty"`
	Properties struct {
		Size              int    `json:"size"`
		ProvisioningState string `json:"provisioningState,omitempty"`
	} `json:"properties"`
}

// options are those of every poller here.
//
// The Cadence is for this demonstration alone. The poller never asks more often
// than every 10 s, whatever the service says, and once a minute where it says
// nothing. Leave that as it is in production: reads count against the request
// limits of the subscription, as everything else does that goes on in it.
func options() *poller.Options {
	return &poller.Options{
		Cadence: poller.Cadence{Min: 50 * time.Millisecond},
	}
}

// begin asks for a widget, and returns the poller of the operation that creates
// it.
func (d *demo) begin(ctx context.Context, name string, size int, opts *poller.Options) (*poller.Poller[widget], error) {
	var want widget
	want.Properties.Size = size
	body, err := json.Marshal(want)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, d.origin+widgets+"/"+name, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return poller.Begin[widget](req, d.client, opts)
}

// follow shows the progress of an operation until it has ended, and returns its
// result. PollUntilDone alone does the same without the progress.
func (d *demo) follow(ctx context.Context, label string, p *poller.Poller[widget]) (widget, error) {
	line := d.screen.line(label)
	defer line.end()
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return widget{}, err
		}
		line.show(status)
	}
	return p.PollUntilDone(ctx)
}
