package main

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
)

// The expected output, with placeholders for the parts that differ from run to run.
const want = `Seven operations and a listing, offline. This takes about 5 seconds.

A resource created with each of the four strategies
  Azure-AsyncOperation  InProgress "Accepted"
  Azure-AsyncOperation  InProgress "Accepted" 25%
  Azure-AsyncOperation  InProgress "Provisioning" 50%
  Azure-AsyncOperation  InProgress "Provisioning" 75%
  Azure-AsyncOperation  Succeeded 100%
  result: alpha, size 1, Succeeded
  Operation-Location    InProgress "Accepted"
  Operation-Location    InProgress "Accepted" 25%
  Operation-Location    InProgress "Provisioning" 50%
  Operation-Location    InProgress "Provisioning" 75%
  Operation-Location    Succeeded 100%
  result: beta, size 2, Succeeded
  Location              InProgress
  Location              InProgress
  Location              InProgress
  Location              InProgress
  Location              Succeeded
  result: gamma, size 3, Succeeded
  provisioningState     InProgress "Accepted"
  provisioningState     InProgress "Accepted"
  provisioningState     InProgress "Provisioning"
  provisioningState     InProgress "Provisioning"
  provisioningState     Succeeded
  result: delta, size 4, Succeeded

An operation that fails
  too-large             InProgress "Accepted"
  too-large             InProgress "Accepted"
  too-large             InProgress "Provisioning"
  too-large             Failed: QuotaExceeded: The request exceeds a quota of this subscription. (SizeLimit: The size of a widget is at most 100. (target properties.size))
  error: lro: operation Failed: QuotaExceeded: The request exceeds a quota of this subscription. (SizeLimit: The size of a widget is at most 100. (target properties.size)) (request id ID)
  code for a program to act on: QuotaExceeded
  detail: SizeLimit about properties.size: The size of a widget is at most 100.

An operation that is canceled
  The service accepted the cancellation. The status shows how the operation ends.
  endless               InProgress "Accepted"
  endless               Canceled: Canceled: The operation was canceled.
  error: lro: operation Canceled: Canceled: The operation was canceled. (request id ID)

An operation that a second poller resumes
  first poller: InProgress "Accepted"
  It stores a token of N bytes.
  second poller         InProgress "Accepted"
  second poller         InProgress "Provisioning"
  second poller         Succeeded
  result: epsilon, size 5, Succeeded

A listing in pages
  alpha, size 1, Succeeded
  beta, size 2, Succeeded
  (next page)
  delta, size 4, Succeeded
  endless, size 1, Canceled
  (next page)
  epsilon, size 5, Succeeded
  gamma, size 3, Succeeded
  (next page)
  too-large, size 1000, Failed
`

func TestRun(t *testing.T) {
	start := time.Now()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	got := out.String()
	for pattern, name := range map[string]string{
		`request id [0-9a-f-]+`: "request id ID",
		`of \d+ bytes`:          "of N bytes",
	} {
		got = regexp.MustCompile(pattern).ReplaceAllString(got, name)
	}
	require.Equal(t, want, got)
	require.Less(t, time.Since(start), 30*time.Second)
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &watcher{until: "25%", then: cancel}
	err := run(ctx, out)
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, lroerrors.ReasonCanceled, wait.Reason)
	require.NotContains(t, out.String(), "An operation that fails")
}

// A watcher is a buffer. After each write, it calls a function if the buffer contains a given
// string.
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
