package migrate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
	azafter "github.com/lro-go/lro/internal/migrate/azcore/after"
	azbefore "github.com/lro-go/lro/internal/migrate/azcore/before"
	hcafter "github.com/lro-go/lro/internal/migrate/goazuresdk/after"
	hcbefore "github.com/lro-go/lro/internal/migrate/goazuresdk/before"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// These are reasons why the requests of a pair can differ. Both guides use them.
const (
	byteForByte = "we use a link byte for byte; a signed one may not survive being encoded again"
	failedRead  = "a response that is not a status is a failed read, and we read again"
)

var azcorePairs = []pair{
	{name: "create and wait", sides: withAzcore(create)},
	{name: "an operation that fails", service: planned(failing), sides: withAzcore(createAndExplain)},
	{name: "a generated client", sides: sides{
		func(ctx context.Context, origin string) (string, error) {
			return describe(azbefore.Replace(ctx, azcoreBefore(origin), "alpha", widgets.Of(1)))
		},
		func(ctx context.Context, origin string) (string, error) {
			return describe(azafter.Replace(ctx, azcoreBefore(origin), "alpha", widgets.Of(1), polling()))
		},
	}},
	{name: "a reconciler", sides: sides{
		func(ctx context.Context, origin string) (string, error) {
			c := azcoreBefore(origin)
			return turns(ctx, c.Begin, func(ctx context.Context, token string) (poller.Step[widgets.Widget], error) {
				old, err := c.Reconcile(ctx, token)
				step := poller.Step[widgets.Widget]{Token: old.Token, Next: time.Now().Add(old.After)}
				if old.Widget != nil {
					step.Done = true
					step.Result = *old.Widget
				}
				return step, err
			})
		},
		func(ctx context.Context, origin string) (string, error) {
			c := azcoreAfter(origin)
			return turns(ctx, c.Begin, c.Reconcile)
		},
	}},
	{name: "a token", sides: withAzcore(beginAndResume)},
	{name: "a token of azcore, resumed after the move", sides: sides{
		withAzcore(beginAndResume).before,
		func(ctx context.Context, origin string) (string, error) {
			token, err := azcoreBefore(origin).Begin(ctx, "alpha", widgets.Of(1))
			if err != nil {
				return "", err
			}
			return describe(azcoreAfter(origin).Resume(ctx, token))
		},
	}},
	{name: "progress", sides: withAzcore(func(ctx context.Context, c azcoreAPI, _ explain) (string, error) {
		var shown progress
		_, err := c.Watch(ctx, "alpha", widgets.Of(1), shown.add)
		return shown.String(), err
	})},
	{name: "cancel", service: planned(fakes.Plan{Duration: fakes.Forever}), sides: withAzcore(createAndCancel)},
	{name: "a header on every request", sides: withAzcore(createFor)},
	{
		name: "a request that is retried", sides: withAzcore(create),
		service: faulty(fakes.Fault{Kind: fakes.Begin, Times: 2, Do: fakes.Status(http.StatusConflict)}),
	},
	{name: "a listing", service: stocked(), why: byteForByte, sides: withAzcore(func(ctx context.Context, c azcoreAPI, _ explain) (string, error) {
		names, err := c.Names(ctx)
		return strings.Join(names, " "), err
	})},
	{name: "a PollingHandler", service: jobs, sides: withAzcore(runJob)},
	{name: "a token of a PollingHandler, resumed after the move", service: jobs, sides: sides{withAzcore(runJob).before, resumeJob}},
	{
		name: "a page of HTML instead of a status", sides: withAzcore(create), why: failedRead,
		service: faulty(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.HTML(http.StatusOK)}),
	},
	{
		name: "404 for a new operation", sides: withAzcore(createAndExplain), why: "we tolerate it for 5 minutes and 3 reads",
		service: faulty(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusNotFound)}),
	},
}

var goAzureSDKPairs = []pair{
	{name: "create and wait", sides: withGoAzureSDK(create)},
	{name: "an operation that fails", service: planned(failing), sides: withGoAzureSDK(createAndExplain)},
	{
		name: "delete", service: immediate(fakes.Plan{}), why: "we read the operation, which reports a deletion that failed",
		sides: withGoAzureSDK(func(ctx context.Context, c goAzureSDKAPI, _ explain) (string, error) {
			return "deleted", c.Delete(ctx, "alpha")
		}),
	},
	{
		name: "a reconciler", service: immediate(failing), why: "we read the operation, which reports why it failed",
		sides: sides{goAzureSDKBefore(reconcileResource), goAzureSDKAfter(reconcileOperation)},
	},
	{
		name: "progress", why: "ours includes the GET of the widget that follows every creation",
		sides: withGoAzureSDK(func(ctx context.Context, c goAzureSDKAPI, _ explain) (string, error) {
			var shown progress
			err := c.Watch(ctx, "alpha", widgets.Of(1), shown.add)
			return shown.String(), err
		}),
	},
	{name: "cancel", service: planned(fakes.Plan{Duration: fakes.Forever}), sides: withGoAzureSDK(createAndCancel)},
	{name: "headers", sides: withGoAzureSDK(createFor)},
	{
		name: "a request that is retried",
		service: stocked(fakes.Fault{
			Kind: fakes.Begin, Times: 2,
			Do: fakes.Respond(http.StatusConflict, `{"error":{"code":"Conflict","message":"Another operation is in progress."}}`),
		}),
		sides: withGoAzureSDK(func(ctx context.Context, c goAzureSDKAPI, _ explain) (string, error) {
			return describe(c.Resize(ctx, "alpha", widgets.Of(9)))
		}),
	},
	{name: "a listing with a predicate", service: stocked(), why: byteForByte, sides: sides{
		goAzureSDKBefore(func(ctx context.Context, c *hcbefore.Client) (string, error) {
			size := 4
			return only(c.ListComplete(ctx, hcbefore.Predicate{Size: &size}))
		}),
		goAzureSDKAfter(func(ctx context.Context, c *hcafter.Client) (string, error) { return only(c.ListComplete(ctx, 4)) }),
	}},
	{
		name: "a PollerType", service: early,
		sides: withGoAzureSDK(func(ctx context.Context, c goAzureSDKAPI, _ explain) (string, error) {
			return describe(c.CreateReady(ctx, "alpha", widgets.Of(1)))
		}),
	},
	{
		name: "a page of HTML instead of a status", why: failedRead,
		service: faulty(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.HTML(http.StatusOK)}),
		sides:   withGoAzureSDK(create),
	},
}

