package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/redact"
)

// notations contains examples of how services write secrets. Each secret contains S3CRET, in plain
// text or base64.
var notations = []string{
	// Queries, with or without a URL, in several encodings.
	"GET https://a.test/x?sig=S3CRET&se=2026 failed",
	"GET /x?code=S3CRET failed",
	"sv=2025-01-05&sig=S3CRET&se=2026",
	"sig=S3CRET%3D&sr=b",
	"sig%3DS3CRET",
	"x%26sig%3DS3CRET%26se%3D2026",
	"https%3A%2F%2Fa.test%2Fx%3Fsv%3D1%26sig%3DS3CRET",
	"x%2526sig%253DS3CRET%2526se%253D1",
	`x\u0026sig=S3CRET\u0026se=1`,
	`x\u0026sig\u003dS3CRET`,
	"x&amp;sig=S3CRET&amp;se=1",
	"SIG=S3CRET",
	"sig = S3CRET",
	"code=1&access_token=S3CRET&token_type=bearer",
	"client_id=a&client_secret=S3CRET&grant_type=b",
	"client_assertion=S3CRET",
	"apikey=S3CRET",
	"subscription-key=S3CRET",
	"X-Amz-Signature=S3CRET",
	"X-Amz-Credential=S3CRET/20260203/us-east-1",
	"X-Amz-Security-Token=S3CRET",
	"X-Goog-Signature=S3CRET",
	// Connection strings.
	"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=S3CRET==;EndpointSuffix=core.test",
	"Endpoint=sb://a.test/;SharedAccessKeyName=Root;SharedAccessKey=S3CRET=",
	"BlobEndpoint=https://a.test/;SharedAccessSignature=sv=2025-01-05&ss=b&sig=S3CRET",
	"HostName=a.test;DeviceId=d;SharedAccessKey=S3CRET",
	"Server=a.test;User ID=u;Password=S3CRET;Encrypt=true",
	"Server=a.test;Uid=u;Pwd=S3CRET;",
	"Server=a.test;password='S3CRET;S3CRET'",
	"Server=a.test;Password=a&S3CRET;",
	"Provider=p;Jet OLEDB:Database Password=S3CRET",
	// JSON, plain and encoded.
	`{"access_token":"S3CRET"}`,
	`{"refresh_token": "S3CRET", "expires_in": 1}`,
	`{"id_token" : "S3CRET"}`,
	`{"client_secret":"a S3CRET"}`,
	`{"password":"a\"S3CRET"}`,
	`{"adminPassword":"S3CRET"}`,
	`{"apiKey":"S3CRET"}`,
	`{"apikey":"S3CRET"}`,
	`{"primaryKey":"S3CRET"}`,
	`{"accessToken":["S3CRET"]}`,
	`{"sasToken":"sv=1&S3CRET"}`,
	`{"secret":"S3CRET`,
	`token:"access_token":"S3CRET"`,
	`{\"access_token\":\"S3CRET\"}`,
	`{\\\"password\\\":\\\"S3CRET\\\"}`,
	`{\u0022password\u0022:\u0022S3CRET\u0022}`,
	"{'password': 'S3CRET'}",
	"%7B%22access_token%22%3A%22S3CRET%22%7D",
	"{&quot;password&quot;:&quot;S3CRET&quot;}",
	`{"Authorization":["Bearer S3CRET"]}`,
	`{"connectionString":"Server=a;Password=S3CRET"}`,
	// Headers.
	"Authorization: Bearer S3CRET",
	"authorization:bearer   S3CRET",
	"Authorization=Bearer%20S3CRET",
	"Authorization: Basic dTpTM0NSRVQ=", // Base64 of u:S3CRET
	"Authorization: S3CRET",
	"Authorization: Token S3CRET",
	"Authorization: Negotiate S3CRET==",
	"Authorization: SharedKey account:S3CRET=",
	"Authorization: SharedAccessSignature sr=a&sig=S3CRET&se=1",
	"Authorization: AWS4-HMAC-SHA256 Credential=S3CRET/20260203/a, SignedHeaders=host, Signature=S3CRET",
	`Authorization: Digest username="u", nonce="n", response="S3CRET"`,
	"Authorization: HMAC-SHA256 Credential=a&SignedHeaders=host&Signature=S3CRET",
	"Proxy-Authorization: Basic dTpTM0NSRVQ=",
	"x-ms-authorization-auxiliary: Bearer S3CRET, Bearer S3CRET",
	"Cookie: a=S3CRET; b=S3CRET",
	"Set-Cookie: sid=S3CRET; Path=/; HttpOnly",
	"x-api-key: S3CRET",
	"api-key: S3CRET",
	"Ocp-Apim-Subscription-Key: S3CRET",
	"x-functions-key: S3CRET",
	"X-Auth-Token: S3CRET",
	"X-Vault-Token:S3CRET",
	"IAM-Token: S3CRET",
	"map[X-Api-Key:[S3CRET] X-Auth-Token:[S3CRET]]",
	// YAML, XML and prose.
	"password: S3CRET",
	"client-secret : 'S3CRET'",
	`apikey: "S3CRET"`,
	"<AccessKey>S3CRET</AccessKey>",
	"the access key: S3CRET",
	"used token 'x' (token=S3CRET)",
	// URLs with user-info.
	"https://u:S3CRET@a.test/x",
	"amqps://S3CRET@a.test",
	`https:\/\/u:S3CRET@a.test\/x`,
	"https://u:S3C/RET-S3CRET@a.test/",
	"https%3A%2F%2Fu%3AS3CRET%40a.test%2Fx",
	// JSON web tokens and private keys, which Masked recognizes by their form.
	"eyJhbGciOiJub25lIn0.eyJTM0NSRVQiOjF9.S3CRET",
	"got (eyJhbGciOiJkaXIifQ..S3CRET.S3CRET.S3CRET)",
	"-----BEGIN RSA PRIVATE KEY-----\nS3CRET\n-----END RSA PRIVATE KEY-----",
	"-----BEGIN PRIVATE KEY----- S3CRET",
}

