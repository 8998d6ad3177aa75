package lrotf_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller/lrotf/lrotftest"
	"github.com/lro-go/lro/transport"
)

// A rig is a workspace and an in-memory service, usable in a testing/synctest bubble.
type rig struct {
	*lrotftest.Workspace
	t   *testing.T
	svc *fakes.Service
	c   *client
}

// newRig returns a rig whose service runs operations according to the given plans. An operation
// without a plan takes three days.
func newRig(t *testing.T, plans ...fakes.Plan) *rig {
	t.Helper()
	svc := &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour, RetryAfter: 5 * time.Minute, Words: []string{"Working"}}}
	for _, p := range plans {
		svc.Plan(p)
	}
	r := &rig{t: t, svc: svc, c: &client{Doer: transport.NewClient(&transport.Options{Base: &fakes.Transport{Handler: svc}})}}
	var err error
	r.Workspace, err = lrotftest.Open(t.Context(), r.process(), nil, "contoso_widget")
	require.NoError(t, err)
	return r
}

// process returns a new provider, as if a new process had started.
func (r *rig) process() tfprotov6.ProviderServer {
	return providerserver.NewProtocol6(&testProvider{c: r.c})()
}

func (r *rig) restart() {
	r.t.Helper()
	require.NoError(r.t, r.Attach(r.t.Context(), r.process(), nil))
}

func (r *rig) apply(config lrotftest.Config) (lrotftest.Result, time.Duration) {
	r.t.Helper()
	start := time.Now()
	result, err := r.Apply(r.t.Context(), config)
	require.NoError(r.t, err)
	return result, time.Since(start)
}

// interrupted applies a configuration, interrupts the apply after an hour, and restarts the
// provider.
func (r *rig) interrupted(config lrotftest.Config) lrotftest.Result {
	r.t.Helper()
	stop := time.AfterFunc(time.Hour, func() { _ = r.Stop(context.Background()) })
	defer stop.Stop()
	result, took := r.apply(config)
	require.Equal(r.t, time.Hour, took)
	synctest.Wait() // a read that is due at this moment must end before the test adds a fault
	r.restart()
	return result
}

func (r *rig) plan(config lrotftest.Config) lrotftest.Result {
	r.t.Helper()
	result, err := r.Plan(r.t.Context(), config)
	require.NoError(r.t, err)
	require.False(r.t, result.Failed(), "%s", texts(result))
	return result
}

// started returns how many requests with the given method tried to start an operation.
func (r *rig) started(method string) int {
	n := 0
	for _, q := range r.svc.Requests() {
		if q.Kind == fakes.Begin && q.Method == method {
			n++
		}
	}
	return n
}

func texts(result lrotftest.Result) string {
	text := ""
	for _, d := range result.Diagnostics {
		text += d.Severity.String() + ": " + d.Summary + "\n" + d.Detail + "\n"
		if d.Attribute != nil {
			text += "at " + d.Attribute.String() + "\n"
		}
	}
	return text
}

// w1 returns the configuration of a widget whose timeouts are long enough for its operations.
func w1(size int) lrotftest.Config {
	return lrotftest.Config{
		"name": "w1", "size": size,
		"timeouts": lrotftest.Config{"create": "100h", "update": "100h", "delete": "100h"},
	}
}

// impatient is like w1 but without timeouts, so the default of one hour applies.
func impatient(size int) lrotftest.Config {
	config := w1(size)
	config["timeouts"] = nil
	return config
}

const days = 72 * time.Hour

var (
	put    = http.MethodPut
	remove = http.MethodDelete
)
