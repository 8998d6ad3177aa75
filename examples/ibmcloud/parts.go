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
	"github.com/lro-go/lro/poller/ibmcloud"
)

// A widget holds the fields that this program reads from the resources of the different services.
type widget struct {
	Name   string
	Status string
	State  string
	Task   struct {
		Status   string
		Progress float64 `json:"progress_percent"`
	}
}

// begin sends a request that starts an operation. The caller chooses the strategy, because IBM
// Cloud's responses do not identify it.
func (d *demo) begin(ctx context.Context, method, path, body string, strategy poller.Strategy) (p *poller.Poller[widget], err error) {
	req, err := http.NewRequestWithContext(ctx, method, d.origin+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	const pause = 50 * time.Millisecond // keeps the demonstration short; the default is a minute
	opts := &poller.Options{
		Strategy: strategy,
		Cadence:  poller.Cadence{Default: pause, Min: pause, Max: pause},
	}
	if path == instances {
		// By default, this strategy cannot cancel a creation, because the service chooses the URL
		// of the DELETE. This program trusts the service and sends the DELETE.
		opts.CancelRequest = func(poller.Status) (*poller.Request, error) {
			return &poller.Request{Method: http.MethodDelete, URL: p.URL() + "/last_operation"}, nil
		}
	}
	p, err = poller.Begin[widget](req, d.client, opts)
	return p, err
}

// instances is the path at which Resource Controller creates instances.
const instances = "/v2/resource_instances"

// follow prints each status of an operation and returns its result.
func (d *demo) follow(ctx context.Context, p *poller.Poller[widget]) (widget, error) {
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return widget{}, err
		}
		d.printf("%s", status)
	}
	return p.PollUntilDone(ctx)
}

func (d *demo) printf(format string, args ...any) { _, _ = fmt.Fprintf(d.w, "  "+format+"\n", args...) }

func (d *demo) operation(ctx context.Context) error {
	p, err := d.begin(ctx, http.MethodPost, "/v1/widgets", `{"name": "alpha"}`, ibmcloud.Operation{})
	if err != nil {
		return err
	}
	w, err := d.follow(ctx, p)
	if err != nil {
		return err
	}
	d.printf("result: %s", w.Name)
	return nil
}

func (d *demo) fail(ctx context.Context) error {
	p, err := d.begin(ctx, http.MethodPost, "/v1/gadgets", `{"name": "alpha"}`, ibmcloud.Operation{})
	if err != nil {
		return err
	}
	_, err = d.follow(ctx, p)
	operation, ok := errors.AsType[*lroerrors.OperationError](err)
	if !ok {
		return err
	}
	for _, detail := range operation.Detail.Details {
		d.printf("error: code %s, target %q: %s", detail.Code, detail.Target, detail.Message)
	}
	return nil
}

// cancel asks the service to cancel an operation, and polls until the status confirms the
// cancellation.
func (d *demo) cancel(ctx context.Context) error {
	p, err := d.begin(ctx, http.MethodPost, "/v1/endless", `{}`, ibmcloud.Operation{})
	if err != nil {
		return err
	}
	if err := p.Cancel(ctx); err != nil {
		return err
	}
	_, err = d.follow(ctx, p)
	if !errors.Is(err, lroerrors.ErrCanceled) {
		return fmt.Errorf("expected a cancellation, got %w", err)
	}
	return nil
}

// vpc creates and deletes a VPC instance. It follows the deletion too, because the service responds
// with 204 long before the instance is gone.
func (d *demo) vpc(ctx context.Context) error {
	p, err := d.begin(ctx, http.MethodPost, "/v1/instances"+version, `{"name": "vm"}`, ibmcloud.VPC("running"))
	if err != nil {
		return err
	}
	vm, err := d.follow(ctx, p)
	if err != nil {
		return err
	}
	d.printf("result: %s is %s", vm.Name, vm.Status)
	path := strings.TrimPrefix(p.ResultURL(), d.origin) // ResultURL includes the query, which the href in the body lacks
	d.printf("deleting %s", vm.Name)
	if p, err = d.begin(ctx, http.MethodDelete, path, "", ibmcloud.VPC()); err != nil {
		return err
	}
	_, err = d.follow(ctx, p)
	return err
}

func (d *demo) resourceController(ctx context.Context) error {
	p, err := d.begin(ctx, http.MethodPost, instances, `{"name": "store"}`, ibmcloud.ResourceController())
	if err != nil {
		return err
	}
	if err := p.Cancel(ctx); err != nil {
		return err
	}
	_, err = d.follow(ctx, p)
	operation, ok := errors.AsType[*lroerrors.OperationError](err)
	if !ok {
		return err
	}
	d.printf("code of a canceled creation: %s", operation.Detail.Code)
	return nil
}

func (d *demo) task(ctx context.Context) error {
	p, err := d.begin(ctx, http.MethodPatch, "/v5/ibm/deployments/d1/groups/member", `{"group": {"members": {"allocation_count": 3}}}`, ibmcloud.Task())
	if err != nil {
		return err
	}
	w, err := d.follow(ctx, p)
	if err != nil {
		return err
	}
	d.printf("result: task %s at %g%%", w.Task.Status, w.Task.Progress)
	return nil
}
