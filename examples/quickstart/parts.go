package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// strategies lists the ways in which a service reports the status. The poller recognizes each one
// from the first response.
var strategies = []struct {
	label, name string
	style       fakes.Style
}{
	{"Azure-AsyncOperation", "alpha", fakes.AzureAsyncOperation},
	{"Operation-Location", "beta", fakes.OperationLocation},
	{"Location", "gamma", fakes.Location},
	{"provisioningState", "delta", fakes.ProvisioningState},
}

// createAll creates a widget with each strategy.
func (d *demo) createAll(ctx context.Context) error {
	for i, s := range strategies {
		p, err := d.begin(ctx, s.name, i+1, options())
		if err != nil {
			return err
		}
		w, err := d.follow(ctx, s.label, p)
		if err != nil {
			return err
		}
		d.printf("  result: %s", w)
	}
	return nil
}

// fail starts an operation that fails, and prints the service's error.
func (d *demo) fail(ctx context.Context) error {
	p, err := d.begin(ctx, "too-large", 1000, options())
	if err != nil {
		return err
	}
	_, err = d.follow(ctx, "too-large", p)
	failure, ok := errors.AsType[*lroerrors.OperationError](err)
	if !ok || failure.Detail == nil {
		return fmt.Errorf("expected a failure, got %w", err)
	}
	d.printf("  error: %s", failure)
	d.printf("  code for a program to act on: %s", failure.Detail.Code)
	for _, sub := range failure.Detail.Details {
		d.printf("  detail: %s about %s: %s", sub.Code, sub.Target, sub.Message)
	}
	return nil
}

// cancel cancels an operation that would otherwise never end.
func (d *demo) cancel(ctx context.Context) error {
	// ARM defines no request that cancels an operation. This service accepts a DELETE to the status
	// URL.
	var p *poller.Poller[widget]
	opts := options()
	opts.CancelRequest = func(poller.Status) (*poller.Request, error) {
		return &poller.Request{Method: http.MethodDelete, URL: p.URL()}, nil
	}
	p, err := d.begin(ctx, "endless", 1, opts)
	if err != nil {
		return err
	}
	if err := p.Cancel(ctx); err != nil {
		return err
	}
	d.printf("  The service accepted the cancellation. The status shows how the operation ends.")
	_, err = d.follow(ctx, "endless", p)
	if !errors.Is(err, lroerrors.ErrCanceled) {
		return fmt.Errorf("expected a cancellation, got %w", err)
	}
	d.printf("  error: %s", err)
	return nil
}

// resume starts an operation with one poller and follows it with another, as if the program had
// restarted.
func (d *demo) resume(ctx context.Context) error {
	first, err := d.begin(ctx, "epsilon", 5, options())
	if err != nil {
		return err
	}
	status, err := first.Poll(ctx)
	if err != nil {
		return err
	}
	d.printf("  first poller: %s", status)
	token, err := first.ResumeToken()
	if err != nil {
		return err
	}
	d.printf("  It stores a token of %d bytes.", len(token))

	// A stored token may be forged. The second poller sends requests only to the
	// origins in its options.
	opts := options()
	opts.Origins = []string{d.origin}
	second, err := poller.Resume[widget](token, transport.NewClient(nil), opts)
	if err != nil {
		return err
	}
	w, err := d.follow(ctx, "second poller", second)
	if err != nil {
		return err
	}
	d.printf("  result: %s", w)
	return nil
}

// list prints the widgets page by page, and fetches the next page while it prints the current one.
// To get the widgets one by one, use the iterator pages.All.
func (d *demo) list(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.origin+widgets, http.NoBody)
	if err != nil {
		return err
	}
	pages := pager.New[widget](req, d.client, &pager.Options{ReadAhead: 1})
	for page, err := range pages.Pages(ctx) {
		if err != nil {
			return err
		}
		for _, w := range page.Items {
			d.printf("  %s", w)
		}
		if pages.More() {
			d.printf("  (next page)")
		}
	}
	return nil
}
