package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
)

// To bound its memory, the service forgets an operation once 10,000 others have ended after it. It
// never forgets resources.
func TestKeepOperations(t *testing.T) {
	h, err := serve.Handler(io.Discard, nil, "--duration=0s", "--items=0", "--retry-after=0s")
	require.NoError(t, err)
	do := func(method, url string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}")))
		return w
	}
	var urls []string
	for n := range 10_020 {
		w := do(http.MethodPut, fmt.Sprintf("%s/widgets/w%d", origin, n%10))
		require.Less(t, w.Code, 300)
		urls = append(urls, w.Header().Get("Azure-AsyncOperation"))
	}
	require.Equal(t, 404, do(http.MethodGet, urls[0]).Code)
	require.Equal(t, 200, do(http.MethodGet, urls[10]).Code)
	require.Equal(t, 200, do(http.MethodGet, origin+"/widgets/w0").Code)
}
