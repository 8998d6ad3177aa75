package fakes_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// open requests the list of widgets, which is empty.
func open(t *testing.T, client *http.Client, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/widgets", http.NoBody)
	require.NoError(t, err)
	resp, err := client.Do(req)
	require.NoError(t, err)
	return resp
}

func TestEndless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Do: fakes.Endless("ab", time.Minute)})
		start := time.Now()
		resp := open(t, fakes.Client(svc), "https://a.test")
		require.Equal(t, int64(-1), resp.ContentLength)
		text, err := io.ReadAll(io.LimitReader(resp.Body, 18))
		require.NoError(t, err)
		require.Equal(t, `{"value":[]}ababab`, string(text))
		require.Equal(t, 3*time.Minute, time.Since(start))
		resp.Body.Close()
		synctest.Wait() // the bubble would panic if the handler's goroutine stayed blocked
	})
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Do: fakes.Endless(" ", 0)})
		start := time.Now()
		resp := open(t, fakes.Client(svc), "https://a.test")
		defer resp.Body.Close()
		n, err := io.CopyN(io.Discard, resp.Body, 10<<20)
		require.NoError(t, err)
		require.EqualValues(t, 10<<20, n)
		require.Zero(t, time.Since(start))
	})
}

func TestGzipBomb(t *testing.T) {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Do: fakes.GzipBomb(10 << 20)})
	srv := httptest.NewServer(svc)
	defer srv.Close()
	resp := open(t, srv.Client(), srv.URL)
	defer resp.Body.Close()
	require.True(t, resp.Uncompressed)
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, `{"value":[]}`, strings.TrimSpace(string(text)))
	require.Len(t, text, 12+10<<20)

	packed := open(t, fakes.Client(svc), srv.URL)
	defer packed.Body.Close()
	require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	n, err := io.Copy(io.Discard, packed.Body)
	require.NoError(t, err)
	require.Less(t, n, int64(20<<10))
}
