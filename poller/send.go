package poller

import (
	"bytes"
	"context"
	"net/http"

	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/transport"
)

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

// getOnce is where each read leaves, of a status, a check or a result.
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

// sendCancel sends what cancels the operation. A 401 is the caller's to try again after.
func (c *core) sendCancel(ctx context.Context, s *state, r *Request) (wire.Answer, error) {
	ctx = c.origins.Mark(ctx)
	req, err := c.request(ctx, s, r.Method, r.URL, r.Body)
	if err != nil {
		return wire.Answer{}, err
	}
	return wire.Send(ctx, wire.GuardMarked(c.client), req, c.statusLimit)
}

// sendAgain sends the request that begins an operation, as dependably as Begin did,
// also within a Group: a 503, a 401 or a closed gate that is a failed read there
// would end the operation here.
func (c *core) sendAgain(ctx context.Context, req *http.Request) (wire.Answer, error) {
	ctx = c.origins.Mark(transport.WithPauses(ctx))
	if req.Header == nil {
		req.Header = http.Header{}
	}
	wire.AddMissing(req.Header, c.Header)
	return wire.Send(ctx, wire.GuardMarked(c.client), req, c.resultLimit)
}
