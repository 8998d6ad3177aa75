package main

import (
	"context"
	"net/http"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
)

const group = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo"

func TestCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		start := time.Now()
		created, err := run(t.Context(), fakes.Client(svc), group)
		require.NoError(t, err)
		require.Equal(t, group+"/providers/Microsoft.Network/virtualNetworks/lro-demo", created.ID)
		require.Equal(t, 14*time.Second, time.Since(start), "pauses of 2 s, 4 s and 8 s")
		require.JSONEq(t, `{"location": "westeurope", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}`,
			string(svc.Requests()[0].Body))
	})
}

// After a day, a gateway answers three polls with HTML pages. The poller retries after 2 s, 4 s and
// 8 s, so the wait ends 14 s late.
func TestCreateTakesThreeDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour, RetryAfter: 5 * time.Minute}}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 24 * 12, Times: 3, Do: fakes.HTML(http.StatusBadGateway)})
		start := time.Now()
		_, err := run(t.Context(), fakes.Client(svc), group)
		require.NoError(t, err)
		require.Equal(t, 72*time.Hour+14*time.Second, time.Since(start))
	})
}

// Ctrl-C ends the first run after a minute. The second run follows the same operation.
func TestRunAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Minute}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		_, err := run(ctx, fakes.Client(svc), group)
		var wait *lroerrors.WaitError
		require.ErrorAs(t, err, &wait)
		require.Equal(t, lroerrors.ReasonCanceled, wait.Reason)

		requireContinued(t, svc)
	})
}

// requireContinued runs the program again. The program must return the network without creating a
// second one.
func requireContinued(t *testing.T, svc *fakes.Service) {
	t.Helper()
	created, err := run(t.Context(), fakes.Client(svc), group)
	require.NoError(t, err)
	require.Equal(t, group+"/providers/Microsoft.Network/virtualNetworks/lro-demo", created.ID)
	require.NoFileExists(t, tokenFile)
	puts := slices.DeleteFunc(svc.Requests(), func(r fakes.Request) bool { return r.Method != http.MethodPut })
	require.Len(t, puts, 1)
}

// A failed operation cannot be resumed, so the program deletes the token.
func TestRunFails(t *testing.T) {
	t.Chdir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Ending: fakes.Failed}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := run(ctx, fakes.Client(svc), group)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.FileExists(t, tokenFile)

		_, err = run(t.Context(), fakes.Client(svc), group)
		var failure *lroerrors.OperationError
		require.ErrorAs(t, err, &failure)
		require.NoFileExists(t, tokenFile)
	})
}

// The program keeps the token if it cannot use the token or read the result. Without the token, the
// next run would create the network again.
func TestRunKeepsTheToken(t *testing.T) {
	t.Chdir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		requests := func() int { return len(svc.Requests()) }

		require.NoError(t, os.WriteFile(tokenFile, []byte("truncat"), 0o600))
		_, err := run(t.Context(), fakes.Client(svc), group)
		require.ErrorIs(t, err, lroerrors.ErrBadToken)
		require.ErrorContains(t, err, tokenFile)
		require.FileExists(t, tokenFile)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, os.Remove(tokenFile))
		_, err = run(ctx, fakes.Client(svc), group)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		svc.Fault(fakes.Fault{Kind: fakes.Read, Times: -1, Do: fakes.Respond(http.StatusOK, "[]")})
		_, err = run(t.Context(), fakes.Client(svc), group)
		var result *lroerrors.ResultError
		require.ErrorAs(t, err, &result)
		require.FileExists(t, tokenFile)

		before := requests()
		require.NoError(t, os.Remove(tokenFile))
		require.NoError(t, os.Mkdir(tokenFile, 0o700)) // reading a directory fails, but not with ErrNotExist
		_, err = run(t.Context(), fakes.Client(svc), group)
		require.Error(t, err)
		require.Equal(t, before, requests(), "nothing was created")
	})
}

// After a ResultError, the network exists. The next run reads it and does not repeat the PUT.
func TestRunReadsTheResultAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 1, Do: fakes.Respond(http.StatusOK, "[]")})
		_, err := run(t.Context(), fakes.Client(svc), group)
		var result *lroerrors.ResultError
		require.ErrorAs(t, err, &result)

		requireContinued(t, svc)
	})
}

// A PUT without a response may have created the network, so the error asks the user to check.
func TestRunGetsNoResponse(t *testing.T) {
	t.Chdir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Hang()})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := run(ctx, fakes.Client(svc), group)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "look for the network")
		require.NoFileExists(t, tokenFile)
	})
}
