package main

import (
	"bytes"
	"context"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// want is the expected output, with placeholders for the parts that vary between runs.
const want = `Operations of ARO-HCP, offline. This takes about a second.

A cluster is created; a notification wakes the poller
  blue       Accepted
  blue       Succeeded
  result: blue, Succeeded, in less than a minute: true

The cluster is changed
  blue       Accepted
  blue       Updating
  blue       Succeeded
  result: blue of team two

A creation fails
  too-many   Accepted
  too-many   Provisioning
  too-many   Failed
  error: InternalServerError: cluster install failed (target /SUB/too-many) (OCM4001: no quota for another control plane)
  code for a program to act on: OCM4001

A creation is canceled by a deletion
  the service accepted the deletion
  slow       Accepted
  slow       Canceled
  error: Canceled: This operation was superseded by another

Another identity reads the status
  lro: stopped waiting for URL (Gone): its status is gone: the operation has expired, or this identity cannot see it; operation last known InProgress ("Accepted") after 1 poll in TIME: GET: 404 Not Found: no error body (request id ID)
  its owner still reads InProgress "Accepted"
`

func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	got := out.String()
	for _, r := range [][2]string{
		{`http://127\.0\.0\.1:\d+\S+/[0-9a-f-]+`, "URL"},
		{`/subscriptions/\S+/hcpOpenShiftClusters`, "/SUB"},
		{`request id [0-9a-f-]+`, "request id ID"},
		{` in [0-9.]+m?s`, " in TIME"},
	} {
		got = regexp.MustCompile(r[0]).ReplaceAllString(got, r[1])
	}
	require.Equal(t, want, got)
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, run(ctx, &bytes.Buffer{}), context.Canceled)
}
