package wire

import (
	"net/http"
	"sync"

	"github.com/lro-go/lro/transport"
)

// defaultTransport is one for all pollers and pagers without a client, so that
// they share connections and the throttle gate.
var defaultTransport = sync.OnceValue(func() *transport.Transport { return transport.New(nil) })

// OrDefault returns the Doer of callers that name none, or name a nil
// *http.Client. Its redirects are left to Guard.
func OrDefault(client Doer) Doer {
	if hc, ok := client.(*http.Client); client != nil && (!ok || hc != nil) {
		return client
	}
	return &http.Client{Transport: defaultTransport()}
}

// Guard gives a *http.Client a redirect policy that stays within the origins,
// for net/http's own follows a redirect anywhere. The caller's policy still has
// its say. Another Doer's redirects are its own affair.
func Guard(client Doer, origins Origins) Doer {
	return guard(client, transport.CheckRedirect(origins.List()...))
}

// GuardMarked is Guard for requests whose context is marked with their origins. It
// makes next to nothing, for one who guards a hundred thousand times.
func GuardMarked(client Doer) Doer { return guard(client, stayAtHome) }

func guard(client Doer, ours func(*http.Request, []*http.Request) error) Doer {
	hc, ok := client.(*http.Client)
	if !ok {
		return client
	}
	guarded := *hc
	guarded.CheckRedirect = ours
	if theirs := hc.CheckRedirect; theirs != nil {
		guarded.CheckRedirect = func(req *http.Request, via []*http.Request) error {
			if err := ours(req, via); err != nil {
				return err
			}
			return theirs(req, via)
		}
	}
	return &guarded
}

// stayAtHome allows the origins that the context is marked with.
var stayAtHome = transport.CheckRedirect()
