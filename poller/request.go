package poller

import (
	"bytes"
	"context"
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

// vetted parses rawURL, and returns an error unless it may be asked. A plain one is
// written as its String. It is where every URL of a service, a strategy or a token is
// looked at, right before it is used.
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

// request builds a request of ours, after vetting where it goes.
func (c *core) request(ctx context.Context, s *state, method, rawURL string, body []byte) (*http.Request, error) {
	if err := c.vet(s, rawURL); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, rawURL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", wire.JSON)
	if len(body) > 0 {
		req.Header.Set("Content-Type", wire.JSON)
	}
	wire.AddHeaders(req.Header, s.Header)
	wire.AddHeaders(req.Header, c.Header)
	return req, nil
}

// get sends a GET, and once more after a 401: the Doer may find fresh
// authorization for the second.
func (c *core) get(ctx context.Context, s *state, rawURL string, limit wire.Limit) (wire.Answer, error) {
	ans, err := c.getOnce(ctx, s, rawURL, limit)
	if ans.Code != http.StatusUnauthorized {
		return ans, err
	}
	if ctx.Err() != nil {
		return ans, wire.ContextError(ctx)
	}
	return c.getOnce(ctx, s, rawURL, limit)
}

func (c *core) getOnce(ctx context.Context, s *state, rawURL string, limit wire.Limit) (wire.Answer, error) {
	u, plain, err := c.vetted(s, rawURL)
	if err != nil {
		return wire.Answer{}, err
	}
	ans, err := wire.Get(ctx, wire.GuardMarked(c.client), c.origins, u, limit, s.Header, c.Header)
	if plain && ans.URL != nil && *ans.URL == u {
		ans.Text = rawURL // nothing led elsewhere
	}
	return ans, err
}
