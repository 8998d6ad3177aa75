package sdkv2_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/terraform"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/sdkv2"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// A rig holds an in-memory service, a provider's Client and the state of one widget.
type rig struct {
	t     *testing.T
	svc   *fakes.Service
	c     *sdkv2.Client
	state *terraform.InstanceState
}

func newRig(t *testing.T) *rig {
	t.Helper()
	svc := &fakes.Service{Default: fakes.Plan{Duration: 2 * time.Hour, RetryAfter: 5 * time.Minute, Words: []string{"Working"}}}
	r := &rig{t: t, svc: svc}
	r.configure("https://a.test")
	return r
}

// configure simulates a restart of the provider with the given endpoint.
func (r *rig) configure(endpoint string) {
	r.c = &sdkv2.Client{Doer: fakes.Client(r.svc), Endpoint: endpoint, Options: &poller.Options{Origins: []string{endpoint}}}
}

func (r *rig) resource() (*schema.Resource, any) {
	p := sdkv2.Provider(r.c)
	return p.ResourcesMap["contoso_widget"], p.Meta()
}

// plan refreshes the state and compares it with a configuration that has a widget of this size. A
// size of 0 means no widget.
func (r *rig) plan(size int) (*terraform.InstanceDiff, diag.Diagnostics) {
	r.t.Helper()
	res, meta := r.resource()
	var diags diag.Diagnostics
	if r.state != nil {
		r.state, diags = res.RefreshWithoutUpgrade(r.t.Context(), r.state, meta)
	}
	if size == 0 {
		return &terraform.InstanceDiff{Destroy: true}, diags
	}
	config := terraform.NewResourceConfigRaw(map[string]any{"name": "w1", "size": size})
	diff, err := res.Diff(r.t.Context(), r.state, config, meta)
	require.NoError(r.t, err)
	return diff, diags
}

// apply plans and applies a change, and returns how long that took. If the given time is not 0, it
// simulates Ctrl-C that long after the apply starts.
func (r *rig) apply(size int, after time.Duration) (diag.Diagnostics, time.Duration) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	start := time.Now()
	diff, diags := r.plan(size)
	if diags.HasError() || diff == nil {
		return diags, time.Since(start)
	}
	if after > 0 {
		time.AfterFunc(after, cancel)
	}
	res, meta := r.resource()
	state, more := res.Apply(ctx, r.state, diff, meta)
	r.state = state
	return append(diags, more...), time.Since(start)
}

// started counts the requests with this method that started an operation.
func (r *rig) started(method string) int {
	n := 0
	for _, q := range r.svc.Requests() {
		if q.Kind == fakes.Begin && q.Method == method {
			n++
		}
	}
	return n
}

func (r *rig) get(attribute string) string { return r.state.Attributes[attribute] }

func TestCreateInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		diags, took := r.apply(1, time.Hour)
		require.False(t, diags.HasError(), "an unfinished creation must not be an error, which would taint the widget: %v", diags)
		require.Len(t, diags, 1)
		require.Equal(t, time.Hour, took)
		require.Equal(t, "Working", r.get("provisioning_state"))
		require.NotEmpty(t, r.get("operation"))

		diags, took = r.apply(1, 0)
		require.Empty(t, diags)
		require.Equal(t, time.Hour, took)
		require.Equal(t, "Succeeded", r.get("provisioning_state"))
		require.Empty(t, r.get("operation"))
		require.Equal(t, 1, r.started(http.MethodPut))
		diff, diags := r.plan(1)
		require.Empty(t, diags)
		require.True(t, diff.Empty())
	})
}

// TestCreateEndsBetweenRuns checks that after an interrupted creation has ended, the next apply
// neither waits nor sends a PUT, even if the service has deleted the operation's status.
func TestCreateEndsBetweenRuns(t *testing.T) {
	for name, expire := range map[string]time.Duration{"status available": 0, "status deleted": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.svc.Expire = expire
				r.apply(1, time.Hour)
				time.Sleep(24 * time.Hour)
				diags, took := r.apply(1, 0)
				require.Empty(t, diags)
				require.Zero(t, took)
				require.Equal(t, "Succeeded", r.get("provisioning_state"))
				require.Empty(t, r.get("operation"))
				require.Equal(t, 1, r.started(http.MethodPut))
			})
		})
	}
}

func TestCreateFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Plan(fakes.Plan{Duration: time.Hour, Ending: fakes.Failed, Error: fakes.Error{Code: "NoRoom", Message: "No more widgets."}})
		diags, took := r.apply(1, 0)
		require.True(t, diags.HasError())
		require.Contains(t, diags[0].Summary, "NoRoom")
		require.LessOrEqual(t, took, time.Hour+time.Minute)
		require.Empty(t, r.get("operation"))
	})
}

