package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	azpolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
)

// TestCommand is the one command of the README, over TLS.
func TestCommand(t *testing.T) {
	want, err := os.ReadFile("testdata/output.txt")
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, command(t.Context(), nil, &out))
	require.Equal(t, string(want), out.String())
}

// TestRunInRealTime is the same with the pauses that the services ask for, and none of
// the options that make the demonstration short.
func TestRunInRealTime(t *testing.T) {
	want, err := os.ReadFile("testdata/output.txt")
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		svc, start := newService(), time.Now()
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), fakeSurroundings("https://arm.test", &fakes.Transport{Handler: svc}), &out))
		require.Equal(t, string(want), out.String())
		// The one that is taken over from azcore is asked at once, and then by its pauses.
		require.Equal(t, (3*3*17+2*17+2*3*10+3*15)*time.Second, time.Since(start))
		for _, r := range svc.Requests() {
			require.Equal(t, "Bearer fake_token", r.Header.Get("Authorization"), r.URL)
		}
	})
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, command(ctx, nil, &bytes.Buffer{}), context.Canceled)
}

// Ctrl-C ends the wait for what has been begun, and not the request that begins it.
func TestWhatIsBegunIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := newDemo(fakeSurroundings("https://arm.test", &fakes.Transport{Handler: newService()}), &bytes.Buffer{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, part := range []func(context.Context) error{d.throughPipeline, d.takeOver, d.start} {
			wait, ok := errors.AsType[*lroerrors.WaitError](part(ctx))
			require.True(t, ok)
			_, err := wait.ResumeToken()
			require.NoError(t, err)
		}
	})
}

func TestAPipelineKeepsRedirectsAtHome(t *testing.T) {
	var hosts []string
	redirecting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hosts = append(hosts, r.Host)
		http.Redirect(w, r, "https://evil.test/", http.StatusTemporaryRedirect)
	})
	d, err := newDemo(fakeSurroundings("https://arm.test", &fakes.Transport{Handler: redirecting}), &bytes.Buffer{})
	require.NoError(t, err)
	ctx := azpolicy.WithRetryOptions(t.Context(), azpolicy.RetryOptions{MaxRetries: -1}) // azcore takes it for a bad connection
	_, err = d.piped.ResourceGroups().BeginDelete(ctx, "g")
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
	require.Equal(t, []string{"arm.test"}, hosts)
}

func TestFlags(t *testing.T) {
	require.ErrorIs(t, command(t.Context(), []string{"-h"}, &bytes.Buffer{}), flag.ErrHelp)
	require.ErrorContains(t, command(t.Context(), []string{"-subscription", "s", "-machine", "web"}, &bytes.Buffer{}), "not group/name")
}

// What would be asked of Azure, without asking it.
func TestInAzure(t *testing.T) {
	in, err := inAzure("s", "westus", "production/web")
	require.NoError(t, err)
	require.Equal(t, "https://management.azure.com", in.endpoint)
	require.Equal(t, []machine{{"production", "web"}}, in.machines)
	require.Regexp(t, "^[a-z0-9]{3,23}$", in.account, "with a number it is the name of an account")
	require.NotNil(t, in.credential)
	require.Nil(t, in.base)
	require.Zero(t, in.poller, "the pauses are the service's to say")
	other, err := inAzure("s", "westus", "")
	require.NoError(t, err)
	require.NotEqual(t, in.account, other.account)
	_, err = newDemo(in, &bytes.Buffer{})
	require.NoError(t, err)
}

func TestNobodyPassesWithoutAToken(t *testing.T) {
	in, stop := onThisMachine()
	defer stop()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, in.endpoint+fakeRoot, http.NoBody)
	require.NoError(t, err)
	resp, err := (&http.Client{Transport: in.base}).Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
}
