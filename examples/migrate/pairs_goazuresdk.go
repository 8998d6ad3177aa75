package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	hcafter "github.com/lro-go/lro/examples/migrate/goazuresdk/after"
	hcbefore "github.com/lro-go/lro/examples/migrate/goazuresdk/before"
	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/fakes"
)

var fromGoAzureSDK = []pair{
	{
		name: "create, wait and read",
		before: onGoAzureSDK(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			return told(c.Create(ctx, "alpha", widgets.Of(1)))
		}),
		after: offGoAzureSDK(func(ctx context.Context, c *hcafter.Client) (string, error) {
			return told(c.Create(ctx, "alpha", widgets.Of(1)))
		}),
	},
	{
		name:    "an operation that fails",
		service: planned(failing),
		before: onGoAzureSDK(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			_, err := c.Create(ctx, "alpha", widgets.Of(1))
			return hcbefore.Explain(err), nil
		}),
		after: offGoAzureSDK(func(ctx context.Context, c *hcafter.Client) (string, error) {
			_, err := c.Create(ctx, "alpha", widgets.Of(1))
			return hcafter.Explain(err), nil
		}),
	},
	{
		name:    "delete and wait",
		service: immediate(fakes.Plan{}),
		before: onGoAzureSDK(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			return "deleted", c.Delete(ctx, "alpha")
		}),
		after: offGoAzureSDK(func(ctx context.Context, c *hcafter.Client) (string, error) {
			return "deleted", c.Delete(ctx, "alpha")
		}),
		differs: "the operation is asked and not the resource, so that a deletion that fails is an error",
	},
	{
		name:    "a reconciler's turns",
		service: immediate(failing),
		before:  onGoAzureSDK(reconcileGoAzureSDK),
		after:   offGoAzureSDK(reconcileOperation),
		differs: "the operation is asked and not the resource, which does not say why it failed",
	},
	{
		name:    "a listing with a predicate",
		service: stocked(),
		before: onGoAzureSDK(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			size := 4
			return counted(c.ListComplete(ctx, hcbefore.Predicate{Size: &size}))
		}),
		after: offGoAzureSDK(func(ctx context.Context, c *hcafter.Client) (string, error) {
			return counted(c.ListComplete(ctx, 4))
		}),
		differs: byteForByte,
	},
	{
		name: "a request that is retried",
		service: stocked(fakes.Fault{
			Kind: fakes.Begin, Times: 2,
			Do: fakes.Respond(http.StatusConflict, `{"error":{"code":"Conflict","message":"Another operation is in progress."}}`),
		}),
		before: onGoAzureSDK(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			return told(c.Resize(ctx, "alpha", widgets.Of(9)))
		}),
		after: offGoAzureSDK(func(ctx context.Context, c *hcafter.Client) (string, error) {
			return told(c.Resize(ctx, "alpha", widgets.Of(9)))
		}),
	},
	{
		name: "headers",
		before: onGoAzureSDK(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			return told(c.CreateFor(ctx, "contoso", "alpha", widgets.Of(1)))
		}),
		after: offGoAzureSDK(func(ctx context.Context, c *hcafter.Client) (string, error) {
			return told(c.CreateFor(ctx, "contoso", "alpha", widgets.Of(1)))
		}),
	},
	{
		name: "progress",
		before: onGoAzureSDK(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			var seen []string
			err := c.Watch(ctx, "alpha", widgets.Of(1), note(&seen))
			return strings.Join(seen, ", "), err
		}),
		after: offGoAzureSDK(func(ctx context.Context, c *hcafter.Client) (string, error) {
			var seen []string
			err := c.Watch(ctx, "alpha", widgets.Of(1), note(&seen))
			return strings.Join(seen, ", "), err
		}),
		differs: "the widget has been read too, as after every creation",
	},
	{
		name:    "an operation canceled",
		service: planned(fakes.Plan{Duration: fakes.Forever}),
		before: onGoAzureSDK(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			return hcbefore.Explain(c.CreateAndCancel(ctx, "alpha", widgets.Of(1))), nil
		}),
		after: offGoAzureSDK(func(ctx context.Context, c *hcafter.Client) (string, error) {
			return hcafter.Explain(c.CreateAndCancel(ctx, "alpha", widgets.Of(1))), nil
		}),
	},
	{
		name: "success that comes too early",
		service: func() service {
			svc := newService()
			svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 2, Do: resourceState("Creating")})
			svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 3, Times: -1, Do: resourceState("Running")})
			return svc
		},
		before: onGoAzureSDK(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			return told(c.CreateReady(ctx, "alpha", widgets.Of(1)))
		}),
		after: offGoAzureSDK(func(ctx context.Context, c *hcafter.Client) (string, error) {
			return told(c.CreateReady(ctx, "alpha", widgets.Of(1)))
		}),
	},
	{
		name:    "a page of HTML in between",
		service: faulty(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.HTML(http.StatusOK)}),
		before: onGoAzureSDK(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			return told(c.Create(ctx, "alpha", widgets.Of(1)))
		}),
		after: offGoAzureSDK(func(ctx context.Context, c *hcafter.Client) (string, error) {
			return told(c.Create(ctx, "alpha", widgets.Of(1)))
		}),
		differs: "a status that cannot be read is no ending; the wait goes on, within a patience",
	},
}

// reconcileGoAzureSDK takes turns until the widget is there or will not be.
func reconcileGoAzureSDK(ctx context.Context, c *hcbefore.Client) (string, error) {
	if err := c.Begin(ctx, "alpha", widgets.Of(1)); err != nil {
		return "", err
	}
	for ctx.Err() == nil {
		step, err := c.Reconcile(ctx, "alpha")
		switch {
		case err != nil:
			return "", err
		case step.Failed:
			return "it failed", nil
		case step.Widget != nil:
			return step.Widget.String(), nil
		}
		// in a controller: RequeueAfter of step.After, which is 10 s here
	}
	return "", ctx.Err()
}

// reconcileOperation does the same with ours, by the operation.
func reconcileOperation(ctx context.Context, c *hcafter.Client) (string, error) {
	token, err := c.Begin(ctx, "alpha", widgets.Of(1))
	for err == nil {
		var step hcafter.Step
		if step, err = c.Reconcile(ctx, token); step.Widget != nil {
			return step.Widget.String(), err
		}
		time.Sleep(step.After) // in a controller: RequeueAfter
		token = step.Token
	}
	return hcafter.Explain(err), nil
}

// immediate is a stocked service whose operations have ended, as p says, before they
// are asked for. So nobody has to wait for who asks the resource and not the operation.
func immediate(p fakes.Plan) func() service {
	return func() service {
		svc := stocked()().(*fakes.Service)
		p.Polls = -1
		svc.Default = p
		return svc
	}
}

// resourceState has an answer show a widget in a state of its own.
func resourceState(state string) func(http.Handler) http.Handler {
	return fakes.Edit(func(a *fakes.Answer) {
		a.Body = bytes.Replace(a.Body, []byte(`"properties":{`), []byte(`"properties":{"resourceState":"`+state+`",`), 1)
	})
}

// counted says what a listing has brought.
func counted(items []widgets.Widget, err error) (string, error) {
	if len(items) != 1 {
		return "", errors.Join(err, fmt.Errorf("%d widgets", len(items)))
	}
	return items[0].Name, err
}
