package tokens

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/lro-go/lro/transport"
)

// AzureScope is the scope of a token for Azure Resource Manager in the public cloud. In another
// cloud, use the Audience of Resource Manager in azcore's configuration of that cloud, followed
// by /.default. The Audience may differ from the origin of the requests.
const AzureScope = "https://management.azure.com/.default"

// Azure gets tokens from a credential such as azidentity's DefaultAzureCredential.
//
// It requests tokens with continuous access evaluation, which may live for more than a day because
// the service can revoke them: it then answers 401 and demands claims. Azure passes these claims to
// the credential, which fetches a new token even though its own cache still holds the old one.
//
// After a 401 that demands no claims, azidentity returns the token in its cache until 5 minutes
// before that expires, and the caller gets the 401.
func Azure(cred azcore.TokenCredential, scopes ...string) Func {
	return func(ctx context.Context, r transport.TokenRequest) (transport.Token, error) {
		token, err := cred.GetToken(ctx, policy.TokenRequestOptions{Scopes: scopes, Claims: r.Claims, EnableCAE: true})
		return transport.Token{Value: token.Token, Expires: token.ExpiresOn}, err
	}
}
