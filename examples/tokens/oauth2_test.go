package tokens_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/lro-go/lro/examples/tokens"
	"github.com/lro-go/lro/fakes"
)

const oauthToken = `{"access_token": "token-%d", "token_type": "bearer", "expires_in": 3600}`

func newConfig() *clientcredentials.Config {
	return &clientcredentials.Config{
		ClientID: "id", ClientSecret: "secret", TokenURL: "https://login.test/token",
		Scopes: []string{"a", "b"}, AuthStyle: oauth2.AuthStyleInParams,
	}
}

func TestClientCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		login := &issuer{answer: json(http.StatusOK, oauthToken)}
		value, left, err := ask(t.Context(), tokens.ClientCredentials(newConfig(), fakes.Client(login)))
		require.NoError(t, err)
		require.Equal(t, "token-1", value)
		require.Equal(t, time.Hour, left)
		require.Equal(t, "POST login.test/token", login.requests[0].target)
		require.Equal(t, "client_id=id&client_secret=secret&grant_type=client_credentials&scope=a+b", login.requests[0].form)
	})
}

func TestClientCredentialsRenewal(t *testing.T) {
	login := &issuer{answer: json(http.StatusOK, oauthToken)}
	requireRenewed(t, tokens.ClientCredentials(newConfig(), fakes.Client(login)), func() int { return len(login.requests) })
}

func TestClientCredentialsRefused(t *testing.T) {
	login := &issuer{answer: json(http.StatusUnauthorized, `{"error": "invalid_client", "error_description": "unknown %d"}`)}
	_, _, err := ask(t.Context(), tokens.ClientCredentials(newConfig(), fakes.Client(login)))
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	require.True(t, ok, err)
	require.Equal(t, "invalid_client", refused.ErrorCode)
}

func TestClientCredentialsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := fakes.Client(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, _, err := ask(ctx, tokens.ClientCredentials(newConfig(), hanging))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(start))
	})
}

func TestSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "given", Expiry: time.Now().Add(time.Hour)})
		value, left, err := ask(t.Context(), tokens.Source(source))
		require.NoError(t, err)
		require.Equal(t, "given", value)
		require.Equal(t, time.Hour, left)
	})
}

func TestTokenType(t *testing.T) {
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "given", TokenType: "MAC"})
	_, _, err := ask(t.Context(), tokens.Source(source))
	require.EqualError(t, err, `the token is of type "MAC", not Bearer`)
}

func TestSourceError(t *testing.T) {
	down := errors.New("down")
	_, _, err := ask(t.Context(), tokens.Source(failing{down}))
	require.ErrorIs(t, err, down)
}

type failing struct{ err error }

func (f failing) Token() (*oauth2.Token, error) { return nil, f.err }
