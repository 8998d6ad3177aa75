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

// isOurs reports whether client sends directly through package transport, which obeys the Wishes in
// a context.
func isOurs(client Doer) bool {
	hc, ok := client.(*http.Client)
	if !ok {
		return false
	}
	_, ok = hc.Transport.(*transport.Transport)
	return ok
}
