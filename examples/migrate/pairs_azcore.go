package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	azafter "github.com/lro-go/lro/examples/migrate/azcore/after"
	azbefore "github.com/lro-go/lro/examples/migrate/azcore/before"
	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/fakes"
)

// byteForByte is why the requests of a listing differ.
const byteForByte = "a link is asked for as the service wrote it; encoded anew, a signed one may not be good any more"

var fromAzcore = []pair{
	{
		name: "create and wait",
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			return told(c.Create(ctx, "alpha", widgets.Of(1)))
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			return told(c.Create(ctx, "alpha", widgets.Of(1)))
		}),
	},
	{
		name:    "an operation that fails",
		service: planned(failing),
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			_, err := c.Create(ctx, "alpha", widgets.Of(1))
			return azbefore.Explain(err), nil
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			_, err := c.Create(ctx, "alpha", widgets.Of(1))
			return azafter.Explain(err), nil
		}),
	},
	{
		name:   "a reconciler's turns",
		before: onAzcore(reconcileAzcore),
		after:  offAzcore(reconcile),
	},
	{
		name: "a token resumed",
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			token, err := c.Begin(ctx, "alpha", widgets.Of(1))
			if err != nil {
				return "", err
			}
			return told(c.Resume(ctx, token))
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			token, err := c.Begin(ctx, "alpha", widgets.Of(1))
			if err != nil {
				return "", err
			}
			return told(c.Resume(ctx, token))
		}),
	},
	{
		name: "azcore's token resumed",
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			token, err := c.Begin(ctx, "alpha", widgets.Of(1))
			if err != nil {
				return "", err
			}
			return told(c.Resume(ctx, token))
		}),
		after: func(ctx context.Context, origin string) (string, error) {
			token, err := azcoreBefore(origin).Begin(ctx, "alpha", widgets.Of(1)) // stored before the move
			if err != nil {
				return "", err
			}
			return told(azcoreAfter(origin).Resume(ctx, token))
		},
	},
	{
		name: "a generated client's operation",
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			return told(azbefore.Replace(ctx, c, "alpha", widgets.Of(1)))
		}),
		after: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			return told(azafter.Replace(ctx, c, "alpha", widgets.Of(1), polling()))
		}),
	},
	{
		name:    "a listing",
		service: stocked(),
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			return joined(c.Names(ctx))
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			return joined(c.Names(ctx))
		}),
		differs: byteForByte,
	},
	{
		name:    "a request that is retried",
		service: faulty(fakes.Fault{Kind: fakes.Begin, Times: 2, Do: fakes.Status(http.StatusConflict)}),
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			return told(c.Create(ctx, "alpha", widgets.Of(1)))
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			return told(c.Create(ctx, "alpha", widgets.Of(1)))
		}),
	},
	{
		name: "a header on every request",
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			return told(c.CreateFor(ctx, "contoso", "alpha", widgets.Of(1)))
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			return told(c.CreateFor(ctx, "contoso", "alpha", widgets.Of(1)))
		}),
	},
	{
		name: "progress",
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			var seen []string
			_, err := c.Watch(ctx, "alpha", widgets.Of(1), note(&seen))
			return strings.Join(seen, ", "), err
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			var seen []string
			_, err := c.Watch(ctx, "alpha", widgets.Of(1), note(&seen))
			return strings.Join(seen, ", "), err
		}),
	},
	{
		name:    "an operation canceled",
		service: planned(fakes.Plan{Duration: fakes.Forever}),
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			return azbefore.Explain(c.CreateAndCancel(ctx, "alpha", widgets.Of(1))), nil
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			return azafter.Explain(c.CreateAndCancel(ctx, "alpha", widgets.Of(1))), nil
		}),
	},
	{
		name:    "an operation of one's own kind",
		service: jobs,
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			return told(c.RunJob(ctx, widgets.Of(1)))
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			return told(c.RunJob(ctx, widgets.Of(1)))
		}),
	},
	{
		name:    "its token resumed",
		service: jobs,
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			return told(c.RunJob(ctx, widgets.Of(1)))
		}),
		after: func(ctx context.Context, origin string) (string, error) {
			p, err := azcoreBefore(origin).BeginJob(ctx, widgets.Of(1))
			if err != nil {
				return "", err
			}
			token, err := p.ResumeToken() // stored before the move
			if err != nil {
				return "", err
			}
			return told(azcoreAfter(origin).ResumeJob(ctx, token))
		},
	},
	{
		name:    "a page of HTML in between",
		service: faulty(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.HTML(http.StatusOK)}),
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			return told(c.Create(ctx, "alpha", widgets.Of(1)))
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			return told(c.Create(ctx, "alpha", widgets.Of(1)))
		}),
		differs: "a status that cannot be read is no ending; the wait goes on, within a patience",
	},
	{
		name:    "a status that is published late",
		service: faulty(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusNotFound)}),
		before: onAzcore(func(ctx context.Context, c *azbefore.Client) (string, error) {
			_, err := c.Create(ctx, "alpha", widgets.Of(1))
			return azbefore.Explain(err), nil
		}),
		after: offAzcore(func(ctx context.Context, c *azafter.Client) (string, error) {
			_, err := c.Create(ctx, "alpha", widgets.Of(1))
			return azafter.Explain(err), nil
		}),
		differs: "a 404 is borne for 5 minutes and 3 reads: the operation had been accepted",
	},
}

// reconcileAzcore has azcore's reconciler take its turns until there is a widget.
func reconcileAzcore(ctx context.Context, c *azbefore.Client) (string, error) {
	token, err := c.Begin(ctx, "alpha", widgets.Of(1))
	for err == nil {
		var step azbefore.Step
		if step, err = c.Reconcile(ctx, token); step.Widget != nil {
			return step.Widget.String(), err
		}
		time.Sleep(step.After) // in a controller: RequeueAfter
		token = step.Token
	}
	return "", err
}

// reconcile does the same with ours.
func reconcile(ctx context.Context, c *azafter.Client) (string, error) {
	token, err := c.Begin(ctx, "alpha", widgets.Of(1))
	for err == nil {
		var step azafter.Step
		if step, err = c.Reconcile(ctx, token); step.Widget != nil {
			return step.Widget.String(), err
		}
		time.Sleep(step.After) // in a controller: RequeueAfter
		token = step.Token
	}
	return "", err
}

// told says what a call has brought.
func told(w widgets.Widget, err error) (string, error) { return w.String(), err }

func joined(names []string, err error) (string, error) { return strings.Join(names, " "), err }

// note writes down how an operation is getting on.
func note(seen *[]string) func(word string, percent float64) {
	return func(word string, percent float64) { *seen = append(*seen, fmt.Sprintf("%s %.0f%%", word, percent)) }
}
