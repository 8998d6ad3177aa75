package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

// zeros is an endless stream of zero bytes.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// lro serve refuses a body of 300 MiB and does not read it into memory, whether or not the request
// has a Content-Length.
func TestLargeBody(t *testing.T) {
	const size = 300 << 20
	r := servetest.Start(t)
	r.Welcome()
	for _, length := range []int64{size, -1} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/widgets/item1/start", io.LimitReader(zeros{}, size))
		require.NoError(t, err)
		req.ContentLength = length
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		resp, err := fresh.Do(req)
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode)
		require.JSONEq(t, `{"error":{"code":"RequestEntityTooLarge","message":"The body of a request has at most 4 MiB."}}`, string(text))
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(40<<20))
		require.Regexp(t, `^\d\d:\d\d:\d\d    - POST   /widgets/item1/start       413     -           RequestEntityTooLarge$`, <-r.Lines)
	}
	requireStop(t, r, "", "Stopped after 0 requests and 0 operations.")
}

// pipes is a listener whose connections are pipes, for running a server in a synctest bubble.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error {
	close(p)
	return nil
}
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// converseRaw runs lro serve in a synctest bubble, calls f with a connection to the server, and
// returns how long f took.
func converseRaw(t *testing.T, f func(t *testing.T, conn net.Conn), args ...string) time.Duration {
	t.Helper()
	return converseWith(t, serve.Run, f, args...)
}

// converseWith is like converseRaw, but calls run instead of serve.Run.
func converseWith(t *testing.T, run func(context.Context, net.Listener, ...string) error, f func(t *testing.T, conn net.Conn), args ...string) (took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ln := make(pipes)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- run(ctx, ln, args...) }()
		conn, far := net.Pipe()
		ln <- far
		start := time.Now()
		f(t, conn)
		took = time.Since(start)
		conn.Close()
		stop()
		require.NoError(t, <-ended)
	})
	return took
}

func write(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(conn, text)
	require.NoError(t, err)
}

// lro serve closes the connection if a body does not arrive within 30 seconds, even for a request
// that it refuses.
func TestSlowBody(t *testing.T) {
	for _, host := range []string{"localhost", "evil.test"} {
		took := converseRaw(t, func(t *testing.T, conn net.Conn) {
			write(t, conn, "PUT /widgets/w1 HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 100\r\n\r\n")
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			for err := error(nil); err == nil; {
				time.Sleep(time.Second)
				_, err = io.WriteString(conn, " ")
			}
		})
		require.Equal(t, 30*time.Second, took.Truncate(2*time.Second), host)
	}
}

// lro serve closes a connection if the first request does not arrive within 10 seconds, or a
// further one within two minutes.
func TestIdleConnection(t *testing.T) {
	took := converseRaw(t, func(t *testing.T, conn net.Conn) {
		_, err := conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	})
	require.Equal(t, 10*time.Second, took)

	took = converseRaw(t, func(t *testing.T, conn net.Conn) {
		write(t, conn, "GET /widgets/item1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
		_, err := io.Copy(io.Discard, conn)
		require.NoError(t, err)
	})
	require.Equal(t, 2*time.Minute, took)
}

// The time limits do not abort a request, with or without a body, while it waits for its response.
func TestSlowResponse(t *testing.T) {
	for request, want := range map[string]string{
		"PUT /widgets/w1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}":                            "HTTP/1.1 201 Created\r\n",
		"PUT /widgets/w1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n": "HTTP/1.1 201 Created\r\n",
		"GET /widgets/item1 HTTP/1.1\r\nHost: localhost\r\n\r\n":                                                "HTTP/1.1 200 OK\r\n",
	} {
		took := converseRaw(t, func(t *testing.T, conn net.Conn) {
			write(t, conn, request)
			line, err := bufio.NewReader(conn).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, want, line)
		}, "--fault=slow=10m")
		require.Equal(t, 10*time.Minute, took, request)
	}
}

