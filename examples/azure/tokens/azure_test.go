package tokens_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/azure/tokens"
)

// A credential gives out a new token each time it is asked.
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
		require.Equal(t, []policy.TokenRequestOptions{{Scopes: []string{"https://management.azure.com/.default"}}}, cred.asked,
			"without EnableCAE: nobody here could answer its challenge")
	})
}

func TestAzureIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cred := &credential{}
		requireRenewed(t, tokens.Azure(cred, tokens.AzureScope), func() int { return len(cred.asked) })
	})
}

func TestAzureFails(t *testing.T) {
	cred := &credential{err: context.DeadlineExceeded}
	_, _, err := tokens.Azure(cred, tokens.AzureScope)(t.Context())
	require.ErrorIs(t, err, cred.err)
}
