package pager

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

type rawItem = json.RawMessage

// A core is a pager without its item type: the code that requests, limits and vets. One
// goroutine uses it at a time: the caller's, or the one that reads ahead.
type core struct {
	settings
	client Doer
	header http.Header           // of the first request; sent with every page
	read   map[[16]byte]struct{} // the pages that were read, by the digest of their request
	buf    bytes.Buffer          // for the body of the page that is being read
}

// newCore returns the core and the cursor at the start of a listing. given is the first
// page, if the caller has it.
func newCore(first *http.Request, given json.RawMessage, client Doer, opts *Options) (*core, cursor) {
	set, err := resolve(opts)
	c := &core{settings: set, read: map[[16]byte]struct{}{}}
	if err != nil {
		return c, failed(nil, err)
	}
	cur := c.start(first)
	c.client = wire.Guard(client)
	if given != nil && cur.err == nil && c.From == "" {
		cur.given = &wire.Answer{URL: cur.req.URL, Code: http.StatusOK, Header: http.Header{}, Body: wire.WithoutBOM(bytes.Clone(given))}
		cur.placeErr = errors.New("lro: the first page was passed to pager.Continue and has no place")
	}
	return c, cur
}

// readPage reads the page at cur and passes its items to decode. It returns the page
// without the items, and the cursor after it. With an error, the cursor is before the same
// page. A panic of the caller's code changes nothing: the page can be requested again.
func (c *core) readPage(ctx context.Context, cur cursor, decode func(items []byte) error) (Page[rawItem], cursor, error) {
	if cur.retry != nil {
		cur = cur.retry()
	}
	switch {
	case cur.end:
		return Page[rawItem]{}, cur, lroerrors.ErrNoMorePages
	case cur.err != nil:
		return Page[rawItem]{}, cur, c.logged(&cur, 0, cur.err)
	case c.MaxPages > 0 && len(c.read) >= c.MaxPages && !c.wasRead(cur):
		return Page[rawItem]{}, cur, c.logged(&cur, 0, cur.failure(lroerrors.ErrTooManyPages))
	}
	var after cursor
	defer func() {
		if after.req == nil { // at the end, or after an error or a panic, which may refer to the body
			c.buf = bytes.Buffer{}
		}
	}()
	ans, err := c.send(ctx, &cur)
	if err != nil {
		return Page[rawItem]{}, cur, c.logged(&cur, ans.Code, err)
	}
	page, items, err := c.decode(ans, decode)
	if err != nil || ans.Code < 200 || ans.Code > 299 {
		return Page[rawItem]{}, cur, c.logged(&cur, ans.Code, wire.Refusal(cur.req.Method, ans, err))
	}
	c.read[cur.digest] = struct{}{}
	after = c.after(page, items, ans)
	return page, after, c.logged(&cur, ans.Code, nil)
}

// wasRead reports whether the page at cur was read before, but the caller's code panicked
// after that.
func (c *core) wasRead(cur cursor) bool {
	_, ok := c.read[cur.digest]
	return ok
}

var errAccepted = errors.New("the response starts an operation and is not a page: follow the operation with package poller, then pass its result to pager.Continue")

// decode decodes the page in a response, unless the code means that there is none. It also
// returns the JSON of the items.
func (c *core) decode(ans wire.Answer, decode func([]byte) error) (Page[rawItem], []byte, error) {
	page := Page[rawItem]{URL: ans.URL.String(), Header: ans.Header}
	switch {
	case ans.Code == http.StatusAccepted:
		return page, nil, errAccepted
	case ans.Code < 200, ans.Code > 299, ans.Code == http.StatusNoContent:
		return page, nil, nil
	}
	doc, err := c.parse(ans.Body)
	page.NextLink, page.Count = doc.link, doc.count
	if doc.items != nil { // there was no error
		err = decode(doc.items)
	}
	return page, doc.items, err
}

// after returns the cursor after a page.
func (c *core) after(page Page[rawItem], items []byte, ans wire.Answer) cursor {
	switch {
	case c.Next != nil:
		page.Body = ans.Body
		_ = json.Unmarshal(items, &page.Items) // it fails only if there are none: they were decoded before
		return c.next(page, ans.URL)
	case page.NextLink == "":
		return cursor{end: true}
	}
	return c.link(ans.URL, page.NextLink)
}

// logged logs one read and returns err.
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
