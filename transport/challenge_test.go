package transport_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

const claims1, claims2 = `{"access_token":{"nbf":{"essential":true,"value":"1"}}}`, `{"access_token":{"xms_cc":{"value":"?>~"}}}`

func insufficient(claims string) string {
	return fmt.Sprintf(`Bearer realm="", error="insufficient_claims", claims="%s"`, base64.StdEncoding.EncodeToString([]byte(claims)))
}

// A claimsService may demand claims. It then returns 401 if the token was not issued for these
// claims. Every other response is slow, so that another request may fetch a new token in the
// meantime.
type claimsService struct {
	mu       sync.Mutex
	demands  string
	requests []transport.TokenRequest // the arguments of each call to the token method
	sent     int
	life     time.Duration
}

func (g *claimsService) token(_ context.Context, r transport.TokenRequest) (transport.Token, error) {
	time.Sleep(time.Second)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.requests = append(g.requests, r)
	tok := transport.Token{Value: fmt.Sprintf("%d.%s", len(g.requests), base64.RawURLEncoding.EncodeToString([]byte(r.Claims)))}
	if g.life > 0 {
		tok.Expires = time.Now().Add(g.life)
	}
	return tok, nil
}

func (g *claimsService) RoundTrip(r *http.Request) (*http.Response, error) {
	g.mu.Lock()
	g.sent++
	late := g.sent%2 == 0
	g.mu.Unlock()
	time.Sleep(time.Second)
	if late {
		time.Sleep(5 * time.Second)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var n int
	var claims string
	_, _ = fmt.Sscanf(r.Header.Get("Authorization"), "Bearer %d.%s", &n, &claims)
	if text, _ := base64.RawURLEncoding.DecodeString(claims); g.demands != "" && string(text) != g.demands {
		return response(answer{status: 401, header: "WWW-Authenticate: " + insufficient(g.demands)}), nil
	}
	return response(answer{status: 200}), nil
}

func TestClaimsChallenge(t *testing.T) {
	oneCPU(t)
	synctest.Test(t, func(t *testing.T) {
		const requests = 1000
		g := &claimsService{demands: claims1, life: time.Hour}
		tr := transport.New(&transport.Options{Base: g, Token: g.token})
		var wg sync.WaitGroup
		for range requests {
			wg.Go(func() {
				code, err := get(t, t.Context(), tr, statuses)
				assert.NoError(t, err)
				assert.Equal(t, 200, code)
			})
		}
		wg.Wait()
		home := transport.TokenRequest{Origin: "https://arm.test"}
		withClaims := func(c string) transport.TokenRequest { return transport.TokenRequest{Origin: home.Origin, Claims: c} }
		require.Equal(t, []transport.TokenRequest{home, withClaims(claims1)}, g.requests)
		require.Equal(t, 2*requests, g.sent)

		g.demands = ""
		time.Sleep(time.Hour)
		_, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, []transport.TokenRequest{home, withClaims(claims1), home}, g.requests, "a renewal carries no claims")

		g.demands = claims2
		code, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, 200, code)
		require.Equal(t, []transport.TokenRequest{home, withClaims(claims1), home, withClaims(claims2)}, g.requests)
	})
}

// If a call to Token with claims fails, the next call is made without them. A service that still
// needs the claims will demand them again.
func TestUnsatisfiableClaims(t *testing.T) {
	base := play(answer{status: 401, header: "WWW-Authenticate: " + insufficient(claims1)}, answer{status: 200})
	var asked []string
	tr := transport.New(&transport.Options{Base: base, Token: func(_ context.Context, r transport.TokenRequest) (transport.Token, error) {
		if asked = append(asked, r.Claims); len(asked) == 2 {
			return transport.Token{}, errSocket
		}
		return transport.Token{Value: fmt.Sprintf("t%d", len(asked))}, nil
	}})
	_, err := get(t, t.Context(), tr, statuses)
	require.ErrorIs(t, statusError(t, err), errSocket)
	_, err = get(t, t.Context(), tr, statuses)
	require.NoError(t, err)
	require.Equal(t, []string{"", claims1, ""}, asked)
	require.Equal(t, []string{"Bearer t1", "Bearer t3"}, base.auth)
}

func TestChallengeForms(t *testing.T) {
	padded, unpadded := base64.StdEncoding.EncodeToString([]byte(`{"a":"???~~~"}`)), base64.RawURLEncoding.EncodeToString([]byte(`{"a":"???~~~"}`))
	require.NotEqual(t, padded, unpadded)
	const found = `{"a":"???~~~"}`
	notJSON := base64.StdEncoding.EncodeToString([]byte("no JSON"))
	tests := []struct {
		headers []string
		want    string
	}{
		{nil, ""},
		{[]string{"Bearer"}, ""},
		{[]string{`Bearer realm="x", error="invalid_token"`}, ""},
		{[]string{`Bearer realm="", error="insufficient_claims", claims="` + padded + `"`}, found},
		{[]string{`bearer CLAIMS = "` + unpadded + `"`}, found},
		{[]string{`Bearer claims="` + padded + `",realm="a, b=c"`}, found},
		{[]string{`Bearer realm="a \"quoted\", text", claims="` + padded + `"`}, found},
		{[]string{`Bearer authorization_uri=https://login.test/, claims="` + padded + `"`}, found},
		{[]string{`Basic realm="x", Bearer realm="y", claims="` + padded + `"`}, found},
		{[]string{`Bearer realm="y", claims="` + padded + `", Digest realm="z", nonce="n"`}, found},
		{[]string{`PoP realm="x"`, `Bearer claims="` + padded + `"`}, found},
		{[]string{`Bearer claims="` + notJSON + `"`, `Bearer claims="` + padded + `"`}, found},
		{[]string{`Bearer claims="` + notJSON + `", Bearer claims="` + padded + `"`}, found},
		{[]string{`Bearer claims="` + notJSON + `"`}, ""},
		{[]string{`Bearer claims="%%%"`}, ""},
		{[]string{`Bearer claims="a"`}, ""}, // a single character is not valid base64
		{[]string{`Bearer claims=""`}, ""},
		{[]string{`Bearer xclaims="` + padded + `"`}, ""},
		{[]string{`Digest realm="x", claims="` + padded + `"`}, ""},
		{[]string{`NotBearer claims="` + padded + `"`}, ""},
		{[]string{`Bearer realm="x", Digest claims="` + padded + `"`}, ""},
		{[]string{`Digest realm=", Bearer claims=\"` + padded + `\""`}, ""},
	}
	for _, tt := range tests {
		var asked, sent []string
		tr := transport.New(&transport.Options{
			Token: func(_ context.Context, r transport.TokenRequest) (transport.Token, error) {
				asked = append(asked, r.Claims)
				return transport.Token{Value: fmt.Sprintf("t%d", len(asked))}, nil
			},
			Base: trip(func(r *http.Request) (*http.Response, error) {
				sent = append(sent, r.Header.Get("Authorization"))
				resp := response(answer{status: 401})
				if resp.Header["Www-Authenticate"] = tt.headers; len(sent) > 1 {
					resp.StatusCode = 200
				}
				return resp, nil
			}),
		})
		code, err := get(t, t.Context(), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, 200, code)
		require.Equal(t, []string{"", tt.want}, asked, "%q", tt.headers)
		require.Equal(t, []string{"Bearer t1", "Bearer t2"}, sent)
	}
}
