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

// send requests the page at cur, unless the caller passed that page to Continue. Without
// Options.Next, the next call to send overwrites the body of the answer.
func (c *core) send(ctx context.Context, cur *cursor) (wire.Answer, error) {
	if ctx.Err() != nil {
		return wire.Answer{}, cur.failure(redact.ContextError(ctx))
	}
	if cur.given != nil {
		return *cur.given, nil
	}

	terms := wire.Terms{Origins: c.origins, Header: c.Header, Limit: c.limit}
	if c.Next == nil {
		terms.Buf = &c.buf
	}
	ans, err := wire.Send(ctx, c.client, cur.request(), &terms)
	if err == nil {
		return ans, nil
	}
	if _, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		return ans, err
	}
	return ans, cur.failure(err)
}

// request returns a copy of the cursor's request, so that a retry can use the original even if the
// Doer modifies the copy.
func (c *cursor) request() *http.Request {
	req := c.req.Clone(c.req.Context())
	if len(c.body) > 0 {
		wire.SetBody(req, c.body)
	}
	if len(req.Trailer) > 0 {
		req.ContentLength = -1 // net/http sends trailers only if the length is unknown
	}
	return req
}

// cursorOf returns the cursor for a caller's request. It may read the request's body to the end but
// does not otherwise modify the request.
func cursorOf(req *http.Request) (cursor, error) {
	cur := cursor{req: req.Clone(req.Context())}
	cur.req.Body = nil
	cur.req.GetBody = nil
	if cur.req.Header == nil {
		cur.req.Header = http.Header{}
	}
	cur.req.Method = exchange.Method(req)

	body, err := bodyOf(req)
	if err != nil || body == nil || body == http.NoBody {
		return cur, err
	}
	defer body.Close()
	cur.body, err = io.ReadAll(body)
	cur.req.Trailer = req.Trailer.Clone() // reading the body may have set the trailer's values
	return cur, err
}

// bodyOf returns a copy of the body if GetBody is set, and the body itself otherwise.
func bodyOf(req *http.Request) (io.ReadCloser, error) {
	if req.GetBody != nil {
		return req.GetBody()
	}
	return req.Body, nil
}

// complete sets the cursor's digest and adds the headers that all requests share. If the page has
// already been read, it returns a failed cursor instead.
func (c *core) complete(cur cursor, digest [16]byte) cursor {
	cur.digest = digest
	if _, repeated := c.read[cur.digest]; repeated {
		return failed(cur.req.URL, lroerrors.ErrRepeatedLink)
	}
	wire.AddMissing(cur.req.Header, c.header)
	wire.AddMissing(cur.req.Header, c.Header)
	return cur
}

// digestOf returns a hash of the request without its headers.
func digestOf(cur *cursor) [16]byte { return digest(cur, nil) }

// digestWithHeaders returns a hash of the request with its headers, because requests from
// Options.Next may differ only in their headers.
func digestWithHeaders(cur *cursor) [16]byte { return digest(cur, cur.req.Header) }

func digest(cur *cursor, header http.Header) [16]byte {
	u := *cur.req.URL
	u.Fragment = "" // a fragment is never sent
	u.RawFragment = ""

	var text bytes.Buffer
	_, _ = fmt.Fprintf(&text, "%s %s\n", cur.req.Method, &u)
	_ = header.WriteSubset(&text, map[string]bool{"Accept": true})
	_, _ = text.Write(cur.body)
	sum := sha256.Sum256(text.Bytes())
	return [16]byte(sum[:])
}
