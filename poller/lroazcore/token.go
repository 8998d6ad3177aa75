package lroazcore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/lro-go/lro/transport"
)

// TokenOptions configure [Token], which copies them. Nil means the defaults.
type TokenOptions struct {
	TenantID string // the tenant to request tokens from; the tenant of the credential by default

	// Scopes maps an origin, such as "https://management.local.azurestack.external", to the scopes
	// of its tokens; none by default. An entry adds an origin to those that Token knows, or
	// replaces the scopes of one of them. Requests to an origin with an empty list get no
	// Authorization header.
	Scopes map[string][]string
}

// scopes maps the origins of Azure Resource Manager to their scopes, for the public cloud, Azure
// Government and Azure operated by 21Vianet (China).
var scopes = map[string][]string{
	"https://management.azure.com":         {"https://management.azure.com/.default"},
	"https://management.usgovcloudapi.net": {"https://management.usgovcloudapi.net/.default"},
	"https://management.chinacloudapi.cn":  {"https://management.chinacloudapi.cn/.default"},
}

// Token returns a function for the Token field of transport.Options. The function gets tokens from
// a credential, such as azidentity's DefaultAzureCredential:
//
//	client := transport.NewClient(&transport.Options{Token: lroazcore.Token(cred, nil)})
//
// It knows the scopes of Azure Resource Manager in the public cloud, the US government cloud and
// the China cloud. For any other origin, it returns an error that names the origin, so that no
// service receives a token that is meant for another service. To allow an origin, add it to
// TokenOptions.Scopes. If cred or opts is invalid, each call returns an error. The function returns
// errors from the credential unchanged.
//
// The tokens use continuous access evaluation (CAE). They may be valid for more than a day, because
// the service can revoke them with a 401 that demands claims. The function passes these claims to
// the credential, which then fetches a new token although the old one is still in its cache. After
// a 401 without claims, azidentity may return the same token again, and the caller then gets the
// 401.
//
// The function does not cache tokens, because the transport does. It is safe for concurrent use
// if the credential is.
func Token(cred azcore.TokenCredential, opts *TokenOptions) func(context.Context, transport.TokenRequest) (transport.Token, error) {
	var o TokenOptions
	if opts != nil {
		o = *opts
	}
	known, invalid := withScopes(o.Scopes)
	if invalid == nil && cred == nil {
		invalid = errors.New("lroazcore: Token needs a credential")
	}

	return func(ctx context.Context, r transport.TokenRequest) (transport.Token, error) {
		if invalid != nil {
			return transport.Token{}, invalid
		}
		list, ok := known[r.Origin]
		if !ok {
			return transport.Token{}, fmt.Errorf("lroazcore: no scope is known for %s; set TokenOptions.Scopes", r.Origin)
		}
		if len(list) == 0 {
			return transport.Token{}, nil
		}
		t, err := cred.GetToken(ctx, policy.TokenRequestOptions{Scopes: slices.Clone(list), Claims: r.Claims, TenantID: o.TenantID, EnableCAE: true})
		return transport.Token{Value: t.Token, Expires: t.ExpiresOn}, err
	}
}

// withScopes returns the scopes that Token knows, extended and overridden by the given scopes.
func withScopes(more map[string][]string) (map[string][]string, error) {
	known := maps.Clone(scopes)
	var invalid error
	for text, list := range more {
		origin, err := originOf(text)
		if err != nil {
			invalid = fmt.Errorf("lroazcore: TokenOptions.Scopes: %w", err)
			continue
		}
		known[origin] = slices.Clone(list)
	}
	return known, invalid
}

func originOf(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", errors.New("an origin is not a URL")
	}
	return transport.Origin(u)
}
