package lrotf_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotf/lrotftest"
	"github.com/lro-go/lro/transport"
)

// An operator simulates a person who runs Terraform until a plan shows no change. Terraform saves
// the state only after Create, Update or Delete returns, so a crash before that loses the changes
// to the state.
type operator struct {
	t       *testing.T
	svc     *fakes.Service
	file    lrotftest.Workspace // the state file
	lost    bool                // whether the widget existed but was missing from the state file when the last process started
	imports int
}

// newOperator returns an operator with an empty state file. An operation takes ten hours and an
// apply waits for five, so each operation needs several applies.
func newOperator(t *testing.T) *operator {
	t.Helper()
	o := &operator{t: t, svc: &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Hour, RetryAfter: 2 * time.Hour}}}
	w, err := lrotftest.Open(t.Context(), providerserver.NewProtocol6(&testProvider{c: &client{}})(), nil, "contoso_widget")
	require.NoError(t, err)
	o.file = *w
	return o
}

// provider returns a new provider that runs in the process p.
func (o *operator) provider(p *fakes.Process) tfprotov6.ProviderServer {
	base := p.Transport(&fakes.Transport{Handler: o.svc})
	c := &client{
		Doer:    transport.NewClient(&transport.Options{Base: base}),
		options: poller.Options{Cadence: poller.Cadence{Max: 24 * time.Hour}},
		timeout: 5 * time.Hour,
	}
	return providerserver.NewProtocol6(&testProvider{c: c})()
}

// create makes the operator create the widget in a process that does not crash.
func (o *operator) create() {
	o.t.Helper()
	err := new(fakes.Crash).Run(o.t.Context(), func(ctx context.Context, p *fakes.Process) error {
		return o.work(ctx, p, impatient(1))
	})
	require.NoError(o.t, err)
}

// work applies config until a plan shows no change. It imports the widget if the widget exists but
// is not in the state.
func (o *operator) work(ctx context.Context, p *fakes.Process, config lrotftest.Config) error {
	o.lost = o.exists() && !o.file.HasState()
	w := o.file
	err := w.Attach(ctx, o.provider(p), nil)
	if err != nil {
		return err
	}
	for range 10 {
		result, err := w.Apply(ctx, config)
		if err != nil || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
		o.save(p, w, config == nil)
		if result.Action == "no-op" && !result.Failed() {
			return nil
		}
		if strings.Contains(texts(result), "There is already a widget") {
			o.imports++
			_, err := w.Import(ctx, "w1")
			if err != nil {
				return err
			}
			o.save(p, w, config == nil)
		}
		time.Sleep(3 * time.Hour)
	}
	return errors.New("the operator gives up")
}

// save writes the state file. It fails the test if the state shows a success that the service does
// not show.
func (o *operator) save(p *fakes.Process, w lrotftest.Workspace, isDestroyed bool) {
	o.t.Helper()
	err := p.Write(func() error { o.file = w; return nil })
	if err != nil {
		return // the process has crashed
	}
	if w.Attribute("provisioning_state") == "Succeeded" && w.Private() == "" {
		require.Equal(o.t, "Succeeded", o.widget().Properties.ProvisioningState, "the state must not show a success that the service does not show")
	}
	if isDestroyed && !w.HasState() {
		require.False(o.t, o.exists(), "the state must not show a success that the service does not show")
	}
}

// exists reports whether the service has the widget.
func (o *operator) exists() bool {
	_, exists := o.svc.Resource(widgetPath + "w1")
	return exists
}

// widget returns the service's copy of the widget.
func (o *operator) widget() (w widget) {
	o.t.Helper()
	found, _ := o.svc.Resource(widgetPath + "w1")
	b, err := json.Marshal(found)
	require.NoError(o.t, err)
	require.NoError(o.t, json.Unmarshal(b, &w))
	return w
}

// started returns how many requests with the given method asked the service to start an operation,
// and how many operations the service started in response.
func (o *operator) started(method string) (requests, operations int) {
	for _, req := range o.svc.Requests() {
		if req.Kind != fakes.Begin || req.Method != method {
			continue
		}
		requests++
		if req.Operation != "" {
			operations++
		}
	}
	return requests, operations
}

// TestCreateSurvivesCrashes kills Terraform at each point of a creation. If the state is lost, the
// next apply reports that the widget exists, and an import finds the operation.
func TestCreateSurvivesCrashes(t *testing.T) {
	t.Parallel()
	imports := 0
	fakes.Crashes(t, func(t *testing.T, crash *fakes.Crash) {
		synctest.Test(t, func(t *testing.T) {
			o := newOperator(t)
			err := crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
				return o.work(ctx, p, impatient(1))
			})
			require.NoError(t, err)
			requests, operations := o.started(put)
			require.Equal(t, 1, operations)
			require.Equal(t, 1, requests)
			require.Equal(t, "Succeeded", o.file.Attribute("provisioning_state"))
			require.Equal(t, "1", o.file.Attribute("size"))
			require.Empty(t, o.file.Private())
			require.False(t, o.file.Tainted())
			require.Equal(t, o.lost, o.imports == 1, "the operator must import the widget if the state was lost, and only then")
			imports += o.imports
		})
	})
	require.Positive(t, imports)
}

// TestUpdateSurvivesCrashes kills Terraform at each point of an update. If the token is lost, the
// next apply reads the resource and finds the operation there.
func TestUpdateSurvivesCrashes(t *testing.T) {
	t.Parallel()
	fakes.Crashes(t, func(t *testing.T, crash *fakes.Crash) {
		synctest.Test(t, func(t *testing.T) {
			o := newOperator(t)
			o.create()
			err := crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
				return o.work(ctx, p, impatient(2))
			})
			require.NoError(t, err)
			requests, operations := o.started(put)
			require.Equal(t, 1+1, operations)
			require.Equal(t, 1+1, requests, "the service must refuse no request")
			require.Equal(t, int64(2), o.widget().Properties.Size)
			require.Equal(t, "2", o.file.Attribute("size"))
			require.Equal(t, "Succeeded", o.file.Attribute("provisioning_state"))
			require.Empty(t, o.file.Private())
			require.Zero(t, o.imports)
		})
	})
}

// TestDeleteSurvivesCrashes kills Terraform at each point of a deletion. If the token is lost, the
// next destroy requests the deletion again. The service refuses until the first deletion has ended.
func TestDeleteSurvivesCrashes(t *testing.T) {
	t.Parallel()
	fakes.Crashes(t, func(t *testing.T, crash *fakes.Crash) {
		synctest.Test(t, func(t *testing.T) {
			o := newOperator(t)
			o.create()
			err := crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
				return o.work(ctx, p, nil)
			})
			require.NoError(t, err)
			_, operations := o.started(remove)
			require.Equal(t, 1, operations)
			require.False(t, o.file.HasState())
			require.False(t, o.exists())
			require.Zero(t, o.imports)
		})
	})
}
