package pager

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
)

// A cursor is a position in a listing: before a page or at the end. It is immutable.
type cursor struct {
	end bool

	req    *http.Request // the request for the page, without its body; nil at the end or if err is set
	body   []byte        // the body of req
	digest [16]byte      // a hash of the request, to detect a repeated link
	err    error         // why the page cannot be requested

	given *wire.Answer  // the page, if the caller has passed it to Continue
	retry func() cursor // calls Options.Next again; nil unless Options.Next has failed

	place    string // the value for Options.From; "" for the first request
	placeErr error  // why there is no value for Options.From
}

// where returns, for logs and String, the URL of the page without its query, or a note that the
// page cannot be requested.
func (c *cursor) where() string {
	if c.req == nil {
		return "a page that cannot be requested"
	}
	return redact.URL(c.req.URL)
}

// failure wraps err in a *StatusError for the page at c.
func (c *cursor) failure(err error) error {
	if c.req == nil {
		return &lroerrors.StatusError{Err: err}
	}
	return &lroerrors.StatusError{Method: c.req.Method, URL: redact.URL(c.req.URL), Err: err}
}

// failed returns the cursor before a page that cannot be requested because of err. Its error names
// u, which is the URL of that page or, if that is unknown, the URL that led to it. u may be nil.
func failed(u *url.URL, err error) cursor {
	return cursor{
		err:      &lroerrors.StatusError{Method: http.MethodGet, URL: redact.URL(u), Err: err},
		placeErr: err,
	}
}

// start returns the cursor before the first page to read: the page at Options.From or, if that is
// not set, the response to the first request.
func (c *core) start(first *http.Request) cursor {
	var base *url.URL
	if first != nil {
		base = first.URL
	}
	if base != nil {
		origins, err := c.origins.With(base)
		if err != nil {
			return failed(base, err)
		}
		c.origins = origins
		c.header = exchange.PropagatedOf(first.Header).Header()
	}

	if c.From != "" {
		return c.link(base, c.From) // the place may be forged, but the method link checks its origin
	}
	if base == nil {
		return failed(nil, errors.New("the first request is nil, and Options.From is not set"))
	}
	cur, err := cursorOf(first)
	if err != nil {
		return failed(base, err)
	}
	return c.complete(cur, digestOf(&cur))
}

// link returns the cursor before the page at ref. It resolves a relative ref against base: the URL
// of the page with the link or of the first request. base may be nil.
func (c *core) link(base *url.URL, ref string) cursor {
	u, err := url.Parse(ref)
	if err != nil {
		return failed(base, errors.New("the link to the next page is not a valid URL"))
	}

	place := ref
	if !u.IsAbs() && base != nil {
		u = base.ResolveReference(u)
		place = u.String()
	}
	if err := c.origins.Allow(u, exchange.IsHTTPS(base)); err != nil {
		cur := failed(u, err)
		cur.place = place // a pager that allows more origins can continue from this place
		cur.placeErr = nil
		return cur
	}
	req := &http.Request{}
	wire.SetRequest(req, http.MethodGet, u, nil, exchange.Propagated{})
	cur := cursor{req: req, place: place}
	return c.complete(cur, digestOf(&cur))
}

// next calls Options.Next and returns the cursor for the resulting request.
func (c *core) next(page Page[rawItem], base *url.URL) cursor {
	req, err := c.Next(page)
	if err != nil {
		cur := failed(base, fmt.Errorf("building the request for the next page: %w", err))
		cur.retry = func() cursor { return c.next(page, base) }
		return cur
	}
	if req == nil {
		return cursor{end: true}
	}

	if err := c.origins.Allow(req.URL, exchange.IsHTTPS(base)); err != nil {
		return failed(req.URL, err)
	}
	cur, err := cursorOf(req)
	if err != nil {
		return failed(req.URL, err)
	}
	cur.place, cur.placeErr = placeOf(&cur)
	return c.complete(cur, digestWithHeaders(&cur))
}

// placeOf returns the place of a request from Options.Next, or an error if it is not a plain GET.
func placeOf(cur *cursor) (string, error) {
	h := cur.req.Header.Clone()
	h.Del("Accept")
	isPlainGet := cur.req.Method == http.MethodGet && len(cur.body) == 0 && len(h) == 0
	if !isPlainGet {
		return "", errors.New("lro: there is no place, because the request for the next page is more than a GET of a URL: store the input of Options.Next instead")
	}
	return cur.req.URL.String(), nil
}
