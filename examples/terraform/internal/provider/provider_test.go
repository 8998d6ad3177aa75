package provider_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller/lrotf/lrotftest"
)

const days = 72 * time.Hour

// TestThreeDays interrupts an apply with Ctrl-C. The next apply must wait for the rest of the
// three-day creation.
func TestThreeDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: days, RetryAfter: 5 * time.Minute}}
		w, attach := open(t, svc)
		start := time.Now()
		time.AfterFunc(time.Hour, func() { _ = w.Stop(context.Background()) }) // tofu calls Stop after Ctrl-C
		result, err := w.Apply(t.Context(), widget(1))
		require.NoError(t, err)
		require.False(t, result.Failed())
		require.Equal(t, time.Hour, time.Since(start))
		require.False(t, w.Tainted())
		require.Equal(t, widgets+"/w1", w.Attribute("id"))

		require.NoError(t, attach(lrotftest.Config{"endpoint": "https://a.test"}))
		result, err = w.Apply(t.Context(), widget(1))
		require.NoError(t, err)
		require.False(t, result.Failed())
		require.Equal(t, "update", result.Action)
		require.Equal(t, days, time.Since(start))
		require.Equal(t, "Succeeded", w.Attribute("provisioning_state"))

		for _, config := range []lrotftest.Config{widget(2), nil} {
			result, err = w.Apply(t.Context(), config)
			require.NoError(t, err)
			require.False(t, result.Failed())
		}
		require.Equal(t, 3*days, time.Since(start))
		started := 0
		for _, q := range svc.Requests() {
			if q.Kind == fakes.Begin {
				started++
			}
		}
		require.Equal(t, 3, started, "there must be one creation, one update and one deletion")
	})
}

// TestDestroyWhileCreating checks that destroy cancels a creation in progress before it deletes
// the widget.
func TestDestroyWhileCreating(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: days}}
		w, attach := open(t, svc)
		time.AfterFunc(time.Hour, func() { _ = w.Stop(context.Background()) })
		_, err := w.Apply(t.Context(), widget(1))
		require.NoError(t, err)
		require.NoError(t, attach(lrotftest.Config{"endpoint": "https://a.test"}))
		result, err := w.Apply(t.Context(), nil)
		require.NoError(t, err)
		require.False(t, result.Failed())
		require.False(t, w.HasState())
		var kinds []fakes.Kind
		for _, q := range svc.Requests() {
			if q.Kind == fakes.Begin || q.Kind == fakes.Cancel {
				kinds = append(kinds, q.Kind)
			}
		}
		require.Equal(t, []fakes.Kind{fakes.Begin, fakes.Cancel, fakes.Begin}, kinds)
	})
}

func TestEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Polls: -1}}
		w, attach := open(t, svc)
		t.Setenv("CONTOSO_ENDPOINT", "")
		require.ErrorContains(t, attach(nil), "No endpoint")

		t.Setenv("CONTOSO_ENDPOINT", "https://a.test/")
		require.NoError(t, attach(nil))
		result, err := w.Apply(t.Context(), widget(1))
		require.NoError(t, err)
		require.False(t, result.Failed())
		require.Equal(t, widgets+"/w1", svc.Requests()[0].Path)

		// The endpoint may be unknown at plan time. The provider must not fall back to the endpoint
		// in the environment, which may belong to another service.
		require.ErrorContains(t, attach(lrotftest.Config{"endpoint": tftypes.UnknownValue}), "known at plan time")
	})
}

func TestInvalidMinPause(t *testing.T) {
	_, attach := open(t, &fakes.Service{})
	require.ErrorContains(t, attach(lrotftest.Config{"endpoint": "https://a.test", "min_pause": "soon"}), "Not a duration")
}
