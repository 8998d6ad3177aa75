package main

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
)

const group = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo"

func TestCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		start := time.Now()
		id, err := create(t.Context(), fakes.Client(svc), group)
		require.NoError(t, err)
		require.Equal(t, group+"/providers/Microsoft.Network/virtualNetworks/lro-demo", id)
		require.Equal(t, 3*time.Minute, time.Since(start))
		require.JSONEq(t, `{"location": "westeurope", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}`,
			string(svc.Requests()[0].Body))
	})
}

func TestCreateFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Ending: fakes.Failed}}
		_, err := create(t.Context(), fakes.Client(svc), group)
		var failure *lroerrors.OperationError
		require.ErrorAs(t, err, &failure)
	})
}

// A gateway on the way breaks after a day, for three reads, which moves those that
// follow by seventy seconds. Nothing else becomes of it, and the test takes no time.
func TestCreateTakesThreeDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour, RetryAfter: 5 * time.Minute}}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 24 * 12, Times: 3, Do: fakes.HTML(http.StatusBadGateway)})
		start := time.Now()
		_, err := create(t.Context(), fakes.Client(svc), group)
		require.NoError(t, err)
		require.Equal(t, 72*time.Hour+70*time.Second, time.Since(start))
	})
}
