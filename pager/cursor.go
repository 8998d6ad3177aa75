package pager

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
)

// A cursor is a place in a listing: before a page, or at the end. It is not
// changed after its making.
type cursor struct {
	end bool

	req  *http.Request // for the page; without a body, and nil in an err
	body []byte        // of req
	err  error         // why the page cannot be asked for

	given *wire.Answer  // the page itself, in hand
	again func() cursor // makes the request that could not be made so far

	place    string // that Options.From takes up; "" for the first request
	placeErr error  // why there is none
}

// where is the page's URL, for people.
func (c *cursor) where() string {
	switch {
	case c.req != nil:
		return redact.URL(c.req.URL)
	case c.given != nil:
		return redact.URL(c.given.URL)
	}
	return "a page that cannot be asked for"
}

// failed is a cursor before a page that cannot be asked for. u is its URL, or
// nil.
func failed(u *url.URL, err error) cursor {
	return cursor{
		err:      &lroerrors.StatusError{Method: http.MethodGet, URL: redact.URL(u), Err: err},
		placeErr: err,
	}
}

// start is the cursor that a listing begins at.
func (c *core) start(first *http.Request) cursor {
	if first != nil && first.URL != nil {
		origins, err := c.origins.With(first.URL)
		if err != nil {
			return failed(first.URL, err)
		}
		c.origins, c.header = origins, wire.Travelling(first.Header)
	}
	switch {
	case c.From != "":
		return c.from(first)
	case first == nil || first.URL == nil:
		return failed(nil, errors.New("there is no request to begin with"))
	}
	cur, err := cursorOf(first)
	if err != nil {
		return failed(first.URL, err)
	}
	c.adopt(&cur, false)
	return cur
}

// from is the cursor at a stored place. Whoever stored it may have forged it, so
// that it vouches for nothing.
func (c *core) from(first *http.Request) cursor {
	var base *url.URL
	if first != nil {
		base = first.URL
	}
	return c.link(base, c.From)
}

// link is the cursor of a link on the page that base is the URL of.
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
	if err := c.origins.Allow(u, base); err != nil {
		cur := failed(u, err)
		cur.place, cur.placeErr = place, nil // wider origins may go on from there
		return cur
	}
	return c.unread(cursor{req: wire.NewRequest(http.MethodGet, u, nil), place: place}, false)
}

// next is the cursor of the request that Options.Next makes of a page.
func (c *core) next(page Page[rawItem], base *url.URL) cursor {
	again := func() cursor { return c.next(page, base) }
	req, err := c.Next(page)
	if err != nil {
		cur := failed(base, fmt.Errorf("making the request for the next page: %w", err))
		cur.again = again
		return cur
	}
	if req == nil {
		return cursor{end: true}
	}
	if err := c.origins.Allow(req.URL, base); err != nil {
		return failed(req.URL, err)
	}
	cur, err := cursorOf(req)
	if err != nil {
		return failed(req.URL, err)
	}
	cur.place, cur.placeErr = placeOf(&cur)
	return c.unread(cur, true)
}

// placeOf returns the place of a request of the caller's, if a GET of its URL
// asks for the same page.
func placeOf(cur *cursor) (string, error) {
	h := cur.req.Header.Clone()
	h.Del("Accept")
	if cur.req.Method != http.MethodGet || len(cur.body) > 0 || len(h) > 0 {
		return "", errors.New("lro: the next page is not asked for by a GET of a URL: store what Options.Next makes its request of")
	}
	return cur.req.URL.String(), nil
}

// cursorOf is the cursor of a request of the caller's, which is not changed, except
// that a body that cannot be read twice is read.
func cursorOf(req *http.Request) (cursor, error) {
	cur := cursor{req: req.Clone(req.Context())}
	cur.req.Body, cur.req.GetBody = nil, nil
	if cur.req.Header == nil {
		cur.req.Header = http.Header{}
	}
	if cur.req.Method == "" {
		cur.req.Method = http.MethodGet
	}
	body := req.Body
	if req.GetBody != nil {
		var err error
		if body, err = req.GetBody(); err != nil {
			return cursor{}, err
		}
	}
	if body == nil || body == http.NoBody {
		return cur, nil
	}
	defer body.Close()
	var err error
	cur.body, err = io.ReadAll(body)
	return cur, err
}

// unread returns cur, unless it is of a page that has been read. Until it is
// adopted it may be made again.
func (c *core) unread(cur cursor, headers bool) cursor {
	if _, seen := c.seen[digest(&cur, headers)]; seen {
		return failed(cur.req.URL, lroerrors.ErrRepeatedLink)
	}
	c.adopt(&cur, headers)
	return cur
}

// adopt remembers cur's request, and adds to it what travels with each.
func (c *core) adopt(cur *cursor, headers bool) {
	c.seen[digest(cur, headers)] = struct{}{}
	wire.AddMissing(cur.req.Header, c.header)
	wire.AddMissing(cur.req.Header, c.Header)
}

// digest tells requests apart. Of a link's the URL does; what Options.Next
// makes may differ in the headers alone.
func digest(cur *cursor, headers bool) (sum [16]byte) {
	h := sha256.New()
	u := *cur.req.URL
	u.Fragment, u.RawFragment = "", "" // is not sent
	_, _ = fmt.Fprintf(h, "%s %s\n", cur.req.Method, &u)
	if headers {
		var lines []string
		for name, values := range cur.req.Header {
			if name != "Accept" {
				lines = append(lines, fmt.Sprintf("%s: %q\n", name, values))
			}
		}
		slices.Sort(lines)
		for _, line := range lines {
			_, _ = io.WriteString(h, line)
		}
	}
	_, _ = h.Write(cur.body)
	copy(sum[:], h.Sum(nil))
	return sum
}

// request builds one attempt of the request for cur's page: the Doer may change it, and
// the page can be requested again.
func (c *cursor) request() *http.Request {
	req := c.req.Clone(c.req.Context())
	if len(c.body) > 0 {
		wire.SetBody(req, c.body)
	}
	return req
}
