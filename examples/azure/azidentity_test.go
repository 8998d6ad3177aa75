package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller/lroazcore"
	"github.com/lro-go/lro/transport"
)

// An entra simulates Microsoft Entra ID. It serves tokens and the OpenID configuration that lists
// the endpoints.
type entra struct {
	requests []string // the path and scope of each token request
	claims   []string
}

func (e *entra) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/openid-configuration") {
		_, _ = fmt.Fprint(w, `{"issuer": "https://login.microsoftonline.com/tenant/v2.0",
			"authorization_endpoint": "https://login.microsoftonline.com/tenant/oauth2/v2.0/authorize",
			"token_endpoint": "https://login.microsoftonline.com/tenant/oauth2/v2.0/token"}`)
		return
	}
	_ = r.ParseForm()
	e.requests = append(e.requests, r.URL.Path+" "+r.PostForm.Get("scope"))
	e.claims = append(e.claims, r.PostForm.Get("claims"))
	_, _ = fmt.Fprintf(w, `{"token_type": "Bearer", "expires_in": 3600, "access_token": "token-%d"}`, len(e.requests))
}

// TestAzidentity checks that azidentity returns a cached token until five minutes before it
// expires, or until the service demands claims.
func TestAzidentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		login := &entra{}
		cred, err := azidentity.NewClientSecretCredential("tenant", "id", "secret", &azidentity.ClientSecretCredentialOptions{
			ClientOptions:            policy.ClientOptions{Transport: fakes.Client(login)},
			DisableInstanceDiscovery: true,
		})
		require.NoError(t, err)
		token := lroazcore.Token(cred, nil)
		for _, tt := range []struct {
			pause  time.Duration
			claims string
			want   string
		}{
			{0, "", "token-1"},
			{0, "", "token-1"}, // azidentity returns its cached token, because it does not learn that the service has rejected the token with a 401
			{55*time.Minute - time.Second, "", "token-1"},
			{time.Second + time.Nanosecond, "", "token-2"},
			{0, `{"access_token":{"nbf":{"value":"1"}}}`, "token-3"}, // claims make azidentity request a new token
			{0, "", "token-3"},
		} {
			time.Sleep(tt.pause)
			got, err := token(t.Context(), transport.TokenRequest{Origin: "https://management.azure.com", Claims: tt.claims})
			require.NoError(t, err)
			require.Equal(t, tt.want, got.Value)
			require.Greater(t, time.Until(got.Expires), 5*time.Minute-time.Second)
		}
		require.JSONEq(t, `{"access_token":{"xms_cc":{"values":["CP1"]}}}`, login.claims[0], "the request must enable continuous access evaluation")
		require.JSONEq(t, `{"access_token":{"nbf":{"value":"1"},"xms_cc":{"values":["CP1"]}}}`, login.claims[2])
		require.Equal(t, "/tenant/oauth2/v2.0/token https://management.azure.com/.default openid offline_access profile", login.requests[0])
	})
}
