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

// ways are those in which a service tells how an operation is getting on. The
// poller finds out by itself which one it is.
var ways = []struct {
	label, name string
	style       fakes.Style
}{
	{"Azure-AsyncOperation", "alpha", fakes.AzureAsyncOperation},
	{"Operation-Location", "beta", fakes.OperationLocation},
	{"Location", "gamma", fakes.Location},
	{"provisioningState", "delta", fakes.ProvisioningState},
}

// createAll creates a widget in each of the ways.
func (d *demo) createAll(ctx context.Context) error {
	for i, way := range ways {
		p, err := d.begin(ctx, way.name, i+1, options())
		if err != nil {
			return err
		}
		w, err := d.follow(ctx, way.label, p)
		if err != nil {
			return err
		}
		d.screen.printf("  result: %s, size %d, %s\n", w.Name, w.Properties.Size, w.Properties.ProvisioningState)
	}
	return nil
}

// fail begins an operation that the service fails, and decodes its reason.
func (d *demo) fail(ctx context.Context) error {
	p, err := d.begin(ctx, "too-large", 1000, options())
	if err != nil {
		return err
	}
	_, err = d.follow(ctx, "too-large", p)
	failure, ok := errors.AsType[*lroerrors.OperationError](err)
	if !ok {
		return unexpected("a failure", err)
	}
	d.screen.printf("  error: %s\n", explain(failure))
	if failure.Detail == nil {
		return nil // the service gave no reason
	}
	d.screen.printf("  code %s, for a program to act on\n", failure.Detail.Code)
	for _, sub := range failure.Detail.Details {
		d.screen.printf("  detail: %s about %s: %s\n", sub.Code, sub.Target, sub.Message)
	}
	return nil
}

// cancel gives up an operation that would not end by itself.
func (d *demo) cancel(ctx context.Context) error {
	opts := options()
	// ARM does not say how to cancel an operation, so the caller must. This
	// service takes a DELETE of the operation, and this program trusts its URL.
	var p *poller.Poller[widget]
	opts.CancelRequest = func(poller.Status) (*poller.Request, error) {
		return &poller.Request{Method: http.MethodDelete, URL: p.URL()}, nil
	}
	p, err := d.begin(ctx, "endless", 1, opts)
	if err != nil {
		return err
	}
	if _, err := p.Poll(ctx); err != nil {
		return err
	}
	d.screen.printf("  %s\n", p.Status())
	if err := p.Cancel(ctx); err != nil {
		return err
	}
	d.screen.printf("  cancellation accepted; the operation tells how it ends\n")
	_, err = d.follow(ctx, "endless", p)
	if !errors.Is(err, lroerrors.ErrCanceled) {
		return unexpected("a cancellation", err)
	}
	d.screen.printf("  error: %s\n", explain(err))
	return nil
}

// resume begins an operation with one poller and ends it with another, as after
// a restart of the program.
func (d *demo) resume(ctx context.Context) error {
	first, err := d.begin(ctx, "epsilon", 5, options())
	if err != nil {
		return err
	}
	status, err := first.Poll(ctx)
	if err != nil {
		return err
	}
	d.screen.printf("  first poller: %s\n", status)
	token, err := first.ResumeToken()
	if err != nil {
		return err
	}
	d.screen.printf("  its token of %d bytes is stored\n", len(token))

	// From here on there is nothing but the token. It could be forged, so the
	// second poller asks only the origins that it is told to trust.
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
	d.screen.printf("  result: %s, size %d, %s\n", w.Name, w.Properties.Size, w.Properties.ProvisioningState)
	return nil
}

// list reads what has been created, page by page, the next one while this one is
// shown. pages.All yields the widgets one by one.
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
			d.screen.printf("  %-22ssize %d, %s\n", w.Name, w.Properties.Size, w.Properties.ProvisioningState)
		}
		if pages.More() {
			d.screen.printf("  and a link to more\n")
		}
	}
	return nil
}

// unexpected is the error of a part that ended otherwise than planned.
func unexpected(want string, err error) error {
	if err == nil {
		return fmt.Errorf("the operation succeeded; expected %s", want)
	}
	return err
}
