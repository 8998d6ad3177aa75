package pager

import (
	"context"
	"runtime"

	"github.com/lro-go/lro/internal/redact"
)

// A readAhead is the state of a goroutine that reads pages before the caller requests them.
type readAhead[T any] struct {
	pages  chan result[T] // closed when the goroutine ends
	cancel context.CancelFunc

	// The fields below are valid once the pages channel is closed.
	aborted  bool // whether a panic or runtime.Goexit ended the goroutine and the method surface has not repeated it
	panicked any  // the panic's value, or nil after runtime.Goexit
}

// readingAhead calls loop while a goroutine reads pages ahead, and stops the goroutine before
// returning. It starts no goroutine if ReadAhead is not set, if another goroutine is already
// reading ahead, or if the listing has ended.
func (p *Pager[T]) readingAhead(ctx context.Context, loop func()) {
	if p.c.ReadAhead <= 0 || p.ahead != nil || p.tail.end {
		loop()
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &readAhead[T]{pages: make(chan result[T], p.c.ReadAhead-1), cancel: cancel} // minus one, because the goroutine itself holds a page
	p.ahead = a
	go a.run(ctx, p)

	returned := false
	defer func() {
		p.stop(a)
		mustKeepPanic := !returned && a.panicked == nil // runtime.Goexit, which the method surface might call, would discard the loop's panic
		if !mustKeepPanic {
			a.surface()
		}
	}()
	loop()
	returned = true
}

// stop cancels the goroutine, waits until it ends, and queues the pages that it has read.
func (p *Pager[T]) stop(a *readAhead[T]) {
	a.cancel()
	for r := range a.pages {
		if r.err == nil {
			p.queue = append(p.queue, r)
		}
	}
	if p.ahead == a {
		p.ahead = nil
	}
}

// surface repeats the panic or runtime.Goexit that ended the goroutine, unless it has already done
// so. Callers must clean up first, because surface might not return.
func (a *readAhead[T]) surface() {
	if !a.aborted {
		return
	}
	a.aborted = false
	if a.panicked != nil {
		panic(a.panicked)
	}
	runtime.Goexit()
}

// run reads pages until the listing ends or a read fails.
func (a *readAhead[T]) run(ctx context.Context, p *Pager[T]) {
	a.aborted = true
	defer func() {
		a.panicked = recover()
		a.cancel()
		close(a.pages)
	}()
	for !p.tail.end {
		r := p.fetch(ctx, p.tail)
		p.tail = r.after
		a.pages <- r
		if r.err != nil { // fetch also fails once ctx has ended
			break
		}
	}
	a.aborted = false
}

// await waits for the next page from the read-ahead goroutine. It returns false once that goroutine
// has ended and no page is left.
func (p *Pager[T]) await(ctx context.Context) (result[T], bool) {
	select {
	case r, ok := <-p.ahead.pages:
		return r, ok
	default:
	}
	select {
	case r, ok := <-p.ahead.pages:
		return r, ok
	case <-ctx.Done():
		return result[T]{after: p.pos, err: p.pos.failure(redact.ContextError(ctx))}, true
	}
}