func create[C creator](ctx context.Context, c C, _ explain) (string, error) {
	return describe(c.Create(ctx, "alpha", widgets.Of(1)))
}

func createAndExplain[C creator](ctx context.Context, c C, ex explain) (string, error) {
	_, err := c.Create(ctx, "alpha", widgets.Of(1))
	return ex(err), nil
}

func createAndCancel[C creator](ctx context.Context, c C, ex explain) (string, error) {
	return ex(c.CreateAndCancel(ctx, "alpha", widgets.Of(1))), nil
}

func createFor[C creator](ctx context.Context, c C, _ explain) (string, error) {
	return describe(c.CreateFor(ctx, "contoso", "alpha", widgets.Of(1)))
}

func beginAndResume(ctx context.Context, c azcoreAPI, _ explain) (string, error) {
	token, err := c.Begin(ctx, "alpha", widgets.Of(1))
	if err != nil {
		return "", err
	}
	return describe(c.Resume(ctx, token))
}

func runJob(ctx context.Context, c azcoreAPI, _ explain) (string, error) {
	return describe(c.RunJob(ctx, widgets.Of(1)))
}

// resumeJob starts a job with the client from before the move, and waits for it with the client
// from after the move.
func resumeJob(ctx context.Context, origin string) (string, error) {
	p, err := azcoreBefore(origin).BeginJob(ctx, widgets.Of(1))
	if err != nil {
		return "", err
	}
	token, err := p.ResumeToken()
	if err != nil {
		return "", err
	}
	return describe(azcoreAfter(origin).ResumeJob(ctx, token))
}

// A turn makes the reads of an operation that are due.
type turn func(ctx context.Context, token string) (poller.Step[widgets.Widget], error)

// turns calls reconcile until it returns a widget, and waits between calls.
func turns(ctx context.Context, begin func(context.Context, string, widgets.Widget) (string, error), reconcile turn) (string, error) {
	token, err := begin(ctx, "alpha", widgets.Of(1))
	for err == nil {
		var step poller.Step[widgets.Widget]
		step, err = reconcile(ctx, token)
		if step.Done {
			return step.Result.String(), err
		}
		if err == nil {
			err = pause(ctx, time.Until(step.Next))
		}
		token = step.Token
	}
	return "", err
}

// pause waits between two calls of a reconciler, or until ctx ends. A controller would return
// RequeueAfter instead. The pause takes real time, because the clients use sockets.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// reconcileResource starts an operation, and calls Reconcile until the widget has been created or
// the operation has failed.
func reconcileResource(ctx context.Context, c *hcbefore.Client) (string, error) {
	if err := c.Begin(ctx, "alpha", widgets.Of(1)); err != nil {
		return "", err
	}
	for ctx.Err() == nil {
		step, err := c.Reconcile(ctx, "alpha") // without the 10-second pause that Reconcile asks for
		switch {
		case err != nil:
			return "", err
		case step.Failed:
			return "the operation failed", nil
		case step.Widget != nil:
			return step.Widget.String(), nil
		}
	}
	return "", ctx.Err()
}

// reconcileOperation starts an operation, and calls Reconcile until the operation has ended.
func reconcileOperation(ctx context.Context, c *hcafter.Client) (string, error) {
	text, err := turns(ctx, c.Begin, c.Reconcile)
	if err != nil {
		return hcafter.Explain(err), nil
	}
	return text, nil
}

func describe(w widgets.Widget, err error) (string, error) { return w.String(), err }

// only returns the name of the single item in a listing.
func only(items []widgets.Widget, err error) (string, error) {
	if len(items) != 1 {
		return "", errors.Join(err, fmt.Errorf("%d widgets", len(items)))
	}
	return items[0].Name, err
}

// progress collects the statuses that a client shows.
type progress []string

func (p *progress) add(word string, percent float64) {
	*p = append(*p, fmt.Sprintf("%s %.0f%%", word, percent))
}

func (p *progress) String() string { return strings.Join(*p, ", ") }
