package tokens

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/lro-go/lro/transport"
)

// ClientCredentials asks a token endpoint with the id and the secret of a client (RFC
// 6749, section 4.4). A nil client means transport.NewClient(nil), which asks again
// where the endpoint is throttled or down.
//
// It calls config.Token rather than a [oauth2.TokenSource], which keeps the token
// until 10 s before it expires, whoever asks for a fresh one, and is not told of the
// context.
func ClientCredentials(config *clientcredentials.Config, client *http.Client) Func {
	if client == nil {
		client = transport.NewClient(nil)
	}
	return func(ctx context.Context) (string, time.Time, error) {
		return bearer(config.Token(context.WithValue(ctx, oauth2.HTTPClient, client)))
	}
}

// Source asks any other source of golang.org/x/oauth2. The context counts for nothing,
// as a source takes none: give the one that it was made with an [oauth2.HTTPClient]
// that has a Timeout. A source that keeps its token is asked in vain when it is about
// to expire, until it does; that costs nothing but calls.
func Source(source oauth2.TokenSource) Func {
	return func(context.Context) (string, time.Time, error) { return bearer(source.Token()) }
}

// bearer refuses a token of another type, which Authorization: Bearer would misname
// (RFC 6749, section 7.1).
func bearer(token *oauth2.Token, err error) (string, time.Time, error) {
	if err != nil {
		return "", time.Time{}, err
	}
	if kind := token.Type(); !strings.EqualFold(kind, "Bearer") {
		return "", time.Time{}, fmt.Errorf("the token is of type %q, not Bearer", kind)
	}
	return token.AccessToken, token.Expiry, nil
}
