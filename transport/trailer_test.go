package transport_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

// A trailerServer records the body and trailer of each request that arrives over a socket. It
// answers the first request with the given response and all others with 200.
type trailerServer struct {
	*httptest.Server
	first answer
	mu    sync.Mutex
	got   []string
}

func serveTrailers(t *testing.T, proto string, first answer) *trailerServer {
	t.Helper()
	s := &trailerServer{first: first}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.got = append(s.got, r.Proto+" "+r.Method+" "+string(body)+" "+r.Trailer.Get("X-Digest"))
		isFirst := len(s.got) == 1
		s.mu.Unlock()
		if isFirst {
			name, value, _ := strings.Cut(s.first.header, ": ")
			w.Header().Set(name, value)
			w.WriteHeader(s.first.status)
		}
	}))
	s.EnableHTTP2 = proto == "HTTP/2.0"
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// A lateTrailer is a body that sets its request's trailer when it ends.
type lateTrailer struct {
	io.Reader
	req *http.Request
}

func (b lateTrailer) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		b.req.Trailer.Set("X-Digest", "d1")
	}
	return n, err
}

func (lateTrailer) Close() error { return nil }

// bodiesWithTrailers holds functions that set a request's body and trailer in different ways.
var bodiesWithTrailers = map[string]func(req *http.Request){
	"a stream": func(req *http.Request) {
		req.Trailer = http.Header{"X-Digest": nil}
		req.Body = lateTrailer{strings.NewReader("hello"), req}
		req.ContentLength = -1
	},
	"GetBody": func(req *http.Request) {
		req.Trailer = http.Header{"X-Digest": nil}
		req.GetBody = func() (io.ReadCloser, error) { return lateTrailer{strings.NewReader("hello"), req}, nil }
		req.Body, _ = req.GetBody()
	},
	"a known length": func(req *http.Request) {
		req.Trailer = http.Header{"X-Digest": {"d1"}}
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("hello")), nil }
		req.Body, _ = req.GetBody()
		req.ContentLength = 5
	},
	"a stream of a known length": func(req *http.Request) {
		req.Trailer = http.Header{"X-Digest": {"d1"}}
		req.Body = io.NopCloser(strings.NewReader("hello"))
		req.ContentLength = 5
	},
}

// Every attempt sends the trailers.
func TestTrailersArrive(t *testing.T) {
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
		for name, setBody := range bodiesWithTrailers {
			t.Run(proto+" "+name, func(t *testing.T) {
				s := serveTrailers(t, proto, answer{status: 503, header: "Retry-After: 0"})
				client := transport.NewClient(&transport.Options{Base: s.Client().Transport})
				req := request(t, t.Context(), "PUT", s.URL, nil)
				setBody(req)
				resp, err := client.Do(req)
				require.NoError(t, err)
				defer resp.Body.Close()
				require.Equal(t, 200, resp.StatusCode)
				require.Equal(t, []string{proto + " PUT hello d1", proto + " PUT hello d1"}, s.got)
			})
			t.Run(proto+" once "+name, func(t *testing.T) {
				s := serveTrailers(t, proto, answer{status: 200})
				client := transport.NewClient(&transport.Options{Base: s.Client().Transport, Retries: -1})
				req := request(t, t.Context(), "PUT", s.URL, nil)
				setBody(req)
				resp, err := client.Do(req)
				require.NoError(t, err)
				defer resp.Body.Close()
				require.Equal(t, []string{proto + " PUT hello d1"}, s.got)
			})
		}
	}
}

// If a client sends the request body again after a redirect, the Transport also sends the trailer
// again. After a 303, the request has neither.
func TestTrailersFollowRedirect(t *testing.T) {
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
		for status, second := range map[int]string{307: " PUT hello d1", 308: " PUT hello d1", 303: " GET  "} {
			for _, name := range []string{"GetBody", "a known length"} {
				s := serveTrailers(t, proto, answer{status: status, header: "Location: ?again"})
				client := transport.NewClient(&transport.Options{Base: s.Client().Transport})
				req := request(t, t.Context(), "PUT", s.URL, nil)
				bodiesWithTrailers[name](req)
				resp, err := client.Do(req)
				require.NoError(t, err)
				defer resp.Body.Close()
				require.Equal(t, []string{proto + " PUT hello d1", proto + second}, s.got)
			}
		}
	}
}

// The Transport does not send a request that has trailers but no body.
func TestTrailersNeedBody(t *testing.T) {
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		base := play(answer{status: 200})
		req := request(t, t.Context(), "PUT", readURL, nil)
		req.Body = body
		req.Trailer = http.Header{"X-Digest": {"d1"}}
		_, err := do(newTransport(base), req)
		require.ErrorIs(t, statusError(t, err), lroerrors.ErrNotSent)
		require.ErrorContains(t, err, "a request with trailers needs a body")
		require.Zero(t, base.sent())
	}
}

// The Transport does not change the Trailer or ContentLength of the caller's request.
func TestTrailersLeaveRequestAlone(t *testing.T) {
	s := serveTrailers(t, "HTTP/1.1", answer{status: 200})
	req := request(t, t.Context(), "PUT", s.URL, nil)
	bodiesWithTrailers["a known length"](req)
	code, err := do(newTransport(s.Client().Transport), req)
	require.NoError(t, err)
	require.Equal(t, 200, code)
	require.EqualValues(t, 5, req.ContentLength)
	require.Equal(t, http.Header{"X-Digest": {"d1"}}, req.Trailer)
}
