// Package tokens has functions for the Token field of transport.Options. They get tokens for IBM
// Cloud API keys and for OAuth 2.0 client credentials. Copy the function that you need. For the
// credentials of azidentity, see package lroazcore.
//
//	client := transport.NewClient(&transport.Options{Token: tokens.IBM(apiKey, nil)})
//
// The functions do not cache tokens. The transport caches each token and fetches the next one when
// a tenth of its lifetime is left, or 5 minutes if that is less. It calls the function once for all
// requests that are waiting for a token, and drops a token after a 401.
//
// The functions return the same kind of token for every origin. If a client sends requests to a
// host that must not see such a token, wrap the function and check the Origin of the TokenRequest.
package tokens

import (
	"context"

	"github.com/lro-go/lro/transport"
)

// A Func returns a bearer token and the time at which it expires. It has the type of the Token
// field of [transport.Options].
type Func func(ctx context.Context, r transport.TokenRequest) (transport.Token, error)
