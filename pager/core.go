package pager

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/failure"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
)

type rawItem = json.RawMessage

// core is a pager without its item type: everything that sends, limits and
// vets. It is used by one goroutine at a time: the caller's, or the one that
// reads ahead.
type core struct {
	settings
	client Doer
	header http.Header // of the first request, what travels with every page
	seen   map[[16]byte]struct{}
	read   int          // pages
	buf    bytes.Buffer // of the page being read; one at a time
}

// newCore makes the core and the cursor at the start of a listing. given is the
// answer to first, where that is in hand.
func newCore(first *http.Request, given json.RawMessage, client Doer, opts *Options) (*core, cursor) {
	set, err := resolve(opts)
	c := &core{settings: set, seen: map[[16]byte]struct{}{}}
	if err != nil {
		return c, failed(nil, err)
	}
	cur := c.start(first)
	c.client = wire.Guard(wire.OrDefault(client))
	if given != nil && cur.err == nil && c.From == "" {
		cur.given = &wire.Answer{URL: cur.req.URL, Code: http.StatusOK, Header: http.Header{}, Body: wire.WithoutBOM(bytes.Clone(given))}
		cur.placeErr = errors.New("lro: the first page was given: it cannot be asked for again")
	}
	return c, cur
}

// fetch reads the page at cur, has decode take its items, and returns what else
// it tells and the cursor behind it. With an error it returns the cursor to go
// on from, which is before the same page.
func (c *core) fetch(ctx context.Context, cur cursor, decode func(items []byte) error) (Page[rawItem], cursor, error) {
	if cur.again != nil {
		cur = cur.again()
	}
	switch {
	case cur.end:
		return Page[rawItem]{}, cur, lroerrors.ErrNoMorePages
	case cur.err != nil:
		return Page[rawItem]{}, cur, c.told(&cur, 0, cur.err)
	case c.MaxPages > 0 && c.read >= c.MaxPages:
		return Page[rawItem]{}, cur, c.told(&cur, 0, unasked(&cur, lroerrors.ErrTooManyPages))
	}
	ans, err := c.answer(ctx, &cur)
	if err != nil {
		return Page[rawItem]{}, cur, c.told(&cur, ans.Code, err)
	}
	page, doc, err := c.understand(ans, decode)
	if err != nil {
		c.buf = bytes.Buffer{} // the error may hold on to it
		if errors.Is(err, errRefused) {
			err = nil // the code tells it
		}
		return Page[rawItem]{}, cur, c.told(&cur, ans.Code, wire.Refusal(cur.req.Method, ans, err))
	}
	c.read++
	return page, c.after(page, doc, ans), c.told(&cur, ans.Code, nil)
}

// answer is that to cur's request.
func (c *core) answer(ctx context.Context, cur *cursor) (wire.Answer, error) {
	if ctx.Err() != nil {
		return wire.Answer{}, unasked(cur, failure.Context(ctx))
	}
	if cur.given != nil {
		return *cur.given, nil
	}
	ctx = c.origins.Mark(ctx)
	buf := &c.buf
	if c.Next != nil {
		buf = nil // the page's Body is the caller's
	}
	ans, err := wire.SendInto(ctx, c.client, cur.request(), c.limit, buf)
	if err != nil {
		c.buf = bytes.Buffer{} // that of a page beyond the limit is not worth keeping
		if _, ok := errors.AsType[*lroerrors.StatusError](err); !ok {
			err = unasked(cur, err)
		}
	}
	return ans, err
}

// unasked is the error of a page that nothing was learned about.
func unasked(cur *cursor, why error) error {
	if cur.req == nil {
		return &lroerrors.StatusError{Err: why}
	}
	return &lroerrors.StatusError{Method: cur.req.Method, URL: redact.URL(cur.req.URL), Err: why}
}

var errRefused = errors.New("refused")

var errAccepted = errors.New("a 202 begins an operation and is no page: follow it with package poller, and go on with pager.Continue")

// understand reads the page out of an answer.
func (c *core) understand(ans wire.Answer, decode func([]byte) error) (Page[rawItem], document, error) {
	page := Page[rawItem]{URL: ans.URL.String(), Header: ans.Header}
	var doc document
	switch {
	case ans.Code == http.StatusAccepted:
		return page, doc, errAccepted
	case ans.Code < 200 || ans.Code > 299:
		return page, doc, errRefused
	case ans.Code != http.StatusNoContent:
		var err error
		if doc, err = c.parse(ans.Body); err != nil {
			return page, doc, err
		}
	}
	page.NextLink, page.Count = doc.link, doc.count
	if doc.items == nil {
		return page, doc, nil
	}
	return page, doc, decode(doc.items)
}

// after is the cursor behind a page.
func (c *core) after(page Page[rawItem], doc document, ans wire.Answer) cursor {
	if c.Next != nil {
		page.Body = ans.Body
		if err := decodeItems(doc.items, &page.Items); err != nil {
			return failed(ans.URL, err) // cannot be: they have been decoded
		}
		return c.next(page, ans.URL)
	}
	if doc.link == "" {
		c.buf = bytes.Buffer{}
		return cursor{end: true}
	}
	return c.link(ans.URL, doc.link)
}

func decodeItems[T any](items []byte, to *[]T) error {
	if items == nil {
		return nil
	}
	return json.Unmarshal(items, to)
}

// told records one page, and returns err.
func (c *core) told(cur *cursor, code int, err error) error {
	if !c.Logger.Enabled(context.Background(), slog.LevelDebug) {
		return err
	}
	attrs := []any{slog.String("url", cur.where()), slog.Int("code", code), slog.Int("pages", c.read)}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	c.Logger.Debug("lro: page", attrs...)
	return err
}
