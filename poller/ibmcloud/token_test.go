package ibmcloud_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
)

// If a token is resumed with the wrong strategy, the wait ends with the reason Unfollowable. The
// WaitError's token can then be resumed with the right strategy.
func TestTokenOfAnotherStrategy(t *testing.T) {
	const put, get = "PUT /v2/widgets/w-1", "GET /v2/widgets/w-1"
	operation := `202 {"href":"/v2/operations/op-1","status":"not_started"}`
	strategies := map[string]poller.Strategy{
		"arm":       nil,
		"operation": ibmcloud.Operation{},
		"resource":  resource.Strategy{},
		"elsewhere": resource.Strategy{Status: "/properties/provisioningState"},
	}
	for name, made := range strategies {
		for other, resumed := range strategies {
			if name == other {
				continue
			}
			t.Run(name+" resumed as "+other, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &service{answers: map[string][]string{
						put: {operation}, ask: {`200 {"status":"succeeded"}`},
						get: {`200 {"status":"succeeded","properties":{"provisioningState":"Succeeded"}}`},
					}}
					opts := &poller.Options{Strategy: made, Origins: []string{origin}}
					token, err := begin[raw](t, s, put, opts).ResumeToken()
					require.NoError(t, err)

					wrong := &poller.Options{Strategy: resumed, Origins: opts.Origins}
					p, err := poller.Resume[raw](token, s.client(), wrong)
					require.NoError(t, err)
					ctx, stop := context.WithTimeout(t.Context(), time.Hour)
					defer stop()
					_, err = p.PollUntilDone(ctx)
					wait, ok := errors.AsType[*lroerrors.WaitError](err)
					require.True(t, ok)
					require.Equal(t, lroerrors.ReasonUnfollowable, wait.Reason)
					require.ErrorIs(t, err, strategy.ErrNotApplicable)

					token, err = wait.ResumeToken()
					require.NoError(t, err)
					p, err = poller.Resume[raw](token, s.client(), opts)
					require.NoError(t, err)
					_, err = p.PollUntilDone(t.Context())
					require.NoError(t, err)
				})
			})
		}
	}
}

// A token keeps the words that mean success. They take precedence over the words of the strategy
// passed to Resume.
func TestTokenKeepsSuccessWords(t *testing.T) {
	const patch, get = "PATCH /v1/instances/i1", "GET /v1/instances/i1"
	synctest.Test(t, func(t *testing.T) {
		s := &service{answers: map[string][]string{
			patch: {`200 {"status":"running"}`},
			get:   {`200 {"status":"running"}`, `200 {"status":"stopping"}`, `200 {"status":"stopped"}`},
		}}
		p := begin[raw](t, s, patch, &poller.Options{Strategy: ibmcloud.VPC("stopped")})
		token, err := p.ResumeToken()
		require.NoError(t, err)
		p, err = poller.Resume[raw](token, s.client(), &poller.Options{Strategy: ibmcloud.VPC(), Origins: []string{origin}})
		require.NoError(t, err)
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, `{"status":"stopped"}`, string(v))
	})
}
