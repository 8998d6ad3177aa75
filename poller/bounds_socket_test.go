package poller_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// The tests in this file use sockets, because they depend on how net/http handles a hostile
// service.

// wild starts a server that answers each read of the status with raw bytes: the first string and
// then the second string, which it repeats until the client disconnects. If the second string is
// empty, the server sends only the first.
func wild(t *testing.T, text, more string) *httptest.Server {
	t.Helper()
	more = strings.Repeat(more, 1+32<<10/max(len(more), 1))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			write(w, accepted)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		out := bufio.NewWriter(conn)
		for _, err = out.WriteString(text); err == nil && more != ""; {
			_, err = out.WriteString(more) // fails when the client disconnects
		}
		_ = out.Flush()
	}))
	t.Cleanup(srv.Close)
	return srv
}

// pollOnce starts an operation at url, polls it once, and returns the error from that poll. The
// operation must still be in progress, and its token must be valid.
func pollOnce(t *testing.T, url string, opts *poller.Options) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url+resource, strings.NewReader("{}"))
	require.NoError(t, err)
	p, err := poller.Begin[raw](req, transport.NewClient(&transport.Options{Retries: -1}), opts)
	require.NoError(t, err)
	st, err := p.Poll(t.Context())
	require.Equal(t, poller.InProgress, st.State)
	token, tokenErr := p.ResumeToken()
	require.NoError(t, tokenErr)
	_, resumeErr := poller.Resume[raw](token, nil, &poller.Options{Origins: []string{url}})
	require.NoError(t, resumeErr)
	return err
}

const ok = "HTTP/1.1 200 OK\r\n"

// If the server sends more than a limit allows, the read uses little memory and fails with a short
// error that describes the cause.
func TestEndlessResponses(t *testing.T) {
	const chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
	tests := map[string]struct{ text, more, want string }{
		"a body":            {ok + "\r\n" + `{"status":"Succeeded"}`, " ", "limit of MaxStatusBytes"},
		"a string":          {ok + "\r\n" + `{"status":"`, "x", "limit of MaxStatusBytes"},
		"a number":          {ok + "\r\n" + `{"percentComplete":`, "9", "limit of MaxStatusBytes"},
		"a wrong length":    {ok + "Content-Length: 4611686018427387904\r\n\r\n{", " ", "limit of MaxStatusBytes"},
		"chunks":            {chunked, "2\r\n[1\r\n", "limit of MaxStatusBytes"},
		"chunk extensions":  {chunked, "1;" + strings.Repeat("e", 1000) + "\r\n \r\n", "too much non-data"},
		"a chunk size":      {chunked, "0", "line too long"},
		"a chunk extension": {chunked + "1;", "e", "line too long"},
		"a trailer":         {chunked + "2\r\n{}\r\n0\r\nX: ", "y", "suspiciously long trailer"},
		"trailers":          {chunked + "2\r\n{}\r\n0\r\n", "X: y\r\n", "suspiciously long trailer"},
		"a header":          {ok + "X: ", "y", "headers exceeded 1048576 bytes"},
		"headers":           {ok, "X: y\r\n", "headers exceeded 1048576 bytes"},
		"a status line":     {"HTTP/1.1 200 ", "x", "headers exceeded 1048576 bytes"},
		"1xx":               {"", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", "headers exceeded 1048576 bytes"},
		"an error":          {"HTTP/1.1 503 Busy\r\n\r\nbusy", " ", "limit of MaxStatusBytes"},
		"a 404":             {"HTTP/1.1 404 No\r\n\r\n", `{"error":`, "limit of MaxStatusBytes"},
		"a 401":             {"HTTP/1.1 401 No\r\n\r\n", "x", "limit of MaxStatusBytes"},
		"a redirect loop":   {"HTTP/1.1 307 Go\r\nLocation: /operations/op1\r\nContent-Length: 0\r\n\r\n", "", "stopped after 10 redirects"},
		"endless redirects": {"HTTP/1.1 307 Go\r\nLocation: /operations/op1\r\n\r\n", "x", "stopped after 10 redirects"},
		"deep":              {ok + "\r\n" + `{"status":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}", "", "exceeded max depth"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			srv := wild(t, tt.text, tt.more)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := pollOnce(t, srv.URL, &poller.Options{MaxStatusBytes: 1 << 20})
			runtime.ReadMemStats(&after)
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.ErrorContains(t, err, tt.want)
			require.Less(t, len(err.Error()), 4000)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
		})
	}
}

// The size limit applies to the decompressed body. If net/http does not fully decompress a body,
// the read fails, because the body is not JSON.
func TestDecompressionBombs(t *testing.T) {
	packed := func(times int) http.HandlerFunc {
		body := []byte(`{"status":"Succeeded"}`)
		for range times {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write(body)
			z.Close()
			body = b.Bytes()
		}
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(body)
		}
	}
	plain := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"Running"}`) })
	byHand := http.Header{"Accept-Encoding": {"gzip"}}
	tests := map[string]struct {
		status http.Handler
		header http.Header
		want   string
	}{
		"a bomb":                       {fakes.GzipBomb(1 << 30)(plain), nil, "body is larger than 4194304 bytes, the limit of MaxStatusBytes"},
		"nested":                       {packed(2), nil, "not JSON"},
		"requested explicitly":         {packed(1), byHand, "not JSON"},
		"a bomb, requested explicitly": {fakes.GzipBomb(64 << 20)(plain), byHand, "not JSON"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					tt.status.ServeHTTP(w, r)
					return
				}
				write(w, accepted)
			}))
			defer srv.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := pollOnce(t, srv.URL, &poller.Options{Header: tt.header})
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, tt.want)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
		})
	}
}

// If an operation's URLs and headers are large but within the limits, the poller follows the
// operation, and ResumeToken returns a token.
func TestLargeURLs(t *testing.T) {
	for _, kib := range []int{4, 20} {
		long := monitor + "?sig=" + strings.Repeat("x", kib<<10)
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				write(w, "202\nAzure-AsyncOperation: "+long+"\nX-Ms-Request-Id: "+strings.Repeat("r", 100<<10))
				return
			}
			if !strings.HasSuffix(long, r.URL.RawQuery) {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("X-Ms-Request-Id", strings.Repeat("r", 100<<10))
			for i := range 5000 {
				w.Header().Set(fmt.Sprintf("X-%d", i), "x")
			}
			write(w, `200 {"status":"Running"}`)
		}))
		require.NoError(t, pollOnce(t, srv.URL, nil))
		srv.Close()
	}
}

// The poller can follow a URL of 64 KiB, but ResumeToken returns an error, because the token would
// be too large.
func TestURLTooLargeForToken(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {accepted + "?sig=" + strings.Repeat("x", 64<<10)}, get(monitor): {running, succeeded}})
	p := begin(t, s, "POST", nil)
	for range 2 {
		_, err := p.ResumeToken()
		require.ErrorContains(t, err, "the limit is 65536: its URLs")
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
	}
	require.True(t, p.Done())
}
