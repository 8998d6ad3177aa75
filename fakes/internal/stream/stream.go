// Package stream carries a response body from a handler to its client in memory.
//
// It knows nothing about requests or headers. It is a separate package because nothing in it
// depends on a service.
//
// Its entry point is [Stream].
package stream

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"
)

// Window is the number of bytes that a handler can write before the client reads any. It limits the
// memory that an endless body uses. A network connection has a similar limit.
const Window = 64 << 10

// A Stream carries a response body from the handler to the client. Read and Send wait in
// sync.Cond.Wait, so that the time in a synctest bubble can advance while they wait.
type Stream struct {
	ctx context.Context // the context of the client's request

	mu       sync.Mutex
	changed  sync.Cond
	buf      bytes.Buffer
	ended    error // how the body ends: io.EOF or io.ErrUnexpectedEOF; nil until End is called
	reported bool  // whether take has returned that error
	closed   error // why the client stopped reading; nil if it has not stopped
	hangUp   func()
	unwatch  func() bool
}

// New returns an empty Stream. ctx is the context of the client's request.
func New(ctx context.Context) *Stream {
	s := &Stream{ctx: ctx, hangUp: func() {}, unwatch: func() bool { return true }}
	s.changed.L = &s.mu
	return s
}

// Watch makes s call hangUp when the client closes the body or the client's context ends.
func (s *Stream) Watch(hangUp func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hangUp = hangUp
	if s.closed != nil {
		hangUp()
		return
	}
	s.unwatch = context.AfterFunc(s.ctx, s.Abandon)
}

// Abandon closes the client's side of s because the client's context has ended.
func (s *Stream) Abandon() { s.stop(context.Cause(s.ctx)) }

// Close closes the client's side of s. The client cannot read from s after that.
func (s *Stream) Close() error {
	s.stop(http.ErrBodyReadAfterClose)
	return nil
}

func (s *Stream) stop(why error) {
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

// Read blocks until there are bytes to read or the body has ended. If the context has ended, Read
// returns the context's cause, unless the client has closed the body or an earlier Read has reached
// the end of the body.
func (s *Stream) Read(p []byte) (int, error) {
	n, err, last := s.take(p)
	if !last && Ended(s.ctx) {
		return 0, context.Cause(s.ctx)
	}
	return n, err
}

// take is like Read, but ignores the context. If last is true, Read returns err even if the context
// has ended.
func (s *Stream) take(p []byte) (n int, err error, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.closed == nil && s.buf.Len() == 0 && s.ended == nil {
		s.changed.Wait()
	}
	if s.closed != nil {
		return 0, s.closed, true
	}
	if s.buf.Len() > 0 {
		n, _ = s.buf.Read(p)
		s.changed.Broadcast()
		return n, nil, false
	}
	last = s.reported
	s.reported = true
	s.unwatch()
	return 0, s.ended, last
}

// Send buffers p for the client. While the buffer is full, it waits for the client to read.
func (s *Stream) Send(p []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 && s.closed == nil {
		if room := Window - s.buf.Len(); room > 0 {
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

// End records how the body ends. Only the first call has an effect.
func (s *Stream) End(how error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = how
	}
	s.changed.Broadcast()
}

// Ended reports whether ctx has ended. It returns true at the exact time of the deadline, even if
// the timer has not fired yet. A test in a bubble therefore has the same result in every run.
func Ended(ctx context.Context) bool {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}
