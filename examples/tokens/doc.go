// Package tokens has functions for the Token field of transport.Options. They get tokens for an IBM
// Cloud API key, for OAuth 2.0 client credentials, or from an oauth2.TokenSource. Copy the function
// that you need. For azidentity credentials, see package lroazcore.
//
//	client := transport.NewClient(&transport.Options{Token: tokens.IBM(apiKey, nil)})
//
// The functions do not cache tokens, because the transport does. The transport fetches the next
// token when the current one has a tenth of its lifetime left, or 5 minutes if that is less. It
// calls the function once for all requests that are waiting for a token. After a 401, it discards
// the token.
//
// The functions return a token for any origin. If your client also sends requests to a host that
// must not get such a token, wrap the function and check TokenRequest.Origin.
package tokens

import (
	"context"

	"github.com/lro-go/lro/transport"
)

// A Func returns a bearer token and its expiry time. Assign it to the Token field of
// [transport.Options].
type Func func(ctx context.Context, r transport.TokenRequest) (transport.Token, error)
