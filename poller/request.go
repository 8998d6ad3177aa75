package poller

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/poller/strategy"
)

// overHTTP is the [source] that reads an operation over HTTP.
func (c *core) overHTTP(ctx context.Context, r record) (s sighting) {
	to, limit := c.task(&r)
	ans, err := c.get(ctx, &r, to, limit)
	switch {
	case err != nil:
		return sighting{Answer: c.answer(&r, ans), err: asStatusError(http.MethodGet, string(to), err)}
	case r.Phase == reading:
		s = c.judgeResult(&r, ans)
	default:
		s = c.judgeStatus(&r, ans)
	}
	s.unsent = ans.Held
	return s
}

// get reads a URL, and retries once after a 401, because the Doer may obtain a fresh
// credential for the second request.
func (c *core) get(ctx context.Context, r *record, l exchange.Link, limit wire.Limit) (ans wire.Answer, err error) {
	for i := range 2 {
		req, refused := c.request(r, http.MethodGet, l, nil)
		if refused != nil {
			return wire.Answer{}, refused
		}
		ans, err = wire.Send(ctx, c.client, req, wire.Terms{Origins: c.origins, Header: c.Header, Polling: true, Limit: limit})
		if ans.Held = ans.Held && i == 0; ans.Code != http.StatusUnauthorized || ctx.Err() != nil {
			break
		}
	}
	return ans, err
}

// vet returns an error unless requests to l, with the parsed form u, are allowed. It runs right
// before each request, regardless of where the URL came from.
func (c *core) vet(r *record, l exchange.Link, u *url.URL) error {
	if u == nil || l.IsZero() {
		return lroerrors.ErrNoOperation
	}
	return c.origins.Allow(u, r.Target.IsHTTPS())
}

// A parsedLink is the exchange.Link of a request with its parsed form.
type parsedLink struct {
	exchange.Link
	url *url.URL
}

// parse parses l, unless the last request had the same URL, as most polls have.
func (c *core) parse(l exchange.Link) *url.URL {
	last := c.last.Load()
	if last == nil || last.Link != l {
		last = &parsedLink{l, l.Parse()}
		c.last.Store(last)
	}
	return last.url
}

// request vets l and returns a new request for it, which the Doer may modify.
func (c *core) request(r *record, method string, l exchange.Link, body []byte) (*http.Request, error) {
	u := c.parse(l)
	if err := c.vet(r, l, u); err != nil {
		return nil, err
	}
	req := wire.NewRequest(method, u, body)
	for i, v := range r.Header {
		if v != "" {
			req.Header[exchange.TravellingNames[i]] = []string{v}
		}
	}
	wire.AddHeaders(req.Header, c.Header)
	return req, nil
}

// cancel sends the request that cancels the operation. It does not wait for a read that is in
// flight, so the two may overlap.
func (c *core) cancel(ctx context.Context) error {
	if ctx.Err() != nil {
		return c.stopped(ctx)
	}
	r := c.snapshot()
	switch {
	case r.done():
		return nil
	case c.watched != nil:
		if err := c.watched.stop(ctx, c.status()); err == nil || ctx.Err() == nil {
			return err
		}
		return c.stopped(ctx)
	case r.Status.Unconfirmed && c.CancelRequest == nil:
		return nil
	}
	req, to, err := c.cancelRequest(&r)
	if err != nil {
		return &lroerrors.StatusError{URL: r.Poll.String(), Err: redact.RequestError(ctx, err)}
	}
	var ans wire.Answer
	sent, err := c.request(&r, req.Method, to, req.Body)
	if err == nil {
		ans, err = wire.Send(ctx, c.client, sent, wire.Terms{Origins: c.origins, Header: c.Header, Limit: c.statusLimit()})
	}
	// If the first attempt of a DELETE took effect but its response was lost, the retry gets a
	// 404 or a 410, which therefore means that the service accepted the cancel request.
	gone := req.Method == http.MethodDelete && ans.Sent.Unanswered && (ans.Code == http.StatusNotFound || ans.Code == http.StatusGone)
	switch {
	case ans.Code >= 200 && ans.Code <= 299, slices.Contains(req.OK, ans.Code), gone: // the code is enough, even if the body could not be read
		return nil
	case err != nil && ctx.Err() != nil:
		return c.stopped(ctx)
	case err != nil:
		return asStatusError(req.Method, string(to), err)
	}
	return wire.Refusal(req.Method, ans, nil)
}

// cancelRequest returns the cancel request that the caller's function or the strategy provides,
// and its absolute URL.
func (c *core) cancelRequest(r *record) (*Request, exchange.Link, error) {
	var found *Request
	var err error
	if c.CancelRequest != nil {
		if found, err = c.CancelRequest(c.status()); err != nil {
			return nil, "", fmt.Errorf("CancelRequest: %w", err)
		}
	} else if s, ok := c.Strategy.(strategy.Canceler); ok {
		a := c.answer(r, wire.Answer{})
		a.Poll, a.URL = string(r.monitor()), string(r.monitor())
		if found, err = s.Cancel(a); err != nil {
			return nil, "", err
		}
	}
	if found == nil {
		return nil, "", fmt.Errorf("no cancel request is known for this operation: %w", errors.ErrUnsupported)
	}
	req := *found
	to := r.monitor()
	if c.CancelRequest != nil { // not relative to the monitor's URL: the service chose that URL, but must not choose what this request changes
		to = r.Target
	}
	switch {
	case req.URL != "":
		if to, err = to.Resolve(req.URL); err != nil {
			return nil, "", err
		}
	case c.CancelRequest != nil:
		return nil, "", errors.New("CancelRequest: the URL is empty")
	}
	if len(req.Body) > 0 && !json.Valid(req.Body) {
		return nil, "", errors.New("CancelRequest: the Body is not JSON")
	}
	if req.Method = strings.ToUpper(cmp.Or(req.Method, http.MethodPost)); !isMethod(req.Method) {
		return nil, "", errors.New("CancelRequest: the Method is invalid")
	}
	return &req, to, nil
}
