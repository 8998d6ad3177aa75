package pager

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/wire"
)

type rawItem = json.RawMessage

// A core is the part of a Pager that does not depend on the item type. Only one goroutine uses a
// core at a time.
type core struct {
	settings
	client Doer
	header http.Header           // headers copied from the first request to every later one
	read   map[[16]byte]struct{} // digests of the requests whose pages were read
	buf    bytes.Buffer          // buffer for the body of the page being read
}

// newCore returns the core and the cursor before the first page to read. The second parameter is
// the page that the caller passed to Continue, if any.
func newCore(first *http.Request, given json.RawMessage, client Doer, opts *Options) (*core, cursor) {
	set, err := resolve(opts)
	c := &core{settings: set, read: map[[16]byte]struct{}{}}
	if err != nil {
		return c, failed(nil, err)
	}
	cur := c.start(first)
	c.client = wire.Guard(client)
	startsAtGiven := given != nil && c.From == ""
	if startsAtGiven && cur.err == nil {
		cur.given = &wire.Answer{
			URL:    cur.req.URL,
			Code:   http.StatusOK,
			Header: http.Header{},
			Body:   wire.WithoutBOM(bytes.Clone(given)),
		}
		cur.placeErr = errors.New("lro: the first page has no place, because it was passed to pager.Continue")
	}
	return c, cur
}

// readPage reads the page at cur and passes its items to decodeItems. It returns the cursor after
// the page, and the page itself without its items. On error, it returns the cursor before the page
// instead.
func (c *core) readPage(ctx context.Context, cur cursor, decodeItems func(items []byte) error) (Page[rawItem], cursor, error) {
	if cur.retry != nil {
		cur = cur.retry()
	}
	if cur.end {
		return Page[rawItem]{}, cur, lroerrors.ErrNoMorePages
	}
	if cur.err != nil {
		return Page[rawItem]{}, cur, c.logged(&cur, 0, cur.err)
	}
	if c.isTooMany(cur) {
		return Page[rawItem]{}, cur, c.logged(&cur, 0, cur.failure(lroerrors.ErrTooManyPages))
	}

	var after cursor
	defer func() {
		// Release the buffer after the last page, an error or a panic.
		if after.req == nil {
			c.buf = bytes.Buffer{}
		}
	}()
	ans, err := c.send(ctx, &cur)
	if err != nil {
		return Page[rawItem]{}, cur, c.logged(&cur, ans.Code, err)
	}
	page, items, err := c.decode(ans, decodeItems)
	if err != nil || !isSuccess(ans.Code) {
		return Page[rawItem]{}, cur, c.logged(&cur, ans.Code, wire.Refusal(cur.req.Method, ans, err))
	}
	c.read[cur.digest] = struct{}{}
	after = c.after(page, items, ans)
	return page, after, c.logged(&cur, ans.Code, nil)
}

// isTooMany reports whether reading the page at cur would exceed Options.MaxPages.
func (c *core) isTooMany(cur cursor) bool {
	isFull := c.MaxPages > 0 && len(c.read) >= c.MaxPages
	return isFull && !c.wasRead(cur)
}

// wasRead reports whether the page at cur has already been read. This can be the case if the
// caller's code panicked after the read.
func (c *core) wasRead(cur cursor) bool {
	_, ok := c.read[cur.digest]
	return ok
}

var errAccepted = errors.New("the response is not a page but starts an operation: follow it with package poller and pass its result to pager.Continue")

// decode decodes the page in a response and passes its items to decodeItems. It also returns the
// items as JSON. If the status code shows that there is no page, it decodes nothing.
func (c *core) decode(ans wire.Answer, decodeItems func([]byte) error) (Page[rawItem], []byte, error) {
	page := Page[rawItem]{URL: ans.URL.String(), Header: ans.Header}
	if ans.Code == http.StatusAccepted {
		return page, nil, errAccepted
	}
	hasPage := isSuccess(ans.Code) && ans.Code != http.StatusNoContent
	if !hasPage {
		return page, nil, nil
	}

	doc, err := c.parse(ans.Body)
	if err != nil {
		return page, nil, err
	}
	page.NextLink = doc.link
	page.Count = doc.count
	if doc.items == nil {
		return page, nil, nil
	}
	return page, doc.items, decodeItems(doc.items)
}

func isSuccess(code int) bool { return 200 <= code && code <= 299 }

func (c *core) after(page Page[rawItem], items []byte, ans wire.Answer) cursor {
	if c.Next != nil {
		page.Body = ans.Body
		_ = json.Unmarshal(items, &page.Items) // fails only if items is nil, because decodeItems has already succeeded
		return c.next(page, ans.URL)
	}
	if page.NextLink == "" {
		return cursor{end: true}
	}
	link := page.NextLink
	if exchange.IsHTTPS(ans.URL) {
		link = c.origins.Upgrade(link)
	}
	return c.link(ans.URL, link)
}

// logged logs the attempt to read the page at cur, at level Debug, and returns err.
func (c *core) logged(cur *cursor, code int, err error) error {
	if !c.Logger.Enabled(context.Background(), slog.LevelDebug) {
		return err
	}
	attrs := []any{slog.String("url", cur.where()), slog.Int("code", code), slog.Int("pages", len(c.read))}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	c.Logger.Debug("lro: page", attrs...)
	return err
}
