package tokens_test

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

	"github.com/lro-go/lro/examples/azure/tokens"
	"github.com/lro-go/lro/fakes"
)

// An entra is Microsoft Entra ID: where its endpoints are, and tokens.
type entra struct{ asked []string }

func (e *entra) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/openid-configuration") {
		_, _ = fmt.Fprint(w, `{"issuer": "https://login.microsoftonline.com/tenant/v2.0",
			"authorization_endpoint": "https://login.microsoftonline.com/tenant/oauth2/v2.0/authorize",
			"token_endpoint": "https://login.microsoftonline.com/tenant/oauth2/v2.0/token"}`)
		return
	}
	_ = r.ParseForm()
	e.asked = append(e.asked, r.URL.Path+" "+r.PostForm.Get("scope"))
	_, _ = fmt.Fprintf(w, `{"token_type": "Bearer", "expires_in": 3600, "access_token": "token-%d"}`, len(e.asked))
}

// What the comment of Azure says of azidentity, held by azidentity.
func TestAzidentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		login := &entra{}
		cred, err := azidentity.NewClientSecretCredential("tenant", "id", "secret", &azidentity.ClientSecretCredentialOptions{
			ClientOptions:            policy.ClientOptions{Transport: fakes.Client(login)},
			DisableInstanceDiscovery: true,
		})
		require.NoError(t, err)
		token := tokens.Azure(cred, tokens.AzureScope)
		for _, tt := range []struct {
			pause time.Duration
			want  string
		}{
			{0, "token-1"},
			{0, "token-1"}, // it keeps it, whoever asks again, as after a 401
			{55*time.Minute - time.Second, "token-1"},
			{time.Second + time.Nanosecond, "token-2"},
		} {
			time.Sleep(tt.pause)
			value, left, err := ask(t.Context(), token)
			require.NoError(t, err)
			require.Equal(t, tt.want, value)
			require.Greater(t, left, 5*time.Minute-time.Second)
		}
		require.Equal(t, "/tenant/oauth2/v2.0/token https://management.azure.com/.default openid offline_access profile", login.asked[0])
	})
}
