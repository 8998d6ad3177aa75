package pager

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
)

// send requests the page at cur, unless the caller has passed that page to Continue. The body is
// valid until the next page is requested. With Options.Next, it stays valid even after that.
func (c *core) send(ctx context.Context, cur *cursor) (wire.Answer, error) {
	if ctx.Err() != nil {
		return wire.Answer{}, cur.failure(redact.ContextError(ctx))
	}
	if cur.given != nil {
		return *cur.given, nil
	}
	buf := &c.buf
	if c.Next != nil {
		buf = nil
	}
	ans, err := wire.Send(ctx, c.client, cur.request(), wire.Terms{Origins: c.origins, Header: c.Header, Limit: c.limit, Buf: buf})
	if _, ok := errors.AsType[*lroerrors.StatusError](err); err != nil && !ok {
		err = cur.failure(err)
	}
	return ans, err
}

// request returns a copy of the request, because the Doer may modify it and the page may be
// requested again.
func (c *cursor) request() *http.Request {
	req := c.req.Clone(c.req.Context())
	if len(c.body) > 0 {
		wire.SetBody(req, c.body)
	}
	return req
}

// cursorOf returns the cursor for a caller's request. It reads the body, but does not modify
// the request.
func cursorOf(req *http.Request) (cursor, error) {
	cur := cursor{req: req.Clone(req.Context())}
	cur.req.Body, cur.req.GetBody = nil, nil
	if cur.req.Header == nil {
		cur.req.Header = http.Header{}
	}
	cur.req.Method = exchange.Method(req)
	body, err := req.Body, error(nil)
	if req.GetBody != nil {
		body, err = req.GetBody()
	}
	if err != nil || body == nil || body == http.NoBody {
		return cur, err
	}
	defer body.Close()
	cur.body, err = io.ReadAll(body)
	return cur, err
}

// complete adds the headers that every request has. It returns a failed cursor if the page has
// already been read. If withHeaders is set, requests with different headers are treated as requests
// for different pages, because the requests that Options.Next returns may differ only in their
// headers.
func (c *core) complete(cur cursor, withHeaders bool) cursor {
	cur.digest = digest(&cur, withHeaders)
	if _, repeated := c.read[cur.digest]; repeated {
		return failed(cur.req.URL, lroerrors.ErrRepeatedLink)
	}
	wire.AddMissing(cur.req.Header, c.header)
	wire.AddMissing(cur.req.Header, c.Header)
	return cur
}

// digest returns a hash of the request.
func digest(cur *cursor, withHeaders bool) [16]byte {
	u := *cur.req.URL
	u.Fragment, u.RawFragment = "", "" // a fragment is never sent
	var text bytes.Buffer
	_, _ = fmt.Fprintf(&text, "%s %s\n", cur.req.Method, &u)
	if withHeaders {
		_ = cur.req.Header.WriteSubset(&text, map[string]bool{"Accept": true})
	}
	_, _ = text.Write(cur.body)
	sum := sha256.Sum256(text.Bytes())
	return [16]byte(sum[:])
}
