package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
)

// TestCommand checks the output of the command without flags, which uses a local service over TLS.
func TestCommand(t *testing.T) {
	want, err := os.ReadFile("testdata/output.txt")
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, command(t.Context(), nil, &out))
	require.Equal(t, string(want), out.String())
}

// TestRunWithFullPauses checks the output and the duration of a run that waits as long as the
// service asks.
func TestRunWithFullPauses(t *testing.T) {
	want, err := os.ReadFile("testdata/output.txt")
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		svc, start := newService(), time.Now()
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), fakeTarget("https://arm.test", &fakes.Transport{Handler: svc}), &out))
		require.True(t, strings.HasSuffix(string(want), out.String()), "%s", &out)
		require.Equal(t, (3*17+2*3*10+3*15)*time.Second, time.Since(start))
		for _, r := range svc.Requests() {
			require.Equal(t, "Bearer fake_token", r.Header.Get("Authorization"), r.URL)
		}
	})
}

// TestCtrlCKeepsOperation checks that Ctrl-C ends the wait for an operation, but does not cancel
// the request that starts the operation.
func TestCtrlCKeepsOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := newService()
		target := fakeTarget("https://arm.test", &fakes.Transport{Handler: svc})
		client, err := target.newClient()
		require.NoError(t, err)
		d := &demo{target, io.Discard, client}
		require.NoError(t, d.create(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, part := range []func(context.Context) error{d.start, d.remove} {
			wait, ok := errors.AsType[*lroerrors.WaitError](part(ctx))
			require.True(t, ok)
			_, err := wait.ResumeToken()
			require.NoError(t, err)
		}
	})
}

// TestInterrupted checks that the program ends with an error if its context is canceled.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, command(ctx, nil, io.Discard), context.Canceled)
}

func TestFlags(t *testing.T) {
	require.ErrorIs(t, command(t.Context(), []string{"-h"}, io.Discard), flag.ErrHelp)
	require.ErrorContains(t, command(t.Context(), []string{"-subscription", "s", "-machine", "web"}, io.Discard), "want group/name")
}

// TestInAzure checks the target for a subscription in Azure. It sends no requests.
func TestInAzure(t *testing.T) {
	target, err := inAzure("s", "westus", "production/web")
	require.NoError(t, err)
	require.Equal(t, "https://management.azure.com", target.endpoint)
	require.Equal(t, []machine{{"production", "web"}}, target.machines)
	require.Regexp(t, "^[a-z0-9]{3,24}$", target.account, "the account name must be valid")
	require.NotNil(t, target.credential)
	require.Nil(t, target.base)
	require.Zero(t, target.poller, "the options must not change the pauses that the service asks for")
	other, err := inAzure("s", "westus", "")
	require.NoError(t, err)
	require.NotEqual(t, target.account, other.account)
	_, err = target.newClient()
	require.NoError(t, err)
}

// TestMissingToken checks that the local service rejects a request without a token.
func TestMissingToken(t *testing.T) {
	target, stop := onThisMachine()
	defer stop()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.endpoint+fakeRoot, http.NoBody)
	require.NoError(t, err)
	resp, err := (&http.Client{Transport: target.base}).Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
}
