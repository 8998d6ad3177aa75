package tokens

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/lro-go/lro/transport"
)

// ClientCredentials returns a [Func] that gets tokens from a token endpoint with a client's ID and
// secret (RFC 6749, section 4.4). It sends its requests through client. A nil client means
// transport.NewClient(nil), which retries while the endpoint throttles requests or is down.
//
// The Func calls config.Token instead of using an [oauth2.TokenSource]. A TokenSource takes no
// context. It also caches a token until 10 s before the expiry, even if the service has rejected
// the token.
func ClientCredentials(config *clientcredentials.Config, client *http.Client) Func {
	if client == nil {
		client = transport.NewClient(nil)
	}
	return func(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
		return bearer(config.Token(context.WithValue(ctx, oauth2.HTTPClient, client)))
	}
}

// Source returns a [Func] that gets tokens from any [oauth2.TokenSource]. A TokenSource takes no
// context, so a call continues after the request's context ends. Create the source with a context
// whose [oauth2.HTTPClient] has a Timeout. A source that caches tokens returns the same token until
// shortly before it expires. The transport asks for a new token earlier than that. If it gets the
// same token again, it asks once more when a tenth of the remaining lifetime is left.
func Source(source oauth2.TokenSource) Func {
	return func(context.Context, transport.TokenRequest) (transport.Token, error) { return bearer(source.Token()) }
}

// bearer converts a token for the transport. It rejects a token of any type except Bearer, because
// the transport sends every token as a bearer token (RFC 6749, section 7.1).
func bearer(token *oauth2.Token, err error) (transport.Token, error) {
	if err != nil {
		return transport.Token{}, err
	}
	if kind := token.Type(); !strings.EqualFold(kind, "Bearer") {
		return transport.Token{}, fmt.Errorf("the token is of type %q, not Bearer", kind)
	}
	return transport.Token{Value: token.AccessToken, Expires: token.Expiry}, nil
}
