package fakes

import (
	"bytes"
	"context"
	"net/http"
	"sync"
)

// window is how far a handler can write ahead of the client, as with the
// buffers of a socket. It keeps a body without end from filling the memory.
const window = 64 << 10

// A stream carries a response body from the handler to the client. Nothing in
// it but sync.Cond waits, so that a synctest bubble knows when all are blocked.
type stream struct {
	ctx context.Context // of the client's request

	mu      sync.Mutex
	changed sync.Cond
	buf     bytes.Buffer
	ended   error // how the body ends: io.EOF or io.ErrUnexpectedEOF
	told    bool  // the client has read that
	closed  error // why nobody reads any more
	hangUp  func()
	unwatch func() bool
}

func newStream(ctx context.Context) *stream {
	s := &stream{ctx: ctx, hangUp: func() {}, unwatch: func() bool { return true }}
	s.changed.L = &s.mu
	return s
}

// watch sees to it that the handler is told, by hangUp, when the client has
// gone or its context has ended.
func (s *stream) watch(hangUp func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hangUp = hangUp
	if s.closed != nil {
		hangUp()
		return
	}
	s.unwatch = context.AfterFunc(s.ctx, s.abandon)
}

// abandon ends the reading because the client's context has ended.
func (s *stream) abandon() { s.stop(context.Cause(s.ctx)) }

// Close ends the reading because the client wants no more.
func (s *stream) Close() error {
	s.stop(http.ErrBodyReadAfterClose)
	return nil
}

func (s *stream) stop(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		return
	}
	s.closed = why
	s.unwatch()
	s.hangUp()
	s.changed.Broadcast()
}

// Read waits for the handler to write. Once the context has ended it fails with
// the context's cause, whatever is still in the buffer.
func (s *stream) Read(p []byte) (int, error) {
	n, err, last := s.take(p)
	if !last && ended(s.ctx) {
		return 0, context.Cause(s.ctx)
	}
	return n, err
}

// take is Read but for the context. That the end was told before is last: it
// stays what it was.
func (s *stream) take(p []byte) (n int, err error, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.closed == nil && s.buf.Len() == 0 && s.ended == nil {
		s.changed.Wait()
	}
	switch {
	case s.closed != nil:
		return 0, s.closed, true
	case s.buf.Len() > 0:
		n, _ = s.buf.Read(p)
		s.changed.Broadcast()
		return n, nil, false
	}
	last, s.told = s.told, true
	s.unwatch()
	return 0, s.ended, last
}

// write is the handler's side. It waits while the client is too far behind.
func (s *stream) write(p []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 && s.closed == nil {
		if room := window - s.buf.Len(); room > 0 {
			n := min(room, len(p))
			s.buf.Write(p[:n])
			p = p[n:]
			s.changed.Broadcast()
			continue
		}
		s.changed.Wait()
	}
	return s.closed
}

// end says that nothing more is written, and how the client shall know. The
// first word counts: a declared length that was reached is a complete body.
func (s *stream) end(how error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = how
	}
	s.changed.Broadcast()
}
