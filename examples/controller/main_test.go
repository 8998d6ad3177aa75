package main

import (
	"bytes"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const want = `A reconciler creates, updates and deletes a Widget, in a fake cluster and at a simulated service. This takes about 3 s.

The Widget is too large for the service:
  Ready=False  Progressing=True   InProgress "Accepted"
  Ready=False  Progressing=True   InProgress "Accepted"
  Ready=False  Progressing=False  lro: operation Failed: QuotaExceeded: The largest size is 100. (request id ID)

Its spec changes. One read of the status fails, and the operation continues:
  Ready=False  Progressing=True   InProgress "Accepted"
  Ready=False  Progressing=True   InProgress "Accepted" 25%
  Ready=False  Progressing=True   InProgress "Accepted" 25%; last read: lro: GET URL: 502 Bad Gateway: Runtime Error Something went wrong (request id ID)
  Ready=False  Progressing=True   InProgress "Provisioning" 50%
  Ready=False  Progressing=True   InProgress "Provisioning" 75%
  Ready=True   Progressing=False  The service has what the spec wants.

The Widget is deleted:
  Ready=False  Progressing=True   InProgress
  Ready=False  Progressing=True   InProgress "Deleting" 25%
  Ready=False  Progressing=True   InProgress "Deleting" 50%
  Ready=False  Progressing=True   InProgress "Deleting" 75%
  The Widget is gone.
`

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		start := time.Now()
		require.NoError(t, run(t.Context(), &out))
		require.Less(t, time.Since(start).Round(time.Second), 4*time.Second) // the first line of the output promises about 3 s
		got := regexp.MustCompile(`https://\S+/[0-9a-f-]+`).ReplaceAllString(out.String(), "URL")
		got = regexp.MustCompile(`request id [0-9a-f-]+`).ReplaceAllString(got, "request id ID")
		require.Equal(t, want, got)
	})
}

// TestSetupWithManager checks that the reconciler can be registered. It does not start the manager,
// which would connect to a cluster.
func TestSetupWithManager(t *testing.T) {
	m, err := manager.New(&rest.Config{Host: "127.0.0.1:1"}, manager.Options{
		Scheme:  newScheme(),
		Metrics: server.Options{BindAddress: "0"},
	})
	require.NoError(t, err)
	r := &Reconciler{Client: m.GetClient(), Origin: "https://management.azure.com"}
	require.NoError(t, r.SetupWithManager(m))
}
