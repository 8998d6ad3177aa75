package migrate

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/hashicorp/go-azure-sdk/sdk/auth"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"golang.org/x/oauth2"

	azafter "github.com/lro-go/lro/internal/migrate/azcore/after"
	azbefore "github.com/lro-go/lro/internal/migrate/azcore/before"
	hcafter "github.com/lro-go/lro/internal/migrate/goazuresdk/after"
	hcbefore "github.com/lro-go/lro/internal/migrate/goazuresdk/before"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// explain describes an error that a client returned.
type explain func(error) string

// creator has the methods that all four clients share.
type creator interface {
	Create(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error)
	CreateFor(ctx context.Context, tenant, name string, want widgets.Widget) (widgets.Widget, error)
	CreateAndCancel(ctx context.Context, name string, want widgets.Widget) error
}

// azcoreAPI has the methods that the azcore client and its successor share.
type azcoreAPI interface {
	creator
	Begin(ctx context.Context, name string, want widgets.Widget) (token string, err error)
	Names(ctx context.Context) ([]string, error)
	Resume(ctx context.Context, token string) (widgets.Widget, error)
	RunJob(ctx context.Context, want widgets.Widget) (widgets.Widget, error)
	Watch(ctx context.Context, name string, want widgets.Widget, show func(word string, percent float64)) (widgets.Widget, error)
}

var _, _ azcoreAPI = (*azbefore.Client)(nil), (*azafter.Client)(nil)

// goAzureSDKAPI has the methods that the go-azure-sdk client and its successor share.
type goAzureSDKAPI interface {
	creator
	CreateReady(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error)
	Delete(ctx context.Context, name string) error
	Resize(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error)
	Watch(ctx context.Context, name string, want widgets.Widget, show func(word string, percent float64)) error
}

var _, _ goAzureSDKAPI = (*hcbefore.Client)(nil), (*hcafter.Client)(nil)

// polling returns options with which the poller accepts a pause of a millisecond. By default, the
// poller waits at least 10 s between reads, even if the service asks for less.
func polling() *poller.Options {
	return &poller.Options{Cadence: poller.Cadence{Min: time.Millisecond}}
}

// azcoreBefore returns an azcore client that is allowed to send its credential over plain HTTP,
// because the service is on this machine.
func azcoreBefore(origin string) *azbefore.Client {
	return azbefore.NewClient(origin, &fake.TokenCredential{}, &policy.ClientOptions{
		InsecureAllowCredentialWithHTTP: true,
		Retry:                           azbefore.Retry(),
	})
}

func azcoreAfter(origin string) *azafter.Client {
	return azafter.NewClient(origin, &fake.TokenCredential{}, azafter.Retry(), polling())
}

// withAzcore returns two sides that run do: the first one with the azcore client, the second one
// with the client that replaces it.
func withAzcore(do func(context.Context, azcoreAPI, explain) (string, error)) sides {
	return sides{
		func(ctx context.Context, origin string) (string, error) {
			return do(ctx, azcoreBefore(origin), azbefore.Explain)
		},
		func(ctx context.Context, origin string) (string, error) {
			return do(ctx, azcoreAfter(origin), azafter.Explain)
		},
	}
}

// A credential gives go-azure-sdk a fixed token.
type credential struct{}

var _ auth.Authorizer = credential{}

func (credential) Token(context.Context, *http.Request) (*oauth2.Token, error) {
	return &oauth2.Token{AccessToken: "fake_token", TokenType: "Bearer"}, nil
}

func (credential) AuxiliaryTokens(context.Context, *http.Request) ([]*oauth2.Token, error) {
	return nil, nil
}

func goAzureSDKBefore(do func(context.Context, *hcbefore.Client) (string, error)) side {
	return func(ctx context.Context, origin string) (string, error) {
		c, err := hcbefore.NewClient(environments.NewApiEndpoint("widgets", origin, nil), credential{})
		if err != nil {
			return "", err
		}
		return do(ctx, c)
	}
}

func goAzureSDKAfter(do func(context.Context, *hcafter.Client) (string, error)) side {
	return func(ctx context.Context, origin string) (string, error) {
		c, err := hcafter.NewClient(environments.NewApiEndpoint("widgets", origin, nil), credential{}, nil, polling())
		if err != nil {
			return "", err
		}
		c.BusyPause = time.Millisecond
		return do(ctx, c)
	}
}

// withGoAzureSDK returns two sides that both run do, one with the go-azure-sdk client and one with
// its successor.
func withGoAzureSDK(do func(context.Context, goAzureSDKAPI, explain) (string, error)) sides {
	return sides{
		goAzureSDKBefore(func(ctx context.Context, c *hcbefore.Client) (string, error) { return do(ctx, c, hcbefore.Explain) }),
		goAzureSDKAfter(func(ctx context.Context, c *hcafter.Client) (string, error) { return do(ctx, c, hcafter.Explain) }),
	}
}
