package lroazcore_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
)

// starters maps each kind of poller to a function that starts an operation, polls it once and
// returns its resume token.
var starters = map[string]func(*testing.T, runtime.Pipeline) string{
	"azcore": func(t *testing.T, pl runtime.Pipeline) string {
		p, err := runtime.NewPoller[Account](put(t, pl), pl, nil)
		require.NoError(t, err)
		return polled(t, p)
	},
	"azcore with our handler": func(t *testing.T, pl runtime.Pipeline) string {
		p, err := lroazcore.NewPoller[Account](put(t, pl), pl, nil)
		require.NoError(t, err)
		return polled(t, p)
	},
	"ours": func(t *testing.T, pl runtime.Pipeline) string {
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(pl), nil)
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		token, err := p.ResumeToken()
		require.NoError(t, err)
		return token
	},
}

func polled(t *testing.T, p *runtime.Poller[Account]) string {
	t.Helper()
	resp, err := p.Poll(t.Context())
	require.NoError(t, err)
	resp.Body.Close()
	token, err := p.ResumeToken()
	require.NoError(t, err)
	return token
}

// resumers maps two kinds of poller to functions that resume an operation from a token and wait for
// its result.
var resumers = map[string]func(*testing.T, string, runtime.Pipeline) (Account, error){
	"ours": func(t *testing.T, token string, pl runtime.Pipeline) (Account, error) {
		p, err := lroazcore.Resume[Account](token, lroazcore.Doer(pl), allowOrigin())
		require.NoError(t, err)
		return p.PollUntilDone(t.Context())
	},
	"azcore with our handler": func(t *testing.T, token string, pl runtime.Pipeline) (Account, error) {
		p, err := lroazcore.NewPollerFromResumeToken[Account](token, pl, allowOrigin())
		require.NoError(t, err)
		return p.PollUntilDone(t.Context(), nil)
	},
}

// TestTokens checks that Resume accepts the tokens of every kind of poller, for every style of
// operation. NewPollerFromResumeToken accepts all but the tokens of package poller.
func TestTokens(t *testing.T) {
	styles := map[string]fakes.Style{
		"Azure-AsyncOperation": fakes.AzureAsyncOperation, "Operation-Location": fakes.OperationLocation,
		"Location": fakes.Location, "provisioningState": fakes.ProvisioningState,
	}
	for from, begin := range starters {
		for to, resume := range resumers {
			for name, style := range styles {
				if from == "ours" && to == "azcore with our handler" {
					continue // azcore requires a type name, and tokens from package poller contain none
				}
				t.Run(from+" to "+to+" by "+name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						svc := &fakes.Service{Default: fakes.Plan{Style: style, Duration: 10 * time.Minute}}
						start := time.Now()
						token := begin(t, newPipeline(t, svc))
						got, err := resume(t, token, newPipeline(t, svc))
						require.NoError(t, err)
						require.Equal(t, "a", got.Name)
						require.Equal(t, "Succeeded", got.Properties.ProvisioningState)
						require.Equal(t, 10*time.Minute, time.Since(start))
						require.Equal(t, 1, started(svc))
					})
				})
			}
		}
	}
}

// TestForgedToken checks that this package rejects a token with no URL, or with a URL at another
// origin, which must not get the credential.
func TestForgedToken(t *testing.T) {
	const forged = `{"type":"Account","token":{"type":"loc","pollURL":"https://evil.test/op"}}`
	svc := &fakes.Service{}
	pl := newPipeline(t, svc)
	_, err := lroazcore.NewPollerFromResumeToken[Account](forged, pl, allowOrigin())
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
	_, err = lroazcore.Resume[Account](forged, lroazcore.Doer(pl), allowOrigin())
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
	_, err = lroazcore.NewPollerFromResumeToken[Account](`{"type":"Account","token":{}}`, pl, allowOrigin())
	require.ErrorIs(t, err, lroerrors.ErrBadToken)
	_, err = lroazcore.NewPollerFromResumeToken[Account](`{"type":"Account","token":null}`, pl, allowOrigin())
	require.ErrorIs(t, err, lroerrors.ErrBadToken)
	require.Empty(t, svc.Requests())
}

// TestAzcoreRejectsOurTokens checks that azcore's own handlers reject this package's tokens.
func TestAzcoreRejectsOurTokens(t *testing.T) {
	svc := &fakes.Service{}
	pl := newPipeline(t, svc)
	p, err := lroazcore.NewPoller[Account](put(t, pl), pl, nil) //nolint:bodyclose // NewPoller closes it
	require.NoError(t, err)
	token, err := p.ResumeToken()
	require.NoError(t, err)
	_, err = runtime.NewPollerFromResumeToken[Account](token, pl, nil)
	require.Error(t, err)
}

// TestResumedSchedule checks that a resumed poller, before its first poll, waits for the pause that
// the service requested.
func TestResumedSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{RetryAfter: 5 * time.Minute}}
		pl, start := newPipeline(t, svc), time.Now()
		p, err := lroazcore.NewPoller[Account](put(t, pl), pl, nil) //nolint:bodyclose // NewPoller closes it
		require.NoError(t, err)
		token, err := p.ResumeToken()
		require.NoError(t, err)
		again, err := lroazcore.NewPollerFromResumeToken[Account](token, pl, allowOrigin())
		require.NoError(t, err)
		_, err = again.PollUntilDone(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, 5*time.Minute, at(svc, fakes.Poll, start)[0])
	})
}
