package after_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/migrate/goazuresdk/after"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/transport"
)

type credential struct{}

func (credential) Token(context.Context, *http.Request) (*oauth2.Token, error) {
	return &oauth2.Token{AccessToken: "secret", TokenType: "Bearer"}, nil
}

func (credential) AuxiliaryTokens(context.Context, *http.Request) ([]*oauth2.Token, error) {
	return []*oauth2.Token{{AccessToken: "other", TokenType: "Bearer"}}, nil
}

func client(t *testing.T, svc *fakes.Service) *after.Client {
	t.Helper()
	c, err := after.NewClient(environments.NewApiEndpoint("widgets", "https://a.test", nil), credential{},
		&transport.Options{Base: &fakes.Transport{Handler: svc}}, nil)
	require.NoError(t, err)
	return c
}

func TestCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		start := time.Now()
		w, err := client(t, svc).Create(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
		require.Equal(t, "alpha, size 1, Succeeded", w.String())
		require.Equal(t, 3*time.Minute, time.Since(start))
		for _, r := range svc.Requests() {
			require.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
			require.Equal(t, "Bearer other", r.Header.Get("X-Ms-Authorization-Auxiliary"))
		}
	})
}

// TestCreateReadyFails checks that the wait ends with an error if the resourceState is missing or
// unknown.
func TestCreateReadyFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{} // the widgets of this service have no resourceState
		_, err := client(t, svc).CreateReady(t.Context(), "alpha", widgets.Of(1))
		var failure *lroerrors.OperationError
		require.ErrorAs(t, err, &failure)
	})
}

// TestResizeWhileBusy checks that Resize makes six attempts, with the default pause between them,
// and then returns the error.
func TestResizeWhileBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Put(widgets.Collection+"/alpha", widgets.Of(1))
		svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Respond(http.StatusConflict, `{"error":{"code":"Conflict","message":"Busy."}}`)})
		start := time.Now()
		_, err := client(t, svc).Resize(t.Context(), "alpha", widgets.Of(2))
		var refused *lroerrors.StatusError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, http.StatusConflict, refused.StatusCode)
		require.Len(t, svc.Requests(), 6)
		require.Equal(t, 5*30*time.Second, time.Since(start))
	})
}
