package conformance_test

import (
	"net/http"
	"net/http/cookiejar"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A wire sends requests to the test server, records each attempt and keeps the cookies. It is the
// Base of the retrying transport, so retries carry cookies too.
type wire struct {
	base http.RoundTripper
	jar  http.CookieJar // one jar per scenario, because scenarios can run concurrently

	mu   sync.Mutex
	sent []string // each attempt, as "METHOD path"
}

var _ http.RoundTripper = (*wire)(nil)

func newWire(t *testing.T) *wire {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &wire{base: http.DefaultTransport, jar: jar}
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.sent = append(w.sent, req.Method+" "+req.URL.RequestURI())
	w.mu.Unlock()

	req = req.Clone(req.Context())
	for _, c := range w.jar.Cookies(req.URL) {
		req.AddCookie(c)
	}
	resp, err := w.base.RoundTrip(req)
	if err == nil {
		w.jar.SetCookies(req.URL, resp.Cookies())
	}
	return resp, err
}

// exchange returns the attempts so far, each as "METHOD path".
func (w *wire) exchange() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sent)
}
