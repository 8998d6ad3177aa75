package tokens_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/azure/tokens"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/transport"
)

// A credential returns a new token from each call.
type credential struct {
	asked []policy.TokenRequestOptions
	err   error
}

func (c *credential) GetToken(_ context.Context, opts policy.TokenRequestOptions) (azcore.AccessToken, error) {
	c.asked = append(c.asked, opts)
	return azcore.AccessToken{Token: fmt.Sprintf("token-%d", len(c.asked)), ExpiresOn: time.Now().Add(time.Hour)}, c.err
}

func TestAzureAsksTheCredential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cred := &credential{}
		value, left, err := ask(t.Context(), tokens.Azure(cred, tokens.AzureScope))
		require.NoError(t, err)
		require.Equal(t, "token-1", value)
		require.Equal(t, time.Hour, left)
		require.Equal(t, []policy.TokenRequestOptions{{Scopes: []string{"https://management.azure.com/.default"}, EnableCAE: true}}, cred.asked)
	})
}

func TestAzureIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cred := &credential{}
		requireRenewed(t, tokens.Azure(cred, tokens.AzureScope), func() int { return len(cred.asked) })
	})
}

// A 401 that demands claims leads to a token that was requested with them.
func TestAzurePassesClaims(t *testing.T) {
	const claims = `{"access_token":{"nbf":{"essential":true,"value":"1"}}}`
	cred := &credential{}
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer token-1" {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_claims", claims="`+base64.StdEncoding.EncodeToString([]byte(claims))+`"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	client := transport.NewClient(&transport.Options{Base: &fakes.Transport{Handler: api}, Token: tokens.Azure(cred, tokens.AzureScope)})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.test/", http.NoBody)
	require.NoError(t, err)
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	scopes := []string{tokens.AzureScope}
	require.Equal(t, []policy.TokenRequestOptions{{Scopes: scopes, EnableCAE: true}, {Scopes: scopes, EnableCAE: true, Claims: claims}}, cred.asked)
}

func TestAzureFails(t *testing.T) {
	cred := &credential{err: context.DeadlineExceeded}
	_, _, err := ask(t.Context(), tokens.Azure(cred, tokens.AzureScope))
	require.ErrorIs(t, err, cred.err)
}
