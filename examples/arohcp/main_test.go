package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The output, with what differs from run to run left out.
const want = `
A cluster is created; a notification tells that it is there
  notifications: Enabled
  blue       Accepted
  blue       Succeeded
  result: blue, Succeeded, long before the minute was over: true

It is changed
  blue       Accepted
  blue       Updating
  blue       Succeeded
  result: blue of team two

A creation fails
  too-many   Accepted
  too-many   Provisioning
  too-many   Failed
  error: InternalServerError: cluster install failed (target /SUB/too-many) (OCM4001: no quota for another control plane)
  code OCM4001, for a program to act on

A creation is canceled, by the request that this service has for it
  accepted; the operation tells how it ends
  slow       Accepted
  slow       Canceled
  error: Canceled: This operation was superseded by another

A creation is superseded by the deletion of its cluster
  creation   Accepted
  creation   Canceled
  error: Canceled: This operation was superseded by another
  deletion   Deleting
  deletion   Succeeded

Another identity asks
  after one read, for it has no patience here: reason Gone: lro: stopped waiting for URL (Gone): its status is gone; an expired operation and a wrong identity look alike; operation last known InProgress ("Accepted") after 1 poll in TIME: GET URL: 404 Not Found: no error body (request id ID)
  its owner still reads: InProgress "Accepted"
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

// A notification that nobody expects wakes nobody up.
func TestReceiver(t *testing.T) {
	woken := 0
	r := &receiver{origin: "http://127.0.0.1:1", wake: map[string]func(){}}
	r.expect(r.uri(1), func() { woken++ })
	for path, code := range map[string]int{"/notifications/1": http.StatusOK, "/notifications/2": http.StatusNotFound} {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, nil))
		require.Equal(t, code, w.Code)
	}
	require.Equal(t, 1, woken)
}
