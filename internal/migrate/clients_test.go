package migrate

import (
	"context"
	"io"
	"log"
	"net/http"
	"os"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/lro-go/lro/fakes"
	azafter "github.com/lro-go/lro/internal/migrate/azcore/after"
	azbefore "github.com/lro-go/lro/internal/migrate/azcore/before"
	hcafter "github.com/lro-go/lro/internal/migrate/goazuresdk/after"
	hcbefore "github.com/lro-go/lro/internal/migrate/goazuresdk/before"
	"github.com/lro-go/lro/transport"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // go-azure-sdk logs every request
	os.Exit(m.Run())
}

const host = "https://management.test"

// The functions below return clients with default options. The handler h answers their requests in memory.

func azcoreBefore(h http.Handler) *azbefore.Client {
	return azbefore.NewClient(host, &fake.TokenCredential{}, &policy.ClientOptions{Transport: fakes.Client(h)})
}

func azcoreAfter(h http.Handler) *azafter.Client {
	return azafter.NewClient(host, &fake.TokenCredential{}, transport.Options{Base: &fakes.Transport{Handler: h}})
}

func goAzureSDKBefore(t *testing.T, h http.Handler) *hcbefore.Client {
	t.Helper()
	c, err := hcbefore.NewClient(environments.NewApiEndpoint("widgets", host, nil), credential{})
	require.NoError(t, err)
	c.SetTransport(&fakes.Transport{Handler: h})
	return c
}

func goAzureSDKAfter(t *testing.T, h http.Handler) *hcafter.Client {
	t.Helper()
	c, err := hcafter.NewClient(environments.NewApiEndpoint("widgets", host, nil), credential{},
		transport.Options{Base: &fakes.Transport{Handler: h}})
	require.NoError(t, err)
	return c
}

// A credential is an authorizer for go-azure-sdk that always returns the same tokens.
type credential struct{}

func (credential) Token(context.Context, *http.Request) (*oauth2.Token, error) {
	return &oauth2.Token{AccessToken: "fake_token", TokenType: "Bearer"}, nil
}

func (credential) AuxiliaryTokens(context.Context, *http.Request) ([]*oauth2.Token, error) {
	return []*oauth2.Token{{AccessToken: "other_token", TokenType: "Bearer"}}, nil
}
