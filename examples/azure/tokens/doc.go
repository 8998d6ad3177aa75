// Package tokens has functions for the Token of transport.Options: Azure's by a
// credential of azidentity, anybody's by OAuth 2.0 client credentials, and IBM
// Cloud's by an API key.
//
//	cred, err := azidentity.NewDefaultAzureCredential(nil)
//	…
//	client := transport.NewClient(&transport.Options{Token: tokens.Azure(cred, tokens.AzureScope)})
//
// The functions fetch and keep nothing. The transport keeps the token, renews it
// when a tenth of its time, 5 minutes at most, is left, once however many requests
// need it, and drops it on a 401.
package tokens

import (
	"context"
	"time"
)

// A Func is what the Token of transport.Options takes: it returns a bearer token and
// when that expires, the zero time where it does not.
type Func func(ctx context.Context) (value string, expires time.Time, err error)
