package management_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/azure/management"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
)

func TestOperationFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Plan(fakes.Plan{Method: "PUT", Style: fakes.Location, Ending: fakes.Failed, Error: fakes.Error{
			Code: "StorageAccountAlreadyTaken", Message: "The name is taken.", Target: "a",
		}})
		_, err := createAccount(t.Context(), newClient(t, svc))
		failed, ok := errors.AsType[*lroerrors.OperationError](err)
		require.True(t, ok, err)
		require.Equal(t, "StorageAccountAlreadyTaken", failed.Detail.Code)
		require.Equal(t, "a", failed.Detail.Target)
	})
}

func TestRejectedRequest(t *testing.T) {
	client := newClient(t, &fakes.Service{})
	for name, call := range map[string]func() error{
		"get":   func() error { _, err := client.VirtualMachines().Get(t.Context(), "g", "v"); return err },
		"begin": func() error { _, err := client.VirtualMachines().BeginStart(t.Context(), "g", "v"); return err },
	} {
		err := call()
		refused, ok := errors.AsType[*lroerrors.StatusError](err)
		require.True(t, ok, "%s: %v", name, err)
		require.Equal(t, http.StatusNotFound, refused.StatusCode, name)
		require.Equal(t, "ResourceNotFound", refused.Detail.Code, name)
	}
}

// CreateOrUpdate waits if the response is a 201 with a group that is still being created.
func TestCreateOrUpdateWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := newARM()
		svc.Quirk(quirks.StateKeepsChanging, root+"/resourceGroups/new")
		start := time.Now()
		got, err := newClient(t, svc).ResourceGroups().CreateOrUpdate(t.Context(), "new", management.ResourceGroup{Location: "westeurope"})
		require.NoError(t, err)
		require.Equal(t, "Succeeded", got.Properties.ProvisioningState)
		require.Positive(t, time.Since(start))
	})
}

func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, start := newARM(), time.Now()
		p, err := newClient(t, svc).StorageAccounts().BeginCreate(t.Context(), "g", "a", newAccount)
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		token, err := p.ResumeToken()
		require.NoError(t, err)

		again, err := management.Resume[management.StorageAccount](newClient(t, svc), token)
		require.NoError(t, err)
		got, err := again.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
		require.Equal(t, 34*time.Second, time.Since(start))
	})
}

func TestResumeChecksOrigin(t *testing.T) {
	client := newClient(t, newARM())
	for _, token := range []string{
		`{"type":"StorageAccount","token":{"asyncURL":"https://evil.test/op","origURL":"https://management.azure.com/w","method":"PUT"}}`,
		`{"type":"StorageAccount","token":{"type":"loc","pollURL":"https://evil.test/op"}}`,
	} {
		_, err := management.Resume[management.StorageAccount](client, token)
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin, token)
	}
}

func TestInvalidNames(t *testing.T) {
	svc := newARM()
	client := newClient(t, svc)
	for _, name := range []string{"", ".", ".."} {
		_, err := client.ResourceGroups().BeginDelete(t.Context(), name)
		require.ErrorContains(t, err, "is not a valid name")
		_, err = client.StorageAccounts().ListByResourceGroup(name)
		require.ErrorContains(t, err, "is not a valid name")
		_, err = management.New(name, http.DefaultClient, nil)
		require.ErrorContains(t, err, "is not a valid name")
	}
	require.Empty(t, svc.Requests())
	_, _ = client.ResourceGroups().Get(t.Context(), "a/b?c#d%")
	require.Equal(t, []string{"GET /subscriptions/s/resourcegroups/a%2Fb%3Fc%23d%25?api-version=2025-04-01"}, requests(svc, time.Now()))
}

func TestNewErrors(t *testing.T) {
	_, err := management.New("s", nil, nil)
	require.ErrorContains(t, err, "needs a Doer")
	for _, endpoint := range []string{"http://a.test", "a.test", "https://", "https://%"} {
		_, err := management.New("s", http.DefaultClient, &management.Options{Endpoint: endpoint})
		require.ErrorContains(t, err, "not an https URL", endpoint)
	}
}

func TestPollerOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := newARM()
		client, err := management.New("s", fakes.Client(svc), &management.Options{
			Endpoint: "https://management.azure.com/", Poller: poller.Options{Cadence: poller.Cadence{Max: time.Second, Min: time.Second}},
		})
		require.NoError(t, err)
		start := time.Now()
		_, err = startMachine(t.Context(), client)
		require.NoError(t, err)
		require.Equal(t, 3*time.Second, time.Since(start))
	})
}

func TestCanceledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := startMachine(ctx, newClient(t, newARM()))
	require.ErrorIs(t, err, context.Canceled)
}
