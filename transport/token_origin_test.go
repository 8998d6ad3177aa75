package transport_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

// An issuer provides a Token function whose tokens contain their origin and a sequence number. It
// counts the calls per origin.
type issuer struct {
	calls map[string]int
	life  time.Duration // if 0, the tokens do not expire
}

func (i *issuer) token(_ context.Context, r transport.TokenRequest) (transport.Token, error) {
	if i.calls == nil {
		i.calls = map[string]int{}
	}
	i.calls[r.Origin]++
	tok := transport.Token{Value: fmt.Sprintf("%s#%d", r.Origin, i.calls[r.Origin])}
	if i.life > 0 {
		tok.Expires = time.Now().Add(i.life)
	}
	return tok, nil
}

// The Transport fetches a token for each origin in a chain of redirects. Each token is sent only to
// its own origin, and renewed independently of the others.
func TestTokensAreCachedByOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const a, b = "https://arm.test/ops/1", "https://B.test:443/x"
		w := &redirector{redirects: map[string]string{a: "307 " + b, b: "307 https://c.test:8443/y"}}
		var sent []string
		base := trip(func(r *http.Request) (*http.Response, error) {
			sent = append(sent, r.URL.Host+" "+r.Header.Get("Authorization"))
			return w.RoundTrip(r)
		})
		tokens := &issuer{life: time.Hour}
		client := transport.NewClient(&transport.Options{
			Base: base, Token: tokens.token, Origins: []string{"https://b.test", "https://c.test:8443"},
		})
		for range 2 {
			resp, err := client.Do(request(t, t.Context(), "GET", a, nil))
			require.NoError(t, err)
			resp.Body.Close()
		}
		once := []string{
			"arm.test Bearer https://arm.test#1", "B.test:443 Bearer https://b.test#1", "c.test:8443 Bearer https://c.test:8443#1",
		}
		require.Equal(t, append(once, once...), sent)
		require.Equal(t, map[string]int{"https://arm.test": 1, "https://b.test": 1, "https://c.test:8443": 1}, tokens.calls)

		time.Sleep(30 * time.Minute)
		_, err := get(t, t.Context(), client.Transport, "https://d.test/") // the token for this origin is issued later, so it expires later
		require.NoError(t, err)
		time.Sleep(25 * time.Minute)
		for _, url := range []string{"https://b.test/", "https://d.test/"} {
			_, err = get(t, t.Context(), client.Transport, url)
			require.NoError(t, err)
		}
		require.Equal(t, []string{"b.test Bearer https://b.test#2", "d.test Bearer https://d.test#1"}, sent[len(sent)-2:])
		require.Equal(t, 1, tokens.calls["https://arm.test"], "the other tokens are renewed only on demand")
	})
}

// After a 401, the Transport discards only the token for the origin that sent the 401.
func TestRejectedTokenOfOneOrigin(t *testing.T) {
	tokens, rejects := &issuer{}, true
	var sent []string
	tr := transport.New(&transport.Options{Token: tokens.token, Base: trip(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Header.Get("Authorization"))
		if rejects && r.URL.Host == "b.test" {
			rejects = false
			return response(answer{status: 401}), nil
		}
		return response(answer{status: 200}), nil
	})})
	for _, host := range []string{"a", "b", "a"} {
		_, err := get(t, t.Context(), tr, "https://"+host+".test/")
		require.NoError(t, err)
	}
	require.Equal(t, []string{
		"Bearer https://a.test#1", "Bearer https://b.test#1", "Bearer https://b.test#2", "Bearer https://a.test#1",
	}, sent)
}

func TestEmptyToken(t *testing.T) {
	for _, u := range []string{"https://arm.test/", "http://arm.test/"} {
		calls := 0
		base := trip(func(r *http.Request) (*http.Response, error) {
			require.NotContains(t, r.Header, "Authorization")
			return response(answer{status: 401}), nil
		})
		tr := transport.New(&transport.Options{Base: base, Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
			calls++
			return transport.Token{}, nil
		}})
		for range 2 {
			code, err := get(t, t.Context(), tr, u)
			require.NoError(t, err)
			require.Equal(t, 401, code)
		}
		require.Equal(t, 1, calls, "there is no token that a 401 could reject")
	}
	base := play(answer{status: 200})
	req := request(t, t.Context(), "GET", statuses, nil)
	req.Header.Set("Authorization", "Basic theirs")
	_, err := do(transport.New(&transport.Options{Base: base, Token: static("")}), req)
	require.NoError(t, err)
	require.Equal(t, []string{"Basic theirs"}, base.auth)
}

func TestTokenOverPlainHTTP(t *testing.T) {
	for _, u := range []string{"http://arm.test/", "HTTP://10.0.0.1:8080/", "http://localhost.arm.test/", "http://[fe80::1]/", "http://0.0.0.0/"} {
		base := play(answer{status: 200})
		_, err := get(t, t.Context(), transport.New(&transport.Options{Base: base, Token: static("S3CRET")}), u)
		require.ErrorContains(t, statusError(t, err), "a bearer token is not sent over plain http: use https, or return an empty Token for this origin", u)
		require.NotContains(t, err.Error(), "S3CRET")
		require.Zero(t, base.sent(), u)
	}
	for _, u := range []string{"http://localhost:8080/", "http://LOCALHOST/", "http://127.0.0.1/", "http://127.8.9.1:80/", "http://[::1]:8080/", "https://arm.test/"} {
		base := play(answer{status: 200})
		_, err := get(t, t.Context(), transport.New(&transport.Options{Base: base, Token: static("t0")}), u)
		require.NoError(t, err, u)
		require.Equal(t, []string{"Bearer t0"}, base.auth, u)
	}
}

// The context of a call to Token has the values of the request's context, but not lro's own
// settings, which are not meant for token requests.
func TestTokenContextHasNoSettings(t *testing.T) {
	type key struct{}
	ctx := exchange.WithSettings(context.WithValue(t.Context(), key{}, "trace"), exchange.Settings{Origins: []string{"https://b.test"}, Timeout: time.Second})
	tr := transport.New(&transport.Options{Base: play(answer{status: 200}), Token: func(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
		require.Equal(t, "trace", ctx.Value(key{}))
		require.Equal(t, exchange.SettingsOf(context.Background()), exchange.SettingsOf(ctx))
		return transport.Token{Value: "t0"}, nil
	}})
	_, err := get(t, ctx, tr, statuses)
	require.NoError(t, err)
}

// After the first 401, a Transport with a Token function retries right away with a new token.
// Before a retry that the Policy decides on, it pauses.
func TestPolicyRetries401(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 401, header: "Retry-After: 7"}, answer{status: 401, header: "Retry-After: 9"}, answer{status: 200})
		policy := func(_ *http.Request, resp *http.Response, _ error) bool { return resp.StatusCode == 401 }
		for _, token := range []func(context.Context, transport.TokenRequest) (transport.Token, error){nil, static("t0")} {
			base.start, base.at = time.Now(), nil
			code, err := do(transport.New(&transport.Options{Base: base, Policy: policy, Token: token}), request(t, t.Context(), "PUT", statuses, strings.NewReader("x")))
			require.NoError(t, err)
			require.Equal(t, 200, code)
			if token == nil {
				require.Equal(t, []time.Duration{0, 7 * time.Second, 16 * time.Second}, base.at)
			} else {
				require.Equal(t, []time.Duration{0, 0, 9 * time.Second}, base.at)
			}
		}
	})
}
