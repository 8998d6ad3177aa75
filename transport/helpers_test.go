package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

const (
	query    = "?api-version=2024-01-01&sig=SECRET"
	readURL  = "https://arm.test/subscriptions/s1/providers/Microsoft.Compute/operations/7"
	statuses = "https://arm.test/ops/1"
)

var errSocket = errors.New("connection reset by peer")

// A trip is a function that serves as a Transport's Base.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A script is the Base of a Transport. It returns its answers in order, repeats the last one
// forever, and records when requests arrived.
type script struct {
	mu      sync.Mutex
	answers []answer
	start   time.Time
	at      []time.Duration
	auth    []string
}

type answer struct {
	status int
	header string // "Name: value"
	body   string
	err    error
	takes  time.Duration
}

func play(answers ...answer) *script { return &script{answers: answers, start: time.Now()} }

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	a := s.answers[min(len(s.at), len(s.answers)-1)]
	s.at = append(s.at, time.Since(s.start))
	s.auth = append(s.auth, req.Header.Get("Authorization"))
	s.mu.Unlock()
	if req.Body != nil {
		defer req.Body.Close()
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return nil, err
		}
	}
	if a.takes > 0 {
		select {
		case <-time.After(a.takes):
		case <-req.Context().Done():
			return nil, context.Cause(req.Context())
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	return response(a), nil
}

func (s *script) sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.at)
}

func response(a answer) *http.Response {
	resp := &http.Response{StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.body))}
	if name, value, ok := strings.Cut(a.header, ": "); ok {
		resp.Header.Set(name, value)
	}
	return resp
}

func request(t testing.TB, ctx context.Context, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	require.NoError(t, err)
	return req
}

// get sends a GET. It returns the status code, or 0 and an error if no response came.
func get(t testing.TB, ctx context.Context, rt http.RoundTripper, url string) (int, error) {
	t.Helper()
	return do(rt, request(t, ctx, http.MethodGet, url, nil))
}

func do(rt http.RoundTripper, req *http.Request) (int, error) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, errors.Join(err, resp.Body.Close())
}

// statusError asserts that err is the *StatusError of a request that got no response, and returns
// it.
func statusError(t testing.TB, err error) *lroerrors.StatusError {
	t.Helper()
	se, ok := err.(*lroerrors.StatusError) //nolint:errorlint // the outermost error must have this type
	require.True(t, ok, "%T is not a *StatusError: %v", err, err)
	require.Zero(t, se.StatusCode)
	return se
}

// A closeCounter is a body that counts how many times it is closed.
type closeCounter struct {
	io.Reader
	mu     sync.Mutex
	closed int
}

func (c *closeCounter) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed++
	return nil
}

func (c *closeCounter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

func newTransport(base http.RoundTripper) *transport.Transport {
	return transport.New(&transport.Options{Base: base})
}

// oneCPU runs a test on one CPU. The race detector of Go 1.26 crashes if many goroutines in one
// bubble receive from expired timers, for example after pauses of zero.
func oneCPU(t *testing.T) {
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}
