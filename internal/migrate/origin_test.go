package migrate

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/migrate/widgets"
)

const foreign = "https://elsewhere.test"

// A crossroads is two services on different hosts. The first one, here, returns status URLs on the
// host of the second one, there.
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

// TestForeignOrigin checks what each client does with a status URL on another host: azcore sends
// its credential there, go-azure-sdk requests the same path from the original host, and our poller
// sends nothing and returns ErrForeignOrigin.
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
