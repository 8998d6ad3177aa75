package checker_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/transport"
)

// These constants list the rules that the third-party test server breaks. Each comment says what
// the server does.
const (
	always   = "arm-request-id "                       // no response has an x-ms-request-id
	untyped  = always + "arm-content-type "            // JSON without a Content-Type
	hurried  = "arm-retry-after-bounds "               // Retry-After: 0
	numbers  = "arm-resource-id arm-resource-type "    // the resource has "id": 100 and no "type"
	absent   = "arm-error-body arm-resource-found "    // only the PUT has a route, so a GET of the resource gets a 404 without an error object
	twoOhTwo = "arm-monitor-code arm-location-silent " // Azure-AsyncOperation and Location contain the same URL, which returns 202 with a status
	remains  = "arm-delete-gone "                      // another scenario of the server answers a GET of the deleted resource with a 200
)

// TestThirdPartyServer runs those scenarios of the test server that allow reads after the operation
// has ended. In each scenario, the server breaks exactly the listed rules.
func TestThirdPartyServer(t *testing.T) {
	base := startTestServer(t)
	for request, breaks := range map[string]string{
		"PUT /lro/put/201/succeeded":                     untyped + absent,
		"PUT /lro/put/200/succeeded":                     untyped + absent + "arm-put-created", // a PUT of a missing resource gets a 200
		"PUT /lro/put/200/updating/succeeded/200":        untyped + numbers,
		"PUT /lro/put/201/creating/succeeded/200":        untyped + numbers + "arm-put-updated", // the GET before the PUT finds a resource
		"PUT /lro/put/202/retry/200":                     untyped + absent,
		"PUT /lro/putasync/noretry/succeeded":            untyped + numbers + twoOhTwo + "arm-resource-state", // provisioningState is Succeeded from the start
		"POST /lro/list":                                 untyped,
		"POST /lro/post/202/noretry/204":                 always,
		"POST /lro/post/202/retry/200":                   always + hurried,
		"POST /lro/post/payload/200":                     always + hurried,
		"POST /lro/LROPostDoubleHeadersFinalLocationGet": always + "arm-word-case", // "succeeded" in lower case
		"DELETE /lro/delete/204/succeeded":               untyped + "arm-error-body",
		"DELETE /lro/delete/202/noretry/204":             always + remains,
		"DELETE /lro/delete/202/retry/200":               always + remains + hurried,
	} {
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			jar, err := cookiejar.New(nil) // the server keeps its state in a cookie
			require.NoError(t, err)
			method, path, _ := strings.Cut(request, " ")
			r, err := checker.Check(t.Context(), &checker.Options{
				Spec: rules.ARM, Requests: []checker.Request{{Method: method, URL: base + path}}, Keep: true,
				Interval: checker.Pace, Patience: 3 * time.Second, Timeout: time.Minute,
				Client: func() *http.Client {
					client := transport.NewClient(checker.Transport())
					client.Jar = jar
					return client
				},
			})
			require.NoError(t, err)
			require.ElementsMatch(t, strings.Fields(breaks), r.Broken(), strings.Join(findings(r), "\n"))
			require.Empty(t, r.Unfinished())
		})
	}
}

// startTestServer starts the test server from internal/conformance and returns its base URL. The
// server stops when the test ends.
func startTestServer(t *testing.T) string {
	const scripts = "../../../internal/conformance/testdata/testserver"
	dir := os.Getenv("LRO_TESTSERVER")
	if dir == "" {
		dir = scripts
	}
	cli, err := filepath.Abs(filepath.Join(dir, "node_modules/@microsoft.azure/autorest.testserver/dist/cli/cli.js"))
	require.NoError(t, err)
	if _, err := os.Stat(cli); err != nil {
		t.Skip("no third-party test server: run internal/conformance/install once")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no third-party test server: node is not installed")
	}
	loopback, err := filepath.Abs(filepath.Join(scripts, "loopback.cjs"))
	require.NoError(t, err)
	tether, err := filepath.Abs(filepath.Join(scripts, "tether.cjs"))
	require.NoError(t, err)

	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, node, "-r", loopback, "-r", tether, cli, "run", "--port=0", "--level=error", "--coverageDirectory="+t.TempDir())
	_, err = cmd.StdinPipe() // tether.cjs stops the server when the pipe closes
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // the error says only that the server was killed
	})
	port := ""
	for lines := bufio.NewScanner(stdout); port == "" && lines.Scan(); {
		_, port, _ = strings.Cut(lines.Text(), "listening on port ")
	}
	require.NotEmpty(t, port, "the test server has to print its port")
	go func() { _, _ = io.Copy(io.Discard, stdout) }() // ends when the server stops
	return "http://127.0.0.1:" + port
}
