package after_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/migrate/azcore/after"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/transport"
)

// client returns a client for a service in memory. The service uses the same protocol as real
// services, and stores the widgets.
func client(svc *fakes.Service) *after.Client {
	return after.NewClient("https://a.test", &azfake.TokenCredential{}, &transport.Options{Base: &fakes.Transport{Handler: svc}}, nil)
}

func TestCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour, RetryAfter: 10 * time.Minute}}
		start := time.Now()
		w, err := client(svc).Create(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
		require.Equal(t, "alpha, size 1, Succeeded", w.String())
		require.Equal(t, 72*time.Hour, time.Since(start))
	})
}

func TestCreateFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Plan(fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{Code: "QuotaExceeded", Message: "No more widgets."}})
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.Status(http.StatusBadGateway)})
		_, err := client(svc).Create(t.Context(), "alpha", widgets.Of(1))
		failure, ok := errors.AsType[*lroerrors.OperationError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, "QuotaExceeded", failure.Detail.Code)
	})
}
