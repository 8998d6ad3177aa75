package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// The output, with what differs from run to run left out.
const want = `A management service listens on http://127.0.0.1:PORT.

A resource created in each of the four ways
  Azure-AsyncOperation  Accepted
  Azure-AsyncOperation  Accepted 25%
  Azure-AsyncOperation  Provisioning 50%
  Azure-AsyncOperation  Provisioning 75%
  Azure-AsyncOperation  Succeeded 100%
  result: alpha, size 1, Succeeded
  Operation-Location    Accepted
  Operation-Location    Accepted 25%
  Operation-Location    Provisioning 50%
  Operation-Location    Provisioning 75%
  Operation-Location    Succeeded 100%
  result: beta, size 2, Succeeded
  Location              InProgress
  Location              InProgress
  Location              InProgress
  Location              InProgress
  Location              Succeeded
  result: gamma, size 3, Succeeded
  provisioningState     Accepted
  provisioningState     Accepted
  provisioningState     Provisioning
  provisioningState     Provisioning
  provisioningState     Succeeded
  result: delta, size 4, Succeeded

An operation that fails
  too-large             Accepted
  too-large             Accepted
  too-large             Provisioning
  too-large             Failed
  error: it is over, and asking again will not help: lro: operation Failed: QuotaExceeded: The request is over a quota of this subscription. (SizeLimit: A widget may have a size of at most 100. (target properties.size)) (request id ID)
  code QuotaExceeded, for a program to act on
  detail: SizeLimit about properties.size: A widget may have a size of at most 100.

An operation that is canceled
  InProgress "Accepted"
  cancellation accepted; the operation tells how it ends
  endless               Accepted
  endless               Canceled
  error: it is over, and asking again will not help: lro: operation Canceled: Canceled: The operation was canceled. (request id ID)

An operation taken up by a second poller
  first poller: InProgress "Accepted"
  its token of N bytes is stored
  second poller         Accepted
  second poller         Provisioning
  second poller         Succeeded
  result: epsilon, size 5, Succeeded

A listing in pages
  alpha                 size 1, Succeeded
  beta                  size 2, Succeeded
  and a link to more
  delta                 size 4, Succeeded
  endless               size 1, Canceled
  and a link to more
  epsilon               size 5, Succeeded
  gamma                 size 3, Succeeded
  and a link to more
  too-large             size 1000, Failed
`

func TestRun(t *testing.T) {
	start := time.Now()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	got := out.String()
	for pattern, name := range map[string]string{
		`127\.0\.0\.1:\d+`:      "127.0.0.1:PORT",
		`request id [0-9a-f-]+`: "request id ID",
		`of \d+ bytes`:          "of N bytes",
	} {
		got = regexp.MustCompile(pattern).ReplaceAllString(got, name)
	}
	require.Equal(t, want, got)
	require.Less(t, time.Since(start), 10*time.Second)
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &watcher{until: "Accepted 25%", then: cancel}
	err := run(ctx, out)
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, lroerrors.ReasonCanceled, wait.Reason)
	require.Contains(t, explain(err), "can go on later")
	require.NotContains(t, out.String(), "An operation that fails")
}

// A watcher does something when it has seen a text.
type watcher struct {
	bytes.Buffer
	until string
	then  func()
}

func (w *watcher) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if strings.Contains(w.String(), w.until) {
		w.then()
	}
	return n, err
}

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		terminal bool
		want     string
	}{
		{false, "  it                    InProgress\n  it                    Creating 50%\n"},
		{true, "\r\x1b[K  it                    InProgress\r\x1b[K  it                    Creating 50%\n"},
	} {
		var out bytes.Buffer
		s := &screen{w: &out, terminal: tt.terminal}
		l := s.line("it")
		half := 50.0
		l.show(poller.Status{State: poller.InProgress})
		l.show(poller.Status{State: poller.InProgress, Word: "Creating", PercentComplete: &half})
		l.end()
		require.Equal(t, tt.want, out.String(), "terminal: %t", tt.terminal)
	}
}

func TestIsTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer f.Close()
	require.False(t, isTerminal(f))
	require.False(t, isTerminal(&bytes.Buffer{}))
}

func TestExplain(t *testing.T) {
	status := &lroerrors.StatusError{StatusCode: 503}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&lroerrors.OperationError{State: "Failed"}, "it is over"},
		{&lroerrors.ResultError{Err: status}, "it is done"},
		{&lroerrors.WaitError{Reason: lroerrors.ReasonPatience, LastErr: status}, "we stopped waiting"},
		{status, "the service was asked in vain"},
		{lroerrors.ErrBadToken, lroerrors.ErrBadToken.Error()},
	} {
		require.Contains(t, explain(tt.err), tt.want)
	}
}
