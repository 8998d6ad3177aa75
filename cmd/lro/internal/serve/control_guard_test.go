package serve_test

import (
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

// Without --control, lro serve has no control interface.
func TestControlIsOff(t *testing.T) {
	r := servetest.Start(t)
	r.Welcome()
	require.Empty(t, r.Control)
	status, _, err := send(t, t.Context(), http.MethodPost, r.URL+"/reset")
	require.NoError(t, err)
	require.NotEqual(t, http.StatusNoContent, status)
}

// An address in --control must be a loopback address unless --allow-remote is given. If the address
// has no host, lro serve uses 127.0.0.1.
func TestControlAddress(t *testing.T) {
	for args, want := range map[string]string{
		"--control 8090":         `--control "8090": want HOST:PORT, such as 127.0.0.1:8090`,
		"--control 0.0.0.0:0":    "--control 0.0.0.0:0: other machines could reach this address; add --allow-remote if they should",
		"--control a.test:0":     "--control a.test:0: other machines could reach this address; add --allow-remote if they should",
		"--control 127.0.0.1:-1": "--control 127.0.0.1:-1: listen tcp: address -1: invalid port",
	} {
		cmd := serve.Command()
		cmd.SetArgs(append([]string{"--addr=127.0.0.1:0"}, strings.Fields(args)...))
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		require.EqualError(t, cmd.ExecuteContext(t.Context()), want)
	}
	r := servetest.Start(t, "--control=:0")
	r.Welcome()
	require.Regexp(t, `^http://127\.0\.0\.1:\d+$`, r.Control)
}

// ask sends a request with the given Host and headers, and returns the response's status code.
func ask(t *testing.T, method, url, body, host string, header http.Header) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Host = host
	req.Header = header.Clone()
	resp, err := fresh.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	return resp.StatusCode
}

// On a loopback address, the control interface accepts only loopback names as the Host, even with
// --allow-remote. On any other address, it accepts any Host.
func TestControlForeignHost(t *testing.T) {
	for _, r := range []*servetest.Server{servetest.Start(t, "--control=127.0.0.1:0"), servetest.Start(t, "--control=127.0.0.1:0", "--allow-remote")} {
		r.Welcome()
		for host, want := range map[string]int{
			"localhost": 200, "127.0.0.1:1": 200, "[::1]:8089": 200,
			"evil.test": 421, "evil.test:8090": 421, "127.0.0.1.evil.test": 421, "10.0.0.1": 421,
		} {
			require.Equal(t, want, ask(t, http.MethodGet, r.Control+"/requests", "", host, nil), host)
		}
	}
	remote := servetest.Start(t, "--control=0.0.0.0:0", "--allow-remote")
	var control string
	for _, line := range remote.Welcome() {
		if _, rest, ok := strings.Cut(line, "Control it at http://[::]:"); ok {
			port, _, _ := strings.Cut(rest, " ")
			control = "http://127.0.0.1:" + port
		}
	}
	require.Equal(t, 200, ask(t, http.MethodGet, control+"/requests", "", "a.test", nil))
}

// A web page from another origin can neither send commands nor read the journal. This includes a
// page from the simulated service, which has a different port.
func TestControlCrossSite(t *testing.T) {
	r := servetest.Start(t, "--control=127.0.0.1:0")
	r.Welcome()
	for _, tt := range []struct {
		name, value string
		want        int
	}{
		{"Sec-Fetch-Site", "cross-site", 403},
		{"Sec-Fetch-Site", "same-site", 403},
		{"Sec-Fetch-Site", "same-origin", 204},
		{"Sec-Fetch-Site", "none", 204},
		{"Origin", "https://evil.test", 403},
		{"Origin", "null", 403},
		{"Origin", r.URL, 403},
		{"Origin", "http://localhost", 204},
	} {
		header := http.Header{tt.name: {tt.value}}
		require.Equal(t, tt.want, ask(t, http.MethodPost, r.Control+"/reset", "", "localhost", header), tt)
		read := ask(t, http.MethodGet, r.Control+"/requests", "", "localhost", header)
		require.Equal(t, tt.want == 403, read == 403, tt)
	}
}

// The control interface's page loads only its own files, runs only its own script, and cannot be
// shown in a frame.
func TestControlPageIsSelfContained(t *testing.T) {
	r := servetest.Start(t, "--control=127.0.0.1:0")
	r.Welcome()
	for path, media := range map[string]string{"/": "text/html", "/page.css": "text/css", "/page.js": "text/javascript"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.Control+path, http.NoBody)
		require.NoError(t, err)
		resp, err := fresh.Do(req)
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, media+"; charset=utf-8", resp.Header.Get("Content-Type"))
		require.Equal(t, "nosniff", resp.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			resp.Header.Get("Content-Security-Policy"))
		require.NotContains(t, string(text), "//"+"cdn")
		require.NotRegexp(t, `https?://`, string(text))
		require.NotRegexp(t, `innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(`, string(text))
	}
}

// The control interface closes a connection if a command's body takes more than 30 seconds to
// arrive, or if no request comes for two minutes.
func TestControlSlowClient(t *testing.T) {
	took := converseWith(t, serve.RunControl, func(t *testing.T, conn net.Conn) {
		write(t, conn, "POST /faults HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
		for err := error(nil); err == nil; {
			time.Sleep(time.Second)
			_, err = io.WriteString(conn, " ")
		}
	})
	require.Equal(t, 30*time.Second, took.Truncate(2*time.Second))

	took = converseWith(t, serve.RunControl, func(t *testing.T, conn net.Conn) {
		write(t, conn, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
		_, err := io.Copy(io.Discard, conn)
		require.NoError(t, err)
	})
	require.Equal(t, 2*time.Minute, took)
}

// lro serve keeps an event stream open even if there are no events, but closes it if the client
// does not read for 10 seconds.
func TestControlEventStreamOfSlowClient(t *testing.T) {
	const request = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"
	converseWith(t, serve.RunControl, func(t *testing.T, conn net.Conn) {
		write(t, conn, request)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Hour)))
		_, err := io.Copy(io.Discard, conn)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
	converseWith(t, serve.RunControl, func(t *testing.T, conn net.Conn) {
		write(t, conn, request)
		time.Sleep(10*time.Second + 1)
		text, err := io.ReadAll(conn)
		require.NoError(t, err)
		require.Empty(t, text)
	})
}

// On Ctrl-C, lro serve stops even if an event stream is open.
func TestControlEventStreamEnds(t *testing.T) {
	r := servetest.Start(t, "--control=127.0.0.1:0")
	r.Welcome()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.Control+"/events", http.NoBody)
	require.NoError(t, err)
	resp, err := fresh.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	requireStop(t, r, "", "Stopped after 0 requests and 0 operations.")
}
