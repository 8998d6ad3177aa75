package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/fakes"
)

const foreign = "https://elsewhere.test"

// A crossroads is two services: one that sends its clients to another host to ask
// for the status, and that host.
type crossroads struct{ here, there *fakes.Service }

func newCrossroads() crossroads {
	c := crossroads{&fakes.Service{}, &fakes.Service{}}
	c.here.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Edit(func(a *fakes.Answer) {
		a.Header.Set("Azure-AsyncOperation", strings.Replace(a.Header.Get("Azure-AsyncOperation"), host, foreign, 1))
	})})
	return c
}

func (c crossroads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Host == strings.TrimPrefix(foreign, "https://") {
		c.there.ServeHTTP(w, r)
		return
	}
	c.here.ServeHTTP(w, r)
}

// Where a service sends its clients to another host, azcore goes there with the
// credential, go-azure-sdk asks its own host for that path whatever may be there, and
// ours goes nowhere and says so.
func TestForeignOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		c := newCrossroads()
		_, err := azcoreClient(c).Create(ctx, "alpha", widgets.Of(1))
		require.Error(t, err)
		require.Equal(t, "Bearer fake_token", c.there.Requests()[0].Header.Get("Authorization"))

		c = newCrossroads()
		_, err = ourClient(c).Create(ctx, "alpha", widgets.Of(1))
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
		require.Empty(t, c.there.Requests())
		require.Len(t, c.here.Requests(), 1)

		c = newCrossroads()
		require.NoError(t, goAzureSDKClient(t, c).CreateThenPoll(ctx, "alpha", widgets.Of(1)))
		require.Empty(t, c.there.Requests())
		require.Len(t, c.here.Requests(), 4)
	})
}
