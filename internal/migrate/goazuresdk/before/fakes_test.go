package before_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/migrate/goazuresdk/before"
	"github.com/lro-go/lro/internal/migrate/widgets"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // go-azure-sdk logs every request
	os.Exit(m.Run())
}

type credential struct{}

func (credential) Token(context.Context, *http.Request) (*oauth2.Token, error) {
	return &oauth2.Token{AccessToken: "secret", TokenType: "Bearer"}, nil
}

func (credential) AuxiliaryTokens(context.Context, *http.Request) ([]*oauth2.Token, error) {
	return nil, nil
}

// byHand returns a service that is written by hand for a single test. The tests of go-azure-sdk do
// the same, because go-azure-sdk has no fakes.
func byHand() http.Handler {
	polls := 0
	mux := http.NewServeMux()
	mux.HandleFunc("PUT "+widgets.Collection+"/alpha", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Azure-AsyncOperation", "https://a.test/operations/1?api-version="+widgets.APIVersion)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"properties":{"provisioningState":"Creating"}}`)
	})
	mux.HandleFunc("GET /operations/1", func(w http.ResponseWriter, _ *http.Request) {
		polls++
		status := "InProgress"
		if polls > 2 {
			status = "Succeeded"
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"status":%q}`, status)
	})
	mux.HandleFunc("GET "+widgets.Collection+"/alpha", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"name":"alpha","properties":{"size":1,"provisioningState":"Succeeded"}}`)
	})
	return mux
}

func TestCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		c, err := before.NewClient(environments.NewApiEndpoint("widgets", "https://a.test", nil), credential{})
		require.NoError(t, err)
		c.SetTransport(&fakes.Transport{Handler: byHand()})
		start := time.Now()
		w, err := c.Create(ctx, "alpha", widgets.Of(1))
		require.NoError(t, err)
		require.Equal(t, "alpha, size 1, Succeeded", w.String())
		require.Equal(t, 30*time.Second, time.Since(start))
	})
}
