package poller_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// A read fails if the Doer returns a redirect instead of following it. A redirect to a foreign
// origin ends the wait at once.
func TestDoerReturnsRedirect(t *testing.T) {
	const away, here = "307\nLocation: https://other.example.test/op", "307\nLocation: /elsewhere"
	follow := func(t *testing.T, script map[string][]reply) (time.Duration, error) {
		s := serve(script)
		client := doer(func(req *http.Request) (*http.Response, error) { return (&fakes.Transport{Handler: s}).RoundTrip(req) })
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		return time.Since(s.began), err
	}
	bubble(t, func(t *testing.T) {
		elapsed, err := follow(t, map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {away}})
		requireWait(t, err, lroerrors.ReasonRefused)
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
		require.Equal(t, time.Minute, elapsed)
	})
	bubble(t, func(t *testing.T) {
		elapsed, err := follow(t, asyncPut(away))
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
		_, isResult := err.(*lroerrors.ResultError) //nolint:errorlint // the outermost error
		require.True(t, isResult, "%v", err)
		require.Equal(t, time.Minute, elapsed)
	})
	bubble(t, func(t *testing.T) {
		elapsed, err := follow(t, map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {here}})
		requireWait(t, err, lroerrors.ReasonPatience)
		require.Equal(t, 31*time.Minute+30*time.Second, elapsed)
	})
}
