package pager

import (
	"context"
	"encoding/json"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
)

// A Doer sends a request and returns the response, as [*http.Client] and the
// Transporter of azcore do. It is where retries, credentials and logs belong:
// see package transport. The redirects of an *http.Client are kept within the
// origins that the pager may ask; those of another Doer are its own affair.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// A Pager reads a listing page by page, each item a T decoded from JSON. A T of
// json.RawMessage stands for the JSON as it came.
//
// A Pager is for one goroutine. Its methods may be called within a loop over its
// own Pages and All.
type Pager[T any] struct {
	c   *core
	len int // of the last page that was read

	// What the caller has been given, and where that is.
	rest Page[T] // of the page that All is in the middle of
	at   cursor  // before the page last given
	pos  cursor  // behind it

	// What has been read beyond that.
	queue []result[T]      // in order
	ahead <-chan result[T] // of the goroutine that reads ahead; nil: there is none
	tail  cursor           // behind all of it; the goroutine's, as long as there is one
}

// A result is one page, or why there is none, and the cursor to go on from.
type result[T any] struct {
	page  Page[T]
	after cursor
	err   error
}

// New makes a pager of the listing that first asks for. It sends nothing: the
// first page is read when it is asked for. first is not changed, and its context
// counts for nothing; it may be a POST. A nil client means
// transport.NewClient(nil).
//
// A first that is nil is fine where Options.From says where to start; the
// origins are then those of Options.Origins alone. A mistake in first or in the
// options is the error of every page.
func New[T any](first *http.Request, client Doer, opts *Options) *Pager[T] {
	return pagerAt[T](newCore(first, nil, client, opts))
}

// Continue is [New] for a listing whose first page is in hand, such as the
// result of an operation that ends in one:
//
//	p, err := poller.Begin[json.RawMessage](req, client, nil)
//	…
//	page, err := p.PollUntilDone(ctx)
//	…
//	pages := pager.Continue[Widget](req, page, client, nil)
//
// first is the request that page is the answer to, or that began the operation.
// It is not sent; its origin is the one that may be asked, and its URL the one
// that a relative link is relative to. ARM's links are absolute; for a service
// whose links are "?page=2", make first a GET of the poller's ResultURL. An empty
// page, which is the result of an operation that has none, is an error of that
// page. Options.From takes the place of both.
func Continue[T any](first *http.Request, page json.RawMessage, client Doer, opts *Options) *Pager[T] {
	if page == nil {
		page = json.RawMessage{}
	}
	return pagerAt[T](newCore(first, page, client, opts))
}

func pagerAt[T any](c *core, start cursor) *Pager[T] {
	return &Pager[T]{c: c, at: start, pos: start, tail: start}
}

// More reports whether there is more to ask for: items that All left, or another
// page. It sends nothing, and is true before the first page.
func (p *Pager[T]) More() bool { return len(p.rest.Items) > 0 || !p.pos.end }

// NextPage reads the next page. Where [Pager.All] was left in the middle of a
// page, it returns the rest of that page first, and sends nothing.
//
// The error is a [*lroerrors.StatusError], with the service's own as its Detail,
// or ErrNoMorePages after the last page. It leaves the pager where it was, and
// NextPage may be called again.
func (p *Pager[T]) NextPage(ctx context.Context) (Page[T], error) {
	if len(p.rest.Items) > 0 {
		page := p.rest
		p.rest = Page[T]{}
		return page, nil
	}
	return p.take(ctx)
}

// Place tells where the pager stands as text, for Options.From: a URL, with its
// query, or "" for the beginning. Whoever has it reads the page that the next
// item is on: where [Pager.All] was left in the middle of a page, that page from
// its start, so that items may come twice and none is missed. Pages that were
// read ahead and not given out do not count.
//
// The error is ErrNoMorePages at the end. There is no place, and an error that
// says so, before a page that was given to [Continue], and where Options.Next
// makes another request than a GET of a URL without headers of its own.
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

// take gives out the next page that was read ahead, or reads it.
func (p *Pager[T]) take(ctx context.Context) (Page[T], error) {
	r := p.receive(ctx)
	if r.err == nil {
		p.at = p.pos
	}
	p.pos = r.after
	return r.page, r.err
}

func (p *Pager[T]) receive(ctx context.Context) result[T] {
	if len(p.queue) > 0 {
		r := p.queue[0]
		p.queue = p.queue[1:]
		return r
	}
	if p.ahead != nil {
		if r, ok := p.await(ctx); ok {
			return r
		}
		p.ahead = nil // ended, after an error or the last page
	}
	r := p.fetch(ctx, p.tail)
	p.tail = r.after
	return r
}

// fetch reads the page at cur, and its items straight into T.
func (p *Pager[T]) fetch(ctx context.Context, cur cursor) result[T] {
	var items []T
	meta, after, err := p.c.fetch(ctx, cur, func(b []byte) error {
		items = make([]T, 0, p.len) // pages of a listing are of a size
		return decodeItems(b, &items)
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
