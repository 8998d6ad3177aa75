package fakes_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// A service uses on average at most 2 KiB of memory for an operation and its resource. When the
// test measures the memory, half of the operations are in progress, and half have ended.
func TestMemoryOfOperations(t *testing.T) {
	const open = 1000
	svc := &fakes.Service{KeepOperations: open, KeepRequests: 1}
	send := func(method, url string) http.Header {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, url, strings.NewReader(`{"location":"west","tags":{"owner":"test"},"properties":{"size":7}}`))
		svc.ServeHTTP(w, r)
		require.Less(t, w.Code, 300)
		return w.Header()
	}
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}

	before := heap()
	var urls []string
	for n := range 4 * open {
		urls = append(urls, send(http.MethodPut, fmt.Sprintf("%s/widgets/w%d", host, n%(2*open))).Get("Azure-AsyncOperation"))
		if n < open {
			continue
		}
		for range 3 { // the third poll reports the end
			send(http.MethodGet, urls[n-open])
		}
	}
	require.Less(t, (heap()-before)/(2*open), 2048.0)
	runtime.KeepAlive(svc)
}
