package pager

import (
	"context"
	"errors"
	"iter"

	lroerrors "github.com/lro-go/lro/errors"
)

// Pages returns an iterator over the remaining pages of the listing. An error ends the iteration.
// It is the same error that [Pager.NextPage] would return.
//
// The loop may end early. The next loop continues after the last page that was yielded or, after an
// error, with the page that failed.
//
// With Options.ReadAhead, a goroutine reads up to that many pages, one at a time, while the loop
// body works on another page. When the loop ends, Pages cancels any request in flight and waits for
// the goroutine to end. The next loop or call gets the pages that were already read ahead. If
// reading ahead failed and no loop or call got the error, Pages discards it, and the next loop or
// call requests that page again.
func (p *Pager[T]) Pages(ctx context.Context) iter.Seq2[Page[T], error] {
	return func(yield func(Page[T], error) bool) {
		p.readingAhead(ctx, func() {
			for p.More() {
				page, err := p.NextPage(ctx)
				if isEnd(err) {
					return
				}
				wantsMore := yield(page, err)
				if err != nil || !wantsMore {
					return
				}
			}
		})
	}
}

// All returns an iterator over the remaining items of the listing. An error ends the iteration. It
// is the same error that [Pager.NextPage] would return.
//
// The loop may end early, even within a page. The next loop or call continues after the last item
// that was yielded. With Options.ReadAhead, the method All reads ahead in the same way as
// [Pager.Pages].
func (p *Pager[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		p.readingAhead(ctx, func() {
			for p.More() {
				if len(p.rest.Items) == 0 {
					page, err := p.take(ctx)
					if isEnd(err) {
						return
					}
					if err != nil {
						var zero T
						yield(zero, err)
						return
					}
					p.rest = page
					continue
				}

				item := p.rest.Items[0]
				p.rest.Items = p.rest.Items[1:]
				if !yield(item, nil) {
					return
				}
			}
		})
	}
}

// isEnd reports whether err is ErrNoMorePages, which NextPage can return even after More has
// returned true.
func isEnd(err error) bool { return errors.Is(err, lroerrors.ErrNoMorePages) }
