package main

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/hashicorp/go-azure-sdk/sdk/auth"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"golang.org/x/oauth2"

	azafter "github.com/lro-go/lro/examples/migrate/azcore/after"
	azbefore "github.com/lro-go/lro/examples/migrate/azcore/before"
	hcafter "github.com/lro-go/lro/examples/migrate/goazuresdk/after"
	hcbefore "github.com/lro-go/lro/examples/migrate/goazuresdk/before"
	"github.com/lro-go/lro/poller"
)

// polling is for this demonstration alone. The poller never asks more often than
// every 10 s, whatever the service says, and that is as it should be.
func polling() *poller.Options {
	return &poller.Options{Cadence: poller.Cadence{Min: time.Millisecond}}
}

// azcoreBefore makes the client on azcore. It sends its credential over plain HTTP
// because the service is on this machine.
func azcoreBefore(origin string) *azbefore.Client {
	return azbefore.NewClient(origin, &fake.TokenCredential{}, &policy.ClientOptions{
		InsecureAllowCredentialWithHTTP: true,
		Retry:                           azbefore.Retry(),
	})
}

func onAzcore(do func(context.Context, *azbefore.Client) (string, error)) side {
	return func(ctx context.Context, origin string) (string, error) { return do(ctx, azcoreBefore(origin)) }
}

func azcoreAfter(origin string) *azafter.Client {
	return azafter.NewClient(origin, &fake.TokenCredential{}, azafter.Retry(), polling())
}

func offAzcore(do func(context.Context, *azafter.Client) (string, error)) side {
	return func(ctx context.Context, origin string) (string, error) { return do(ctx, azcoreAfter(origin)) }
}

// A credential for go-azure-sdk that is made of nothing.
type credential struct{}

var _ auth.Authorizer = credential{}

func (credential) Token(context.Context, *http.Request) (*oauth2.Token, error) {
	return &oauth2.Token{AccessToken: "fake_token", TokenType: "Bearer"}, nil
}

func (credential) AuxiliaryTokens(context.Context, *http.Request) ([]*oauth2.Token, error) {
	return nil, nil
}

func onGoAzureSDK(do func(context.Context, *hcbefore.Client) (string, error)) side {
	return func(ctx context.Context, origin string) (string, error) {
		c, err := hcbefore.NewClient(environments.NewApiEndpoint("widgets", origin, nil), credential{})
		if err != nil {
			return "", err
		}
		return do(ctx, c)
	}
}

func offGoAzureSDK(do func(context.Context, *hcafter.Client) (string, error)) side {
	return func(ctx context.Context, origin string) (string, error) {
		c, err := hcafter.NewClient(environments.NewApiEndpoint("widgets", origin, nil), credential{}, nil, polling())
		if err != nil {
			return "", err
		}
		c.BusyPause = time.Millisecond
		return do(ctx, c)
	}
}
