package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

// recorder returns a Logger and a function that returns its records as lines, without the time.
func recorder(level slog.Level) (*slog.Logger, func() []string) {
	var buf bytes.Buffer
	h := slog.NewTextHandler(&buf, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	return slog.New(h), func() []string { return strings.Split(strings.TrimSpace(buf.String()), "\n") }
}

func TestEachAttemptIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, lines := recorder(slog.LevelDebug)
		base := play(answer{status: 429, header: "Retry-After: 7"}, answer{err: errSocket}, answer{status: 401}, answer{status: 200}, throttled("30"))
		tr := transport.New(&transport.Options{
			Base: base, Logger: logger, Token: static("T0KEN"), MinDelay: 2 * time.Second, MaxDelay: 2 * time.Second,
		})
		ctx := transport.WithLongestPause(t.Context(), 5*time.Second)
		for _, req := range []*http.Request{
			request(t, t.Context(), "PUT", "https://user:SECRET@arm.test/a%2Fb"+query+"#SECRET", nil),
			request(t, ctx, "GET", readURL, nil),
			request(t, ctx, "GET", readURL, nil),
		} {
			_, err := do(tr, req)
			require.NoError(t, err)
		}
		const put, read = "method=PUT url=https://arm.test/a%2Fb", "method=GET url=" + readURL
		require.Equal(t, []string{
			`level=DEBUG msg="lro: attempt" ` + put + ` attempt=1 status=429 delay=7s`,
			`level=DEBUG msg="lro: attempt" ` + put + ` attempt=2 error="connection reset by peer" delay=2s`,
			`level=DEBUG msg="lro: attempt" ` + put + ` attempt=3 status=401 delay=0s`,
			`level=DEBUG msg="lro: attempt" ` + put + ` attempt=4 status=200`,
			`level=DEBUG msg="lro: attempt" ` + read + ` attempt=1 status=429`,
			`level=DEBUG msg="lro: held by the throttle gate" ` + read + ` attempt=0 status=429`,
		}, lines())
	})
}

func TestNothingIsLoggedAboveDebug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, lines := recorder(slog.LevelInfo)
		_, err := get(t, t.Context(), transport.New(&transport.Options{Base: play(answer{err: errSocket}), Logger: logger}), statuses)
		_ = statusError(t, err)
		require.Equal(t, []string{""}, lines())
	})
}

// Errors and log records never contain a secret, even if an error from the base, Token or Authorize
// does.
func TestSecretsAreHidden(t *testing.T) {
	const target = "https://user:SECRET@arm.test/ops/1?sig=SECRET#SECRET"
	inner := &url.Error{Op: "Get", URL: target, Err: errSocket}
	leaky := map[string]error{
		"a client's error":    inner,
		"and another's":       &url.Error{Op: "Get", URL: target, Err: inner},
		"a text with a URL":   fmt.Errorf("proxy: cannot reach %s", target[:len(target)-len("#SECRET")]),
		"a text with a token": fmt.Errorf("refused: Authorization: Bearer SECRET"),
	}
	for name, cause := range leaky {
		ways := map[string]transport.Options{
			"base":      {Base: play(answer{err: cause})},
			"authorize": {Base: play(answer{status: 200}), Authorize: func(*http.Request) error { return cause }},
			"token": {Base: play(answer{status: 200}), Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
				return transport.Token{Value: "SECRET"}, cause
			}},
		}
		for way, opts := range ways {
			logger, lines := recorder(slog.LevelDebug)
			opts.Logger, opts.Retries = logger, -1
			_, err := get(t, t.Context(), transport.New(&opts), target)
			se := statusError(t, err)
			var ue *url.Error
			require.False(t, errors.As(se, &ue), "%s from %s", name, way)
			for _, s := range append(lines(), se.Error(), se.URL, fmt.Sprintf("%v %+v", err, err)) {
				require.NotContains(t, s, "SECRET", "%s from %s", name, way)
			}
		}
	}
}