func TestSecretNotations(t *testing.T) {
	for _, s := range notations {
		for _, text := range []string{s, "before " + s + " after", `"` + s + `"`, "(" + s + ").", strings.ReplaceAll(s, ": ", ":")} {
			masked := redact.Masked(text)
			require.NotContains(t, masked, "S3CRET", text)
			require.NotContains(t, masked, "dTpTM0", text)
			require.Equal(t, masked, redact.Masked(masked), "masking again must change nothing: %s", text)
		}
		for n := range len(s) { // a message may be truncated anywhere
			require.NotContains(t, redact.Masked(s[:n]+"…"), "S3CRET", s[:n])
		}
	}
}

// Masked leaves the text next to a secret readable.
func TestTextNextToSecret(t *testing.T) {
	for in, want := range map[string]string{
		"sv=1&sig=S3CRET&se=2026":                       "sv=1&sig=REDACTED&se=2026",
		"x%26sig%3DS3CRET%26se%3D2026":                  "x%26sig%3DREDACTED%26se%3D2026",
		"AccountName=a;AccountKey=S3CRET==;Endpoint=b":  "AccountName=a;AccountKey=REDACTED;Endpoint=b",
		`{"access_token":"S3CRET","expires_in":3600}`:   `{"access_token":"REDACTED","expires_in":3600}`,
		`{"password":12345,"a":1}`:                      `{"password":"REDACTED","a":1}`,
		`{\"password\":\"S3CRET\",\"a\":\"b\"}`:         `{\"password\":\"REDACTED\",\"a\":\"b\"}`,
		"Authorization: Bearer S3CRET, sorry":           "Authorization: Bearer REDACTED, sorry",
		"x-api-key: S3CRET was refused":                 "x-api-key: REDACTED was refused",
		"Set-Cookie: sid=S3CRET; Path=/; HttpOnly":      "Set-Cookie: REDACTED; HttpOnly",
		"token=S3CRET is expired, access_token=S3CRET.": "token=REDACTED is expired, access_token=REDACTED.",
		"<Password>S3CRET</Password><Code>Busy</Code>":  "<Password>REDACTED</Password><Code>Busy</Code>",
		"map[X-Api-Key:[S3CRET] Accept:[text/html]]":    "map[X-Api-Key:[REDACTED] Accept:[text/html]]",
	} {
		require.Equal(t, want, redact.Masked(in), in)
	}
}

func TestOrdinaryWordsUnchanged(t *testing.T) {
	for _, s := range []string{
		"the key is invalid", "The key: nothing", "key=value", "Key 'a' was not found",
		"Password must have 12 characters", "Password: must have 12 characters", "The password is too short.", "password too short, token expired",
		"sig: none", "token: expired", "The token has expired at 2026-02-03T04:05:06Z", "Secret: not found", "Invalid credentials: denied",
		"unexpected token '}' at 7", "unexpected token: }", "token != null", "max_tokens=4096",
		"The Basic tier", "Basic authentication is disabled", "the bearer token has expired", "Bearer authentication failed",
		"Authorization: required", "authorization failed for the client", "Cookie: none", "The signature did not match.",
		`{"code":"InvalidAuthenticationToken","message":"The access token is invalid."}`,
		`{"code":"AuthorizationFailed","target":"password"}`, `{"password":null,"token":true,"secret":{"a":1}}`,
		"config=a;design=b", "Endpoint=sb://a.test/;SharedAccessKeyName=Root", "keyName: key1", "secretName=mine", "se=2026-02-03&sp=r",
		"/subscriptions/s1/providers/Microsoft.KeyVault/vaults/v/secrets/x", "2026-02-03T04:05:06Z: done", "password > 12 characters",
		"https://a.test:8443/users/ops@b.test", "mail ops@a.test", "see https://docs.test/errors#conflict, please", "a: b = c", "eyJ is how it begins",
		"-----BEGIN CERTIFICATE-----", "",
	} {
		require.Equal(t, s, redact.Masked(s))
	}
}

// Masked takes linear time for any input. If it took quadratic time, this test would exceed go
// test's time limit.
func TestMaskedIsLinear(t *testing.T) {
	for _, s := range []string{"a", "=", ":", "token=", `"password":"`, "token: ", "//", "//a:", "//@", "?a=", "eyJ.", "%3D", "Cookie: a=b; ", "sig=a&", `\`, `\"`, "-----BEGIN PRIVATE KEY-----", "bearer ", "key ", "digest username="} {
		text := strings.Repeat(s, 1<<20/len(s))
		redact.Masked(text)
	}
}
