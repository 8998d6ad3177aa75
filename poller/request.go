package poller

import (
	"bytes"
	"context"
	"net/http"
	"net/url"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/transport"
)

// vet returns an error unless rawURL may be asked. It is where every URL of a
// service, a strategy or a token is looked at, right before it is used.
func (c *core) vet(s *state, rawURL string) error {
	u, err := url.Parse(rawURL)
	if err != nil || rawURL == "" {
		return lroerrors.ErrNoOperation
	}
	from, _ := url.Parse(s.Target) // an unknown target led nowhere
	return c.origins.Allow(u, from)
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
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	addHeader(req.Header, s.Header)
	addHeader(req.Header, c.Header)
	return req, nil
}

// addHeader sets all of what h holds.
func addHeader(to, h http.Header) {
	for name, values := range h {
		to[http.CanonicalHeaderKey(name)] = values
	}
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
	ctx = transport.WithPolling(transport.WithOrigins(ctx, c.origins.List()...))
	req, err := c.request(ctx, s, http.MethodGet, rawURL, nil)
	if err != nil {
		return wire.Answer{}, err
	}
	return wire.Send(ctx, c.client, req, limit)
}
