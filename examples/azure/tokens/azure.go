package tokens

import (
	"context"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// AzureScope is what a token for Azure Resource Manager is asked for, in the public
// cloud. Elsewhere it is the Audience of Resource Manager in azcore's configuration of
// that cloud, which need not be its origin, and /.default.
const AzureScope = "https://management.azure.com/.default"

// Azure asks a credential, such as azidentity's DefaultAzureCredential.
//
// It does not ask for tokens with continuous access evaluation, which live for a day:
// the service revokes one by a 401 whose claims have to go into the next request for a
// token, and a Token is not told them. Without it a token lives for about an hour. A
// client that needs it sends through a pipeline of azcore; see package bridge.
//
// azidentity keeps tokens too, and gives out the same one until 5 minutes before it
// expires, which is when the transport asks. So a token that the service has revoked
// before is not got rid of by asking again: the 401 is handed up.
func Azure(cred azcore.TokenCredential, scopes ...string) Func {
	return func(ctx context.Context) (string, time.Time, error) {
		token, err := cred.GetToken(ctx, policy.TokenRequestOptions{Scopes: scopes})
		return token.Token, token.ExpiresOn, err
	}
}
