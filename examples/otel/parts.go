package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/otel/lrotel"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A demo has what its parts share.
type demo struct {
	tel    *lrotel.Telemetry
	client *http.Client
	origin string // of the service
}

// A part is shown as a trace.
type part struct {
	title string
	run   func(context.Context) error
}

func (d *demo) parts() []part {
	var kept []byte // by one process for the next
	return []part{
		{"a wait with trouble", d.create},
		{"a failure", d.fail},
		{"a process that stops", func(ctx context.Context) (err error) {
			kept, err = d.stop(ctx)
			return err
		}},
		{"the next process", func(ctx context.Context) error { return d.resume(ctx, kept) }},
		{"a group", d.group},
	}
}

type widget struct {
	Name string `json:"name"`
}

const createWidget = "create widget"

// The delays are for this demonstration alone: see examples/quickstart.
func options() *poller.Options {
	return &poller.Options{Cadence: poller.Cadence{Min: 50 * time.Millisecond}}
}

func transportOptions() *transport.Options {
	return &transport.Options{MinDelay: 20 * time.Millisecond}
}

func (d *demo) begin(ctx context.Context, name string) (*lrotel.Operation[widget], error) {
	url := d.origin + widgets + "/" + name + "?api-version=2024-05-01&" + signature
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(`{"properties": {}}`))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return lrotel.Begin[widget](d.tel, createWidget, req, d.client, options())
}

// create begins an operation and follows it: all that a program has to do.
func (d *demo) create(ctx context.Context) error {
	op, err := d.begin(ctx, "alpha")
	if err != nil {
		return err
	}
	_, err = op.PollUntilDone(ctx)
	return err
}

func (d *demo) fail(ctx context.Context) error {
	op, err := d.begin(ctx, "too-large")
	if err != nil {
		return err
	}
	_, err = op.PollUntilDone(ctx)
	if _, failed := errors.AsType[*lroerrors.OperationError](err); !failed {
		return fmt.Errorf("expected a failure, got %w", err)
	}
	return nil
}

// stop begins an operation and gives up waiting for it, as a process does that has to
// end. What it returns would be stored.
func (d *demo) stop(ctx context.Context) ([]byte, error) {
	op, err := d.begin(ctx, "beta")
	if err != nil {
		return nil, err
	}
	short, cancel := context.WithTimeout(ctx, 150*time.Millisecond)
	defer cancel()
	_, err = op.PollUntilDone(short)
	if _, stopped := errors.AsType[*lroerrors.WaitError](err); !stopped {
		return nil, fmt.Errorf("expected not to see the end, got %w", err)
	}
	kept, err := op.Keep()
	if err != nil {
		return nil, err
	}
	return json.Marshal(kept)
}

// resume takes up what stop has left, with nothing but what it has stored.
func (d *demo) resume(ctx context.Context, stored []byte) error {
	var kept lrotel.Kept
	if err := json.Unmarshal(stored, &kept); err != nil {
		return err
	}
	opts := options()
	opts.Origins = []string{d.origin} // a token could be forged
	op, err := lrotel.Resume[widget](d.tel, createWidget, kept, d.client, opts)
	if err != nil {
		return err
	}
	_, err = op.PollUntilDone(ctx)
	return err
}

// group follows several operations. There the wait of each is begun and ended by us.
func (d *demo) group(ctx context.Context) error {
	group := poller.NewGroup(&poller.GroupOptions{Spread: -1}) // no spreading: the demonstration is short
	if _, err := d.tel.Group("widgets", group); err != nil {   // for as long as the program lasts
		return err
	}
	for _, name := range []string{"gamma", "delta"} {
		op, err := d.begin(ctx, name)
		if err != nil {
			return err
		}
		op.Start(ctx)
		group.Add(op)
	}
	group.Close()
	for op, err := range group.Wait(ctx) {
		op.(*lrotel.Operation[widget]).End(err)
		if err != nil {
			return err
		}
	}
	return nil
}
