package pager

import (
	"context"
	"encoding/json"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
)

// A Doer sends a request and returns the response. [*http.Client] and azcore's Transporter are
// Doers. A Doer is responsible for retries, authorization and logging; see package transport. The
// pager limits an *http.Client's redirects to the allowed origins. Any other Doer must limit its
// own redirects.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// A Pager reads a listing page by page and decodes each item into a T. If T is json.RawMessage,
// items keep the JSON that the service sent.
//
// Only one goroutine may use a Pager. Within a loop over Pages or All, that goroutine may also call
// the Pager's methods.
type Pager[T any] struct {
	c   *core
	len int // the number of items on the most recently read page

	// The caller's position.
	rest Page[T] // the current page of All, with only the items that All has not yielded
	at   cursor  // the position before the most recently returned page
	pos  cursor  // the position after that page

	// These fields describe the pages that have been read but not yet returned.
	queue []result[T]   // in order
	ahead *readAhead[T] // nil if no goroutine is reading ahead
	tail  cursor        // the position after the last of these pages; if a goroutine reads ahead, only that goroutine uses tail
}

// A result is a page or an error, and the cursor to continue from.
type result[T any] struct {
	page  Page[T]
	after cursor
	err   error
}

// New returns a pager for a listing whose first page is the response to the given request. New
// itself sends nothing: the pager requests the first page when a call or loop needs it. A nil
// client means transport.NewClient(nil).
//
// The request may use any method, such as POST. New reads the request's body if GetBody is nil, but
// does not otherwise modify the request. The request's context has no effect. If Options.From is
// set, the request may be nil, and then only the origins in Options.Origins are allowed. If the
// request or the options are invalid, every attempt to read a page returns the error.
func New[T any](first *http.Request, client Doer, opts *Options) *Pager[T] {
	return pagerAt[T](newCore(first, nil, client, opts))
}

// Continue returns a pager for a listing whose first page the caller already has, such as the
// result of an operation:
//
//	p, err := poller.Begin[json.RawMessage](req, client, nil)
//	…
//	page, err := p.PollUntilDone(ctx)
//	…
//	pages := pager.Continue[Widget](req, page, client, nil)
//
// The parameter first is the request whose response was the page, or the one that started the
// operation. The pager does not send this request, but allows its origin and resolves the page's
// relative links against its URL. ARM sends absolute links. If a service sends links such as
// "?page=2", pass a GET of the poller's ResultURL as first. If the operation returned no result,
// page is empty, and reading that page fails. If Options.From is set, Continue ignores page.
func Continue[T any](first *http.Request, page json.RawMessage, client Doer, opts *Options) *Pager[T] {
	if page == nil {
		page = json.RawMessage{}
	}
	return pagerAt[T](newCore(first, page, client, opts))
}

func pagerAt[T any](c *core, start cursor) *Pager[T] {
	return &Pager[T]{c: c, at: start, pos: start, tail: start}
}

// More reports whether there is more to read: another page, or items that [Pager.All] has not
// yielded. It sends no request. Before the first page, it returns true.
func (p *Pager[T]) More() bool { return len(p.rest.Items) > 0 || !p.pos.end }

// NextPage reads the next page. If a loop over [Pager.All] ended within a page, NextPage first
// returns the rest of that page's items without a request.
//
// After the last page, the error is ErrNoMorePages. Any other error is a [*lroerrors.StatusError],
// whose Detail is the service's own error, if any. After an error, the position is unchanged, and
// NextPage may be called again.
func (p *Pager[T]) NextPage(ctx context.Context) (Page[T], error) {
	if len(p.rest.Items) > 0 {
		page := p.rest
		p.rest = Page[T]{}
		return page, nil
	}
	return p.take(ctx)
}

// Place returns the current position as text for Options.From: a URL with its query, or "" for the
// beginning. A pager with this Options.From starts with the page that contains the next item. If a
// loop over [Pager.All] ended within a page, the new pager repeats that page's earlier items, but
// misses none. It also rereads pages that were read ahead but not returned.
//
// At the end, the error is ErrNoMorePages. Place also returns an error if the page at that position
// was passed to [Continue], if its link is invalid or has already been followed, or if Options.Next
// failed or returned more than a GET of a URL for that page.
func (p *Pager[T]) Place() (string, error) {
	cur := &p.pos
	if len(p.rest.Items) > 0 {
		cur = &p.at
	}
	if cur.end {
		return "", lroerrors.ErrNoMorePages
	}
	return cur.place, cur.placeErr
}

// take returns the next page and moves the position past it.
func (p *Pager[T]) take(ctx context.Context) (Page[T], error) {
	r := p.receive(ctx)
	if r.err == nil {
		p.at = p.pos
	}
	p.pos = r.after
	return r.page, r.err
}

// receive returns the next page, and reads it now unless it was read ahead.
func (p *Pager[T]) receive(ctx context.Context) result[T] {
	if len(p.queue) > 0 {
		r := p.queue[0]
		p.queue = p.queue[1:]
		return r
	}
	if p.ahead != nil {
		r, ok := p.await(ctx)
		if ok {
			return r
		}
		ended := p.ahead
		p.ahead = nil
		ended.surface()
	}
	r := p.fetch(ctx, p.tail)
	p.tail = r.after
	return r
}

// fetch reads the page at cur and decodes its items.
func (p *Pager[T]) fetch(ctx context.Context, cur cursor) result[T] {
	var items []T
	meta, after, err := p.c.readPage(ctx, cur, func(b []byte) error {
		items = make([]T, 0, p.len) // most pages of a listing have the same size
		return json.Unmarshal(b, &items)
	})
	if err != nil {
		return result[T]{after: after, err: err}
	}
	p.len = len(items)
	return result[T]{
		page:  Page[T]{Items: items, NextLink: meta.NextLink, Count: meta.Count, URL: meta.URL, Header: meta.Header},
		after: after,
	}
}
