package security

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A rig is a RoundTripper that replaces the network. It records and answers every request, for any
// host.
type rig struct {
	mu      sync.Mutex
	replies map[string][]answer // keyed by "METHOD /path"; the last reply is repeated
	asked   []asked
}

type answer struct {
	code   int
	header map[string]string // response headers; they may contain bytes that a real connection could not transmit
	body   string
}

type asked struct{ method, scheme, host, port, hostHeader, uri, auth string }

func (r *rig) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		req.Body.Close()
	}
	u := req.URL
	r.mu.Lock()
	r.asked = append(r.asked, asked{
		req.Method, u.Scheme, u.Hostname(), u.Port(), req.Host, u.RequestURI(), req.Header.Get("Authorization"),
	})
	what := req.Method + " " + u.Path
	next := answer{code: http.StatusNotFound, body: `{"error":{"code":"NotFound"}}`}
	if list := r.replies[what]; len(list) > 0 {
		next = list[0]
		if len(list) > 1 {
			r.replies[what] = list[1:]
		}
	}
	r.mu.Unlock()
	resp := &http.Response{
		StatusCode: next.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(next.body)), ContentLength: int64(len(next.body)), Request: req,
	}
	for name, v := range next.header {
		resp.Header[http.CanonicalHeaderKey(name)] = []string{v}
	}
	return resp, nil
}

// requireHome fails the test unless all requests, and thus all credentials, went to the home
// origin. If the second parameter is not empty, it is another host that requests may go to.
func (r *rig) requireHome(t *testing.T, also string, msg ...any) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, a := range r.asked {
		require.Equal(t, "https", a.scheme, msg...)
		require.True(t, i > 0 || a.auth != "", "the first request has a credential")
		if also != "" && strings.EqualFold(a.host, also) {
			continue
		}
		require.Equal(t, homeHost, strings.ToLower(a.host), msg...)
		require.Contains(t, []string{"", homeHost}, strings.ToLower(strings.Split(a.hostHeader, ":")[0]), msg...)
		if a.port != "" {
			n, err := strconv.Atoi(a.port)
			require.NoError(t, err)
			require.Equal(t, 443, n, msg...)
		}
	}
}

// lastRequestToH returns the URI of the last request to the path /h, or "".
func (r *rig) lastRequestToH() (uri string) {
	for _, a := range r.asked {
		if before, _, _ := strings.Cut(a.uri, "?"); before == "/h" {
			uri = a.uri
		}
	}
	return uri
}

const canary = "CANARY-bearer-0123456789"

const (
	ourClient   = "transport.NewClient"
	plainClient = "http.Client"
	theirDoer   = "a Doer above transport.New" // the poller cannot set this Doer's redirect policy, but the Transport rejects redirects to other origins
)

// clients has a constructor for each kind of client that callers use.
var clients = map[string]func(*rig) poller.Doer{
	ourClient:   func(r *rig) poller.Doer { return transport.NewClient(transportOptions(r)) },
	plainClient: func(r *rig) poller.Doer { return &http.Client{Transport: r} },
	theirDoer: func(r *rig) poller.Doer {
		return doer{&http.Client{Transport: transport.New(transportOptions(r))}}
	},
}

func transportOptions(r *rig) *transport.Options {
	return &transport.Options{
		Base:         r,
		FollowWrites: true, // so that redirects of writes are also tested
		Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
			return transport.Token{Value: canary}, nil
		},
	}
}

type doer struct{ c *http.Client }

func (d doer) Do(req *http.Request) (*http.Response, error) { return d.c.Do(req) }
