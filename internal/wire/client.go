package wire

import (
	"net/http"
	"sync"

	"github.com/lro-go/lro/transport"
)

// defaultClient is the client of all pollers and pagers that were created without one. They share
// its connections and its throttle gate.
var defaultClient = sync.OnceValue(func() *http.Client {
	return &http.Client{Transport: transport.New(nil), CheckRedirect: marked}
})

// Guard returns a copy of client that limits redirects to the origins in the context of the
// request (see [Origins.Mark]). Otherwise, net/http would follow a redirect to any origin. The
// caller's own CheckRedirect applies as well. Guard returns the default client if client is nil
// or a nil *http.Client, and any other Doer unchanged.
func Guard(client Doer) Doer {
	hc, ok := client.(*http.Client)
	switch {
	case client == nil, ok && hc == nil:
		return defaultClient()
	case !ok:
		return client
	}
	guarded := *hc
	guarded.CheckRedirect = marked
	if theirs := hc.CheckRedirect; theirs != nil {
		guarded.CheckRedirect = func(req *http.Request, via []*http.Request) error {
			if err := marked(req, via); err != nil {
				return err
			}
			return theirs(req, via)
		}
	}
	return &guarded
}

// marked allows redirects to the origins that the context of a request carries.
var marked = transport.CheckRedirect()

// ours returns client if it sends directly through package transport, which obeys the Settings in a
// context. Otherwise, ours returns nil.
func ours(client Doer) *http.Client {
	if hc, ok := client.(*http.Client); ok {
		if _, ok := hc.Transport.(*transport.Transport); ok {
			return hc
		}
	}
	return nil
}

// do is like client.Do, but its error need not be a *url.Error. If client is ours and adds nothing to
// the request, do uses it only for a 3xx, because an http.Client copies the headers and the URL of
// every request in case the response is a redirect.
func do(client Doer, req *http.Request) (*http.Response, error) {
	hc := ours(client)
	if hc == nil || hc.Jar != nil || hc.Timeout != 0 || req.URL.User != nil || req.RequestURI != "" {
		return client.Do(req)
	}
	first, err := hc.Transport.RoundTrip(req)
	if err != nil || first.StatusCode < 300 || first.StatusCode > 399 {
		return first, err
	}
	follower := *hc
	follower.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
		if resp := first; resp != nil {
			first = nil
			return resp, nil
		}
		return hc.Transport.RoundTrip(req)
	})
	return follower.Do(req)
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
