package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotel"
	"github.com/lro-go/lro/transport"
)

// A demo holds what all parts of the demonstration share.
type demo struct {
	tel    *lrotel.Telemetry
	client *http.Client
	origin string
}

// A part is a section of the demonstration that produces one trace.
type part struct {
	title string
	run   func(context.Context) error
}

func (d *demo) parts() []part {
	var stored kept // what one process stores for the next
	return []part{
		{"a wait with trouble", d.create},
		{"a failure", d.fail},
		{"a process that stops", func(ctx context.Context) (err error) {
			stored, err = d.stop(ctx)
			return err
		}},
		{"the next process", func(ctx context.Context) error { return d.resume(ctx, stored) }},
		{"a group", d.group},
	}
}

type widget struct {
	Name string `json:"name"`
}

const createWidget = "create widget"

// options and transportOptions shorten the demonstration's pauses. Keep the defaults in production,
// because Azure limits the rate of requests for each subscription.
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

// create starts an operation and follows it. Most programs need only these two calls: lrotel.Begin
// (in the method begin) and PollUntilDone.
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

// kept holds the values that a program stores to resume an operation.
type kept struct{ token, traceparent string }

// stop starts an operation and soon stops waiting, like a process that must exit. It returns what
// the next process needs.
func (d *demo) stop(ctx context.Context) (kept, error) {
	op, err := d.begin(ctx, "beta")
	if err != nil {
		return kept{}, err
	}
	short, cancel := context.WithTimeout(ctx, 150*time.Millisecond)
	defer cancel()
	_, err = op.PollUntilDone(short)
	if _, stopped := errors.AsType[*lroerrors.WaitError](err); !stopped {
		return kept{}, fmt.Errorf("expected the wait to stop, got %w", err)
	}
	token, err := op.ResumeToken()
	return kept{token, op.Traceparent()}, err
}

// resume resumes the operation that stop started.
func (d *demo) resume(ctx context.Context, stored kept) error {
	opts := options()
	opts.Origins = []string{d.origin} // a forged token must not direct requests to another origin
	op, err := lrotel.Resume[widget](d.tel, createWidget, stored.token, d.client, opts)
	if err != nil {
		return err
	}
	op.LinkTo(stored.traceparent)
	_, err = op.PollUntilDone(ctx)
	return err
}

// group follows several operations with a poller.Group. The program must start and end the span of
// each wait itself.
func (d *demo) group(ctx context.Context) error {
	group := poller.NewGroup[*lrotel.Operation[widget]](&poller.GroupOptions{Spread: -1}) // do not spread reads, to keep the demonstration short
	if _, err := d.tel.Group("widgets", group); err != nil {                              // Telemetry reports the group's metrics until the program ends
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
		op.End(err)
		if err != nil {
			return err
		}
	}
	return nil
}