// TestCreateFailsBetweenRuns checks that the next run warns about the failed creation and sends the
// request again.
func TestCreateFailsBetweenRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Plan(fakes.Plan{Times: 1, Duration: 2 * time.Hour, Ending: fakes.Failed})
		r.apply(1, time.Hour)
		time.Sleep(24 * time.Hour)
		diags, took := r.apply(1, 0)
		require.False(t, diags.HasError(), "%v", diags)
		require.Len(t, diags, 1)
		require.Equal(t, 2*time.Hour, took)
		require.Equal(t, "Succeeded", r.get("provisioning_state"))
		require.Equal(t, 2, r.started(http.MethodPut))
	})
}

// TestUpdateInterrupted checks that the next apply waits for the update instead of starting another
// one.
func TestUpdateInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(1, 0)
		diags, _ := r.apply(2, time.Hour)
		require.True(t, diags.HasError(), "an interrupted update must return an error, which does not taint the widget")
		require.NotEmpty(t, r.get("operation"))
		diags, took := r.apply(2, 0)
		require.Empty(t, diags)
		require.Equal(t, time.Hour, took)
		require.Equal(t, "2", r.get("size"))
		require.Equal(t, 2, r.started(http.MethodPut))
	})
}

// TestDeleteInterrupted checks that the next destroy waits for the deletion instead of starting
// another one.
func TestDeleteInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(1, 0)
		diags, _ := r.apply(0, time.Hour)
		require.True(t, diags.HasError())
		diags, took := r.apply(0, 0)
		require.Empty(t, diags)
		require.Equal(t, time.Hour, took)
		require.Nil(t, r.state)
		require.Equal(t, 1, r.started(http.MethodDelete))
	})
}

// TestNewEndpoint checks that after the endpoint changes, the provider sends requests only to the
// new one, and finds the operation by reading the widget.
func TestNewEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(1, time.Hour)
		asked := len(r.svc.Requests())
		r.configure("https://b.test")
		diags, took := r.apply(1, 0)
		require.False(t, diags.HasError(), "%v", diags)
		require.Contains(t, diags[0].Detail, "foreign origin")
		require.Equal(t, time.Hour, took)
		require.Equal(t, "Succeeded", r.get("provisioning_state"))
		require.Equal(t, 1, r.started(http.MethodPut))
		for _, q := range r.svc.Requests()[asked:] {
			require.Contains(t, q.URL, "https://b.test/")
		}
	})
}

// TestNotVisible checks that a widget stays in the state while reads do not find it yet, and is not
// created again.
func TestNotVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(1, time.Hour)
		r.configure("https://b.test")
		r.svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 2, Do: fakes.Status(http.StatusNotFound)})
		diags, _ := r.apply(1, 0)
		require.True(t, diags.HasError())
		r.configure("https://a.test")
		diags, took := r.apply(1, 0)
		require.Empty(t, diags)
		require.Equal(t, time.Hour, took)
		require.Equal(t, 1, r.started(http.MethodPut))
	})
}

// TestDeletedElsewhere checks that a refresh removes a widget from the state if the widget no
// longer exists.
func TestDeletedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(1, 0)
		r.svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 1, Do: fakes.Status(http.StatusNotFound)})
		_, diags := r.plan(1)
		require.Empty(t, diags)
		require.Nil(t, r.state)
	})
}

// TestDeletionEndsBetweenRuns checks that after an interrupted deletion has ended, a refresh
// removes the widget from the state.
func TestDeletionEndsBetweenRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.apply(1, 0)
		r.apply(0, time.Hour)
		require.NotNil(t, r.state)
		time.Sleep(24 * time.Hour)
		_, diags := r.plan(1)
		require.Empty(t, diags)
		require.Nil(t, r.state)
	})
}

func TestProvider(t *testing.T) {
	require.NoError(t, sdkv2.Provider(new(sdkv2.Client)).InternalValidate())
}

// TestNoResponse checks that the provider warns if the response to a PUT is lost, and that the next
// run finds the operation.
func TestNoResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Fault(fakes.Fault{Kind: fakes.Begin, Times: -1, Do: fakes.Truncate(1 << 20)})
		diags, _ := r.apply(1, 0)
		require.False(t, diags.HasError(), "an unfinished creation must not be an error, which would taint the widget: %v", diags)
		require.Len(t, diags, 1)
		diags, _ = r.apply(1, 0)
		require.Empty(t, diags)
		require.Equal(t, "Succeeded", r.get("provisioning_state"))
	})
}
