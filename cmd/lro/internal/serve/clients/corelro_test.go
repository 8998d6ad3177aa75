package clients

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

// unavailable skips the test because @azure/core-lro cannot run on this machine. If LRO_SIMULATOR
// is "required", it fails the test instead.
func unavailable(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("LRO_SIMULATOR") == "required" {
		require.FailNow(t, "@azure/core-lro cannot run, but is required: "+why)
	}
	t.Skip("@azure/core-lro cannot run: " + why)
}

// follow runs follow.mjs and returns the lines that it prints.
func follow(t *testing.T, args ...string) []string {
	t.Helper()
	return runScript(t, append([]string{"follow.mjs"}, args...)...)
}

// runScript runs a script with Node and returns the lines that it prints.
func runScript(t *testing.T, args ...string) []string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		unavailable(t, "install Node 20 or later, then run "+install)
	}
	for _, module := range []string{"@azure/core-lro", "@azure-rest/core-client"} {
		if _, err := os.Stat("node_modules/" + module); err != nil {
			unavailable(t, "run "+install)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, node, args...).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

const install = "cmd/lro/internal/serve/clients/install"

const (
	running   = `{"status":"running"}`
	succeeded = `{"status":"succeeded"}`
	result    = `{"id":"/widgets/w1","state":"Succeeded"}`
)

func TestCoreLRO(t *testing.T) {
	tests := map[string]struct {
		args []string
		want []string
	}{
		"azure-async-operation": {[]string{"--polls=1"}, []string{running, succeeded, result}},
		"operation-location":    {[]string{"--polls=1", "--strategy=operation-location"}, []string{running, succeeded, result}},
		"location":              {[]string{"--polls=1", "--strategy=location"}, []string{running, succeeded, result}},
		"provisioning-state":    {[]string{"--polls=1", "--strategy=provisioning-state"}, []string{running, succeeded, result}},
		"failed":                {[]string{"--polls=1", "--error-code=QuotaExceeded", "--error-message=No more widgets."}, []string{running, `{"status":"failed"}`, `{"error":"The long-running operation has failed. QuotaExceeded. No more widgets."}`}},
		"canceled":              {[]string{"--polls=1", "--end=canceled"}, []string{running, `{"status":"canceled"}`, `{"error":"Operation was canceled"}`}},
		"a failed poll":         {[]string{"--polls=1", "--fault=poll:2:503"}, []string{running, `{"error":"503 ServiceUnavailable"}`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servetest.Start(t, append(tt.args, "--retry-after=0s")...)
			require.Equal(t, tt.want, follow(t, s.URL+"/widgets/w1?api-version=1"))
		})
	}
}

// If NODE_EXTRA_CA_CERTS has the value that lro serve prints, core-lro can use HTTPS.
func TestCoreLROOverHTTPS(t *testing.T) {
	s := servetest.Start(t, "--polls=1", "--retry-after=0s", "--tls")
	t.Setenv("NODE_EXTRA_CA_CERTS", authority(s))
	require.Equal(t, []string{running, succeeded, result}, follow(t, s.URL+"/widgets/w1?api-version=1"))
}

// An Azure SDK client in Node sends its credential only over HTTPS. It accepts the certificate of
// lro serve --tls if NODE_EXTRA_CA_CERTS has the value that lro serve prints. It retries a poll
// that gets a 503.
func TestCoreLROWithCredential(t *testing.T) {
	const path = "/widgets/w1?api-version=1"
	plain := servetest.Start(t, "--polls=0")
	lines := runScript(t, "credential.mjs", plain.URL+path)
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "Bearer token authentication is not permitted for non-TLS protected")

	s := servetest.Start(t, "--polls=1", "--retry-after=0s", "--tls", "--fault=poll:2:503=0s")
	t.Setenv("NODE_EXTRA_CA_CERTS", authority(s))
	require.Equal(t, []string{running, succeeded, result}, runScript(t, "credential.mjs", s.URL+path))
}

// A poller restored from its serialized form follows the same operation, and sends no second PUT.
func TestCoreLRORestores(t *testing.T) {
	t.Parallel()
	s := servetest.Start(t, "--polls=1", "--retry-after=0s")
	s.Welcome()
	require.Equal(t, []string{running, succeeded, result},
		follow(t, s.URL+"/widgets/w1?api-version=1", "restart"))
	lines, err := s.Stop()
	require.NoError(t, err)
	require.Equal(t, "Stopped after 4 requests and 1 operation.", lines[len(lines)-1])
}

// If another client cancels the operation, core-lro stops waiting and reports an error.
func TestCoreLROCanceled(t *testing.T) {
	t.Parallel()
	s := servetest.Start(t, "--duration=72h", "--retry-after=0s")
	canceled := make(chan error, 1)
	go func() {
		for line := range s.Lines {
			if strings.Contains(line, "poll:1 ") {
				canceled <- cancel(t.Context(), s.URL+"/operationsStatuses/00000000-0000-4000-8000-000000000001")
			}
		}
	}()
	lines := follow(t, s.URL+"/widgets/w1?api-version=1")
	require.NoError(t, <-canceled)
	require.Subset(t, []string{running, `{"status":"canceled"}`, `{"error":"Operation was canceled"}`}, lines)
	require.Equal(t, `{"error":"Operation was canceled"}`, lines[len(lines)-1])
}

func cancel(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/cancel", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		return errors.New(resp.Status)
	}
	return nil
}
