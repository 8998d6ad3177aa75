package conformance_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	testserver = "testdata/testserver" // contains the npm package files, the preload scripts and, after ./install, node_modules
	cli        = "node_modules/@microsoft.azure/autorest.testserver/dist/cli/cli.js"
)

// unavailable skips the test and logs why. With LRO_CONFORMANCE=required in the environment, it
// fails the test instead.
func unavailable(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("LRO_CONFORMANCE") == "required" {
		require.FailNow(t, "the third-party test server must run: "+why)
	}
	t.Skip("no third-party test server: " + why)
}

// startServer starts the test server on a free loopback port and returns its base URL. The server
// stops when the test ends.
func startServer(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		unavailable(t, "node is not installed; with it, run internal/conformance/install")
	}
	dir := os.Getenv("LRO_TESTSERVER") // ./install uses the same variable
	if dir == "" {
		dir = testserver
	}
	if _, err := os.Stat(filepath.Join(dir, cli)); err != nil {
		unavailable(t, "run internal/conformance/install once")
	}

	// The test's context ends before the cleanup functions run, but the request that stops the
	// server needs a context that has not ended.
	ctx, kill := context.WithCancel(context.WithoutCancel(t.Context()))
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, node,
		"-r", absolute(t, testserver, "loopback.cjs"),
		"-r", absolute(t, testserver, "tether.cjs"),
		absolute(t, dir, cli), "run", "--port=0", "--level=error", "--coverageDirectory="+t.TempDir())
	cmd.Stderr = &stderr
	_, err = cmd.StdinPipe() // tether.cjs stops the server when this pipe closes, so the server cannot outlive this process
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())

	port := make(chan int, 1)
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			var n int
			if _, err := fmt.Sscanf(lines.Text(), "listening on port %d", &n); err == nil {
				port <- n
			}
		}
		_ = cmd.Wait() // the exit status does not matter: if the server exits too early, the test fails anyway
	}()
	t.Cleanup(func() { kill(); <-exited })

	var base string
	select {
	case n := <-port:
		base = fmt.Sprintf("http://127.0.0.1:%d", n)
	case <-exited:
		require.FailNow(t, "the test server must not exit", stderr.String())
	case <-time.After(time.Minute):
		require.FailNow(t, "the test server must print its port within a minute") // omits stderr, because the server may still be writing to it
	}
	t.Cleanup(func() { // runs before the cleanup that kills the server
		ask(ctx, t, http.MethodPost, base+"/.admin/stop")
		select {
		case <-exited:
		case <-time.After(10 * time.Second):
		}
	})
	require.Equal(t, http.StatusOK, ask(ctx, t, http.MethodGet, base+"/report/azure"))
	return base
}

// ask sends a request that is not part of a scenario, and returns the status code.
func ask(ctx context.Context, t *testing.T, method, url string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

func absolute(t *testing.T, elem ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(elem...))
	require.NoError(t, err)
	return path
}
