package before_test

import (
	"context"
	"errors"
	"net/http"
	"path"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake/server"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/migrate/azcore/before"
	"github.com/lro-go/lro/internal/migrate/widgets"
)

// A fakeServer is like the code that the generator writes into package fake. It has a function for
// each operation and, as a Transporter, calls the function for the operation that the client
// starts. It uses a private protocol, with the header Fake-Poller-Status, that only azcore's Poller
// understands.
type fakeServer struct {
	BeginCreate func(ctx context.Context, name string) (azfake.PollerResponder[widgets.Widget], azfake.ErrorResponder)

	running *azfake.PollerResponder[widgets.Widget]
}

// Do implements policy.Transporter.
func (s *fakeServer) Do(req *http.Request) (*http.Response, error) {
	if s.running == nil {
		responder, failure := s.BeginCreate(req.Context(), path.Base(req.URL.Path))
		if err := server.GetError(failure, req); err != nil {
			return nil, err
		}
		s.running = &responder
	}
	return server.PollerResponderNext(s.running, req)
}

func client(s *fakeServer) *before.Client {
	return before.NewClient("https://a.test", &azfake.TokenCredential{}, &policy.ClientOptions{Transport: s})
}

func TestCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(&fakeServer{BeginCreate: func(_ context.Context, name string) (r azfake.PollerResponder[widgets.Widget], _ azfake.ErrorResponder) {
			r.AddNonTerminalResponse(http.StatusCreated, nil)
			r.AddNonTerminalResponse(http.StatusOK, nil)
			r.SetTerminalResponse(http.StatusOK, widgets.Widget{Name: name}, nil)
			return r, azfake.ErrorResponder{}
		}})
		w, err := c.Create(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
		require.Equal(t, "alpha", w.Name) // this is the name in the URL; the fake stores no widgets
	})
}

func TestCreateFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(&fakeServer{BeginCreate: func(context.Context, string) (r azfake.PollerResponder[widgets.Widget], _ azfake.ErrorResponder) {
			r.AddNonTerminalResponse(http.StatusCreated, nil)
			r.SetTerminalError(http.StatusConflict, "QuotaExceeded")
			return r, azfake.ErrorResponder{}
		}})
		_, err := c.Create(t.Context(), "alpha", widgets.Of(1))
		failure, ok := errors.AsType[*azcore.ResponseError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, "QuotaExceeded", failure.ErrorCode)
	})
}
