package poller

import (
	"fmt"
	"net/http"
	"net/url"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// vet returns an error unless rawURL may be asked.
func (c *core) vet(s *state, rawURL string) error {
	_, _, err := c.vetted(s, rawURL)
	return err
}

// vetted parses rawURL, and returns an error unless it may be asked. It is where every
// URL of a service, a strategy or a token is looked at, right before it is used. A
// plain one is written as its String.
func (c *core) vetted(s *state, rawURL string) (u url.URL, plain bool, err error) {
	u, plain, err = wire.ParseURL(rawURL)
	if err != nil || rawURL == "" {
		return url.URL{}, false, lroerrors.ErrNoOperation
	}
	return u, plain, allow(c.origins, &u, s.Target)
}

// allow returns an error unless u may be asked by an operation on target.
func allow(origins wire.Origins, u *url.URL, target string) error {
	if u.Scheme == "https" {
		return origins.Allow(u, nil) // from wherever: it does not leave https
	}
	from, _ := url.Parse(target) // an unknown target led nowhere
	return origins.Allow(u, from)
}

// leadsHome returns an error unless the request may be sent again by an operation on
// target. The body of one that may not is closed, as that of one that is sent.
func leadsHome(origins wire.Origins, req *http.Request, target string) error {
	err := allow(origins, req.URL, target)
	if err != nil && req.Body != nil {
		req.Body.Close()
	}
	return err
}

// vetToken demands that a token's URL leads to an origin that the caller named.
// The token cannot vouch for itself.
func vetToken(set *settings, s *state, raw string) error {
	u, _, err := wire.ParseURL(raw)
	if err != nil {
		return badToken("it has a URL that cannot be parsed")
	}
	if err := allow(set.origins, &u, s.Target); err != nil {
		return fmt.Errorf("%w; name the origins you trust in Options.Origins", err)
	}
	return nil
}
