package migrate

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	azafter "github.com/lro-go/lro/internal/migrate/azcore/after"
	azbefore "github.com/lro-go/lro/internal/migrate/azcore/before"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// A side creates the widget alpha with a client from before or after the move to lro, and describes
// the outcome.
type side func(ctx context.Context, t *testing.T, svc *fakes.Service) string

// A record holds the outcome of one side and the requests that the side sent.
type record struct {
	outcome string
	sent    []string
}

const created = "alpha, size 1, Succeeded"

// TestPairs runs both sides of each conversion in the guides against identical services. Both sides
// must send the same requests with the same bodies, except in rows that set the field differ. In
// such a row, the requests must differ, and a comment says why.
func TestPairs(t *testing.T) {
	failing := fakes.Plan{Duration: time.Minute, Ending: fakes.Failed, Error: fakes.Error{Code: "QuotaExceeded", Message: "No more widgets."}}
	for _, tt := range []struct {
		name          string
		service       func() *fakes.Service // nil means a service whose operations succeed after two polls
		before, after side
		outcomes      [2]string
		differ        bool // whether the requests differ
	}{
		{
			name: "azcore: start and wait", outcomes: [2]string{created, created},
			before: func(ctx context.Context, _ *testing.T, svc *fakes.Service) string {
				return describe(azcoreBefore(svc).Create(ctx, "alpha", widgets.Of(1)))
			},
			after: func(ctx context.Context, _ *testing.T, svc *fakes.Service) string {
				return describe(azcoreAfter(svc).Create(ctx, "alpha", widgets.Of(1)))
			},
		},
		{
			name: "azcore: a generated client", outcomes: [2]string{created, created},
			before: func(ctx context.Context, _ *testing.T, svc *fakes.Service) string {
				return describe(azbefore.Replace(ctx, azcoreBefore(svc), "alpha", widgets.Of(1)))
			},
			after: func(ctx context.Context, _ *testing.T, svc *fakes.Service) string {
				return describe(azafter.Replace(ctx, azcoreBefore(svc), "alpha", widgets.Of(1)))
			},
		},
		{name: "azcore: a reconciler", outcomes: [2]string{created, created}, before: reconcileAzcore, after: func(ctx context.Context, _ *testing.T, svc *fakes.Service) string {
			token, err := azcoreAfter(svc).Begin(ctx, "alpha", widgets.Of(1))
			return reconcile(ctx, token, err, azcoreAfter(svc).Reconcile)
		}},
		{name: "azcore: its token, resumed after the move", outcomes: [2]string{created, created}, before: reconcileAzcore, after: func(ctx context.Context, _ *testing.T, svc *fakes.Service) string {
			token, err := azcoreBefore(svc).Begin(ctx, "alpha", widgets.Of(1))
			return reconcile(ctx, token, err, azcoreAfter(svc).Reconcile)
		}},
		{
			name: "go-azure-sdk: create and wait", outcomes: [2]string{created, created},
			before: func(ctx context.Context, t *testing.T, svc *fakes.Service) string {
				return describe(goAzureSDKBefore(t, svc).Create(ctx, "alpha", widgets.Of(1)))
			},
			after: func(ctx context.Context, t *testing.T, svc *fakes.Service) string {
				return describe(goAzureSDKAfter(t, svc).Create(ctx, "alpha", widgets.Of(1)))
			},
		},
		{ // the old client reads the resource, but the new client reads the operation's status
			name: "go-azure-sdk: a reconciler", differ: true, outcomes: [2]string{"failed", "failed: QuotaExceeded"},
			service: func() *fakes.Service { return &fakes.Service{Default: failing} },
			before:  reconcileGoAzureSDK,
			after: func(ctx context.Context, t *testing.T, svc *fakes.Service) string {
				c := goAzureSDKAfter(t, svc)
				token, err := c.Begin(ctx, "alpha", widgets.Of(1))
				return reconcile(ctx, token, err, c.Reconcile)
			},
		},
		{
			name: "go-azure-sdk: a PollerType", service: early, outcomes: [2]string{created, created},
			before: func(ctx context.Context, t *testing.T, svc *fakes.Service) string {
				return describe(goAzureSDKBefore(t, svc).CreateReady(ctx, "alpha", widgets.Of(1)))
			},
			after: func(ctx context.Context, t *testing.T, svc *fakes.Service) string {
				return describe(goAzureSDKAfter(t, svc).CreateReady(ctx, "alpha", widgets.Of(1)))
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, after := run(t, tt.service, tt.before), run(t, tt.service, tt.after)
			require.Equal(t, tt.outcomes, [2]string{before.outcome, after.outcome})
			if tt.differ {
				require.NotEqual(t, before.sent, after.sent)
			} else {
				require.Equal(t, before.sent, after.sent)
			}
		})
	}
}

// run runs one side against a new service. The context has a deadline, because go-azure-sdk
// requires one.
func run(t *testing.T, service func() *fakes.Service, do side) (r record) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		svc := &fakes.Service{}
		if service != nil {
			svc = service()
		}
		r.outcome = do(ctx, t, svc)
		for _, req := range svc.Requests() {
			require.Equal(t, "Bearer fake_token", req.Header.Get("Authorization"))
			r.sent = append(r.sent, req.Method+" "+req.URL+" "+string(req.Body))
		}
	})
	return r
}

// early sets up a service that reports success while the widget is still being created.
func early() *fakes.Service {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 2, Do: resourceState("Creating")})
	svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 3, Times: -1, Do: resourceState("Running")})
	return svc
}

func resourceState(state string) func(http.Handler) http.Handler {
	return fakes.Edit(func(a *fakes.Answer) {
		a.Body = bytes.Replace(a.Body, []byte(`"properties":{`), []byte(`"properties":{"resourceState":"`+state+`",`), 1)
	})
}

// reconcile calls the given function until the operation has ended or the function returns an
// error. Each Step says when to make the next call, and with which token.
func reconcile(ctx context.Context, token string, err error, turn func(context.Context, string) (poller.Step[widgets.Widget], error)) string {
	step := poller.Step[widgets.Widget]{Token: token}
	for err == nil && !step.Done {
		time.Sleep(time.Until(step.Next))
		step, err = turn(ctx, step.Token)
	}
	return describe(step.Result, err)
}

func reconcileAzcore(ctx context.Context, _ *testing.T, svc *fakes.Service) string {
	c := azcoreBefore(svc)
	token, err := c.Begin(ctx, "alpha", widgets.Of(1))
	step := azbefore.Step{Token: token}
	for err == nil && step.Widget == nil {
		time.Sleep(step.After)
		step, err = c.Reconcile(ctx, step.Token)
	}
	if err != nil {
		return err.Error()
	}
	return step.Widget.String()
}

func reconcileGoAzureSDK(ctx context.Context, t *testing.T, svc *fakes.Service) string {
	c := goAzureSDKBefore(t, svc)
	err := c.Begin(ctx, "alpha", widgets.Of(1))
	for err == nil {
		step, readErr := c.Reconcile(ctx, "alpha")
		switch {
		case readErr != nil:
			return readErr.Error()
		case step.Failed:
			return "failed"
		case step.Widget != nil:
			return step.Widget.String()
		}
		time.Sleep(step.After)
	}
	return err.Error()
}

func describe(w widgets.Widget, err error) string {
	var failed *lroerrors.OperationError
	switch {
	case errors.As(err, &failed):
		return "failed: " + failed.Detail.Code
	case err != nil:
		return err.Error()
	}
	return w.String()
}