// Without a Host in the request, URLs in the response contain the listener's address.
func TestNoHost(t *testing.T) {
	r := servetest.Start(t)
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(r.URL, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	write(t, conn, "PUT /widgets/w1 HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, 201, resp.StatusCode)
	require.Equal(t, r.URL+"/operationsStatuses/00000000-0000-4000-8000-000000000001", resp.Header.Get("Azure-AsyncOperation"))
}

// lro serve refuses a Host that is not a loopback name, because a web page can make its own host
// name resolve to this machine (DNS rebinding). With --allow-remote, lro serve accepts any Host.
func TestForeignHost(t *testing.T) {
	local := servetest.Start(t)
	remote := servetest.Start(t, "--allow-remote")
	for host, want := range map[string]int{
		"localhost": 201, "LOCALHOST:8089": 201, "127.0.0.1:1": 201, "127.1.2.3": 201, "[::1]:8089": 201, "[::1]": 201,
		"evil.test": 421, "evil.test:8089": 421, "localhost.evil.test": 421, "127.0.0.1.evil.test": 421, "10.0.0.1": 421, "0.0.0.0:8089": 421,
	} {
		require.Equal(t, want, sendWith(t, local.URL, host, nil), host)
		require.Equal(t, 201, sendWith(t, remote.URL, host, nil), host)
	}
}

// sendWith sends a PUT with the given Host and headers to create a resource, and returns the
// response's status code.
func sendWith(t *testing.T, base, host string, header http.Header) int {
	t.Helper()
	return ask(t, http.MethodPut, base+"/widgets/w-"+fmt.Sprint(time.Now().UnixNano()), "{}", host, header)
}

// Even with --allow-remote, a web page can use the service only if the page came from the service
// itself.
func TestCrossSite(t *testing.T) {
	r := servetest.Start(t)
	remote := servetest.Start(t, "--allow-remote")
	for _, tt := range []struct {
		name, value string
		want        int
	}{
		{"Sec-Fetch-Site", "cross-site", 403},
		{"Sec-Fetch-Site", "same-site", 403},
		{"Sec-Fetch-Site", "same-origin", 201},
		{"Sec-Fetch-Site", "none", 201},
		{"Origin", "https://evil.test", 403},
		{"Origin", "null", 403},
		{"Origin", "http://localhost:1", 403},
		{"Origin", "http://localhost", 201},
	} {
		header := http.Header{tt.name: {tt.value}}
		require.Equal(t, tt.want, sendWith(t, r.URL, "localhost", header), tt)
		require.Equal(t, tt.want, sendWith(t, remote.URL, "localhost", header), tt)
	}
}

// If the service cannot start, lro serve leaves no --record file behind, because the next start
// would refuse to overwrite it.
func TestNoRecordWithoutService(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.http")
	missing := filepath.Join(t.TempDir(), "missing")
	t.Setenv("TMPDIR", missing) // so that --tls cannot create its temporary file
	t.Setenv("TMP", missing)    // the same on Windows
	cmd := serve.Command()
	cmd.SetArgs([]string{"--addr=127.0.0.1:0", "--tls", "--record", file})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	require.ErrorIs(t, cmd.ExecuteContext(t.Context()), fs.ErrNotExist)
	require.NoFileExists(t, file)
}

// --record refuses to overwrite an existing file, and only the owner can read a file that it
// creates.
func TestRecordCreatesFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.http")
	require.NoError(t, os.WriteFile(file, []byte("precious"), 0o600))
	cmd := serve.Command()
	cmd.SetArgs([]string{"--addr=127.0.0.1:0", "--record", file})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	err := cmd.ExecuteContext(ctx)
	require.EqualError(t, err, "--record: "+file+" already exists; remove it, or choose another name")
	require.NotErrorAs(t, err, new(serve.Error), "the command line is wrong")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))

	require.NoError(t, os.Remove(file))
	r := servetest.Start(t, "--record="+file)
	requireStop(t, r)
	info, err := os.Stat(file)
	require.NoError(t, err)
	if runtime.GOOS != "windows" { // Windows has no Unix file permissions
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}
}
