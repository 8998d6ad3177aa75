package tokens_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/tokens"
	"github.com/lro-go/lro/fakes"
)

const ibmToken = `{"access_token": "token-%d", "refresh_token": "not_supported", "token_type": "Bearer", "expires_in": 3600, "expiration": 1, "scope": "ibm openid"}`

func TestIBM(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		iam := &issuer{answer: json(http.StatusOK, ibmToken)}
		value, left, err := ask(t.Context(), tokens.IBM("key/+", &tokens.IBMOptions{Client: fakes.Client(iam)}))
		require.NoError(t, err)
		require.Equal(t, "token-1", value)
		require.Equal(t, time.Hour, left, "the lifetime counts from the local time, not from IAM's")
		require.Equal(t, "POST iam.cloud.ibm.com/identity/token", iam.requests[0].target)
		require.Equal(t, "apikey=key%2F%2B&grant_type=urn%3Aibm%3Aparams%3Aoauth%3Agrant-type%3Aapikey", iam.requests[0].form)
		require.Equal(t, "application/json", iam.requests[0].header.Get("Accept"))
	})
}

func TestIBMRenewal(t *testing.T) {
	iam := &issuer{answer: json(http.StatusOK, ibmToken)}
	requireRenewed(t, tokens.IBM("key", &tokens.IBMOptions{Endpoint: "https://iam.test/", Client: fakes.Client(iam)}),
		func() int { return len(iam.requests) })
	require.Equal(t, "POST iam.test/identity/token", iam.requests[0].target)
}

func TestIBMWithoutExpiry(t *testing.T) {
	iam := &issuer{answer: json(http.StatusOK, `{"access_token": "token-%d"}`)}
	_, left, err := ask(t.Context(), tokens.IBM("key", &tokens.IBMOptions{Client: fakes.Client(iam)}))
	require.NoError(t, err)
	require.Zero(t, left)
}

func TestIBMError(t *testing.T) {
	const unknownKey = `{"context": {"requestId": "r-%d"}, "errorCode": "BXNIM0415E", "errorMessage": "Provided API key could not be found."}`
	for _, tt := range []struct {
		name, want string
		answer     func(http.ResponseWriter, int)
	}{
		{"an error of IAM", "lro: POST https://iam.cloud.ibm.com/identity/token: 400 Bad Request: BXNIM0415E: Provided API key could not be found. (request id r-1)", json(400, unknownKey)},
		{"an HTML page", "lro: POST https://iam.cloud.ibm.com/identity/token: 502 Bad Gateway: no error body", json(502, "<html>%d")},
		{"no token", "lro: POST https://iam.cloud.ibm.com/identity/token: 200 OK: the response has no access_token", json(200, `{"expires_in": %d}`)},
		{"no JSON", "lro: POST https://iam.cloud.ibm.com/identity/token: 200 OK: invalid character '<' looking for beginning of value", json(200, "<%d>")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := ask(t.Context(), tokens.IBM("secret", &tokens.IBMOptions{Client: fakes.Client(&issuer{answer: tt.answer})}))
			var status *lroerrors.StatusError
			require.ErrorAs(t, err, &status)
			require.Equal(t, tt.want, err.Error())
		})
	}
}
