package lroazcore_test

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller/lroazcore"
	"github.com/lro-go/lro/transport"
)

func TestToken(t *testing.T) {
	opts := &lroazcore.TokenOptions{TenantID: "tenant", Scopes: map[string][]string{
		"https://API.test:443": {"api/one", "api/two"}, "https://open.test": nil,
	}}
	for _, tt := range []struct {
		origin string
		opts   *lroazcore.TokenOptions
		want   policy.TokenRequestOptions
	}{
		{"https://management.azure.com", nil, policy.TokenRequestOptions{Scopes: []string{"https://management.azure.com/.default"}}},
		{"https://management.usgovcloudapi.net", nil, policy.TokenRequestOptions{Scopes: []string{"https://management.usgovcloudapi.net/.default"}}},
		{"https://management.chinacloudapi.cn", opts, policy.TokenRequestOptions{Scopes: []string{"https://management.chinacloudapi.cn/.default"}, TenantID: "tenant"}},
		{"https://api.test", opts, policy.TokenRequestOptions{Scopes: []string{"api/one", "api/two"}, TenantID: "tenant"}},
	} {
		cred := &credential{}
		got, err := lroazcore.Token(cred, tt.opts)(t.Context(), transport.TokenRequest{Origin: tt.origin, Claims: "-claims"})
		require.NoError(t, err)
		require.Equal(t, "token-1-claims", got.Value)
		require.False(t, got.Expires.IsZero())
		tt.want.Claims, tt.want.EnableCAE = "-claims", true
		require.Equal(t, []policy.TokenRequestOptions{tt.want}, cred.asked)
	}
	cred := &credential{}
	got, err := lroazcore.Token(cred, opts)(t.Context(), transport.TokenRequest{Origin: "https://open.test"})
	require.NoError(t, err)
	require.Empty(t, got.Value)
	require.Empty(t, cred.asked)
}

// TestTokenOfUnknownOrigin checks the errors for an origin whose scopes are unknown, a missing
// credential, invalid Scopes and a credential that fails.
func TestTokenOfUnknownOrigin(t *testing.T) {
	arm := transport.TokenRequest{Origin: "https://management.azure.com"}
	cred := &credential{}
	_, err := lroazcore.Token(cred, nil)(t.Context(), transport.TokenRequest{Origin: "https://evil.test"})
	require.EqualError(t, err, "lroazcore: no scope is known for https://evil.test; set TokenOptions.Scopes")
	_, err = lroazcore.Token(nil, nil)(t.Context(), arm)
	require.ErrorContains(t, err, "needs a credential")
	for _, origin := range []string{"management.azure.com", "%"} {
		_, err = lroazcore.Token(cred, &lroazcore.TokenOptions{Scopes: map[string][]string{origin: nil}})(t.Context(), arm)
		require.ErrorContains(t, err, "TokenOptions.Scopes", origin)
	}
	require.Empty(t, cred.asked)
	_, err = lroazcore.Token(&credential{err: errDown}, nil)(t.Context(), arm)
	require.ErrorIs(t, err, errDown)
}

// TestTokenPassesClaims checks that Token passes the claims from a 401 to the credential.
func TestTokenPassesClaims(t *testing.T) {
	const claims = `{"access_token":{"nbf":{"essential":true,"value":"1"}}}`
	cred := &credential{}
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer token-1" {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_claims", claims="`+base64.StdEncoding.EncodeToString([]byte(claims))+`"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	client := transport.NewClient(&transport.Options{Base: &fakes.Transport{Handler: api}, Token: lroazcore.Token(cred, nil)})
	resp, err := client.Do(newGet(t))
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Len(t, cred.asked, 2)
	require.Equal(t, claims, cred.asked[1].Claims)
}
