package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// The first part of the output; the others are as long.
const want = `
A Widget is created; one read fails, and changes nothing
  small 0/1  Ready=False  Progressing=True   Accepted: InProgress "Accepted"
  small 0/1  Ready=False  Progressing=True   Accepted: InProgress "Accepted" 25%
  event: Warning ReadFailed lro: GET URL: 502 Bad Gateway: Runtime Error Something went wrong (request id ID)
  small 0/1  Ready=False  Progressing=True   Accepted: InProgress "Accepted" 25%; last read: lro: GET URL: 502 Bad Gateway: Runtime Error Something went wrong (request id ID)
  small 0/1  Ready=False  Progressing=True   Provisioning: InProgress "Provisioning" 50%
  small 0/1  Ready=False  Progressing=True   Provisioning: InProgress "Provisioning" 75%
  event: Normal Succeeded The service has what generation 1 wants
  small 1/1  Ready=True   Progressing=False  Succeeded: The service has what the spec wants.
`

func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	got := regexp.MustCompile(`http://127\.0\.0\.1:\d+\S+/[0-9a-f-]+`).ReplaceAllString(out.String(), "URL")
	got = regexp.MustCompile(`request id [0-9a-f-]+`).ReplaceAllString(got, "request id ID")
	first, rest, _ := strings.Cut(got, "\nIts spec changes")
	require.Equal(t, want, first)
	for _, line := range []string{
		"  small 2/3  Ready=True   Progressing=False  Succeeded",
		"  small 3/3  Ready=True   Progressing=False  Succeeded",
		"  large 1/1  Ready=False  Progressing=False  QuotaExceeded: lro: operation Failed: QuotaExceeded: A widget may have",
		"  large 2/2  Ready=True   Progressing=False  Succeeded",
		"  small is gone\n",
	} {
		require.Contains(t, rest, line)
	}
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, run(ctx, &bytes.Buffer{}), context.Canceled)
}

// A manager takes the reconciler; it would connect to a cluster only when it is started.
func TestSetupWithManager(t *testing.T) {
	m, err := manager.New(&rest.Config{Host: "127.0.0.1:1"}, manager.Options{
		Scheme:  newScheme(),
		Metrics: server.Options{BindAddress: "0"},
	})
	require.NoError(t, err)
	r := &Reconciler{Client: m.GetClient(), Recorder: m.GetEventRecorder("widgets"), Origin: "https://management.azure.com"}
	require.NoError(t, r.SetupWithManager(m))
}
