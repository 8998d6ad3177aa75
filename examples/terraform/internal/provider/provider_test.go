package provider_test

import (
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/terraform/internal/core"
	"github.com/lro-go/lro/fakes"
)

func TestEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Polls: -1})
		attach := func(endpoint any) error {
			return r.Attach(t.Context(), r.process(), core.Config{"endpoint": endpoint})
		}
		t.Setenv("CONTOSO_ENDPOINT", "")
		require.ErrorContains(t, attach(nil), "No endpoint")

		t.Setenv("CONTOSO_ENDPOINT", "https://a.test/")
		require.NoError(t, attach(nil))
		result, _ := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, widgets+"/w1", r.svc.Requests()[0].Path)

		// One that is made in the same run is not known when it is planned. To ask
		// another service meanwhile would be worse than to ask none.
		require.ErrorContains(t, attach(tftypes.UnknownValue), "known at plan time")
	})
}

func TestMinPauseIsADuration(t *testing.T) {
	r := newRig(t)
	err := r.Attach(t.Context(), r.process(), core.Config{"endpoint": "https://a.test", "min_pause": "soon"})
	require.ErrorContains(t, err, "Not a duration")
}
