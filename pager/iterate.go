package pager

import (
	"context"
	"errors"
	"iter"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/failure"
)

// Pages returns an iterator over the remaining pages of the listing. An error ends the
// iteration; it is the error that [Pager.NextPage] would return.
//
// The loop may end early. The next loop continues after the last page that was yielded,
// or, after an error, with the page that failed.
//
// With Options.ReadAhead, a goroutine reads up to that many pages, one after the other,
// while the caller works on another page. When the loop ends, it cancels the request in
// progress, if there is one, and waits until the goroutine has ended. Pages that were read
// ahead are kept for the next loop or call. An error that no caller has seen is dropped,
// and the page is requested again.
func (p *Pager[T]) Pages(ctx context.Context) iter.Seq2[Page[T], error] {
	return func(yield func(Page[T], error) bool) {
		defer p.readAhead(ctx)()
		for p.More() {
			page, err := p.NextPage(ctx)
			if isEnd(err) || !yield(page, err) || err != nil {
				return
			}
		}
	}
}

// All returns an iterator over the remaining items of the listing. An error ends the
// iteration; it is the error that [Pager.NextPage] would return.
//
// The loop may end early, even within a page. The next loop or call continues after the
// last item that was yielded. All reads ahead as [Pager.Pages] does.
func (p *Pager[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer p.readAhead(ctx)()
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
	}
}

// isEnd reports whether a second call of Options.Next, after a failed one, said that there
// are no more pages.
func isEnd(err error) bool { return errors.Is(err, lroerrors.ErrNoMorePages) }

// readAhead starts to read pages ahead, unless somebody does. stop ends that,
// waits until it has ended, and keeps what was read.
func (p *Pager[T]) readAhead(ctx context.Context) (stop func()) {
	if p.c.ReadAhead <= 0 || p.ahead != nil || p.tail.end {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	results := make(chan result[T], p.c.ReadAhead-1) // one more is in the goroutine's hand
	p.ahead = results
	go p.run(ctx, results)
	return func() {
		cancel()
		for r := range results { // until it is closed, which is the goroutine's end
			if r.err == nil {
				p.queue = append(p.queue, r)
			}
		}
		if p.ahead == (<-chan result[T])(results) {
			p.ahead = nil
		}
	}
}

// run reads pages until there are no more or one fails.
func (p *Pager[T]) run(ctx context.Context, results chan<- result[T]) {
	defer close(results)
	for !p.tail.end {
		r := p.fetch(ctx, p.tail)
		p.tail = r.after
		results <- r
		if r.err != nil { // the end of ctx, too
			return
		}
	}
}

// await waits for the page that is being read ahead. It returns false when no
// more will come.
func (p *Pager[T]) await(ctx context.Context) (result[T], bool) {
	select {
	case r, ok := <-p.ahead:
		return r, ok
	default:
	}
	select {
	case r, ok := <-p.ahead:
		return r, ok
	case <-ctx.Done():
		return result[T]{after: p.pos, err: p.pos.failure(failure.Context(ctx))}, true
	}
}
