// Package tokens has functions for the Token field of transport.Options. They exchange IBM Cloud
// API keys or OAuth 2.0 client credentials for tokens. Copy the function that you need. For
// azidentity credentials, see package lroazcore.
//
//	client := transport.NewClient(&transport.Options{Token: tokens.IBM(apiKey, nil)})
//
// The functions do not cache tokens, because the transport does. It fetches the next token when the
// current one has a tenth of its lifetime left, or 5 minutes if that is less. It calls the function
// once for all requests that are waiting for a token. After a 401, it discards the token.
//
// The functions return a token for any origin. If your client also sends requests to a host that
// must not get such a token, wrap the function and check TokenRequest.Origin.
package tokens

import (
	"context"

	"github.com/lro-go/lro/transport"
)

// A Func returns a bearer token and its expiry time. It is the type of the Token field of
// [transport.Options].
type Func func(ctx context.Context, r transport.TokenRequest) (transport.Token, error)
