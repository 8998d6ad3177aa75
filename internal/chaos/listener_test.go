package chaos

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// A listener listens on loopback. It can close for a while, which resets every connection, and then
// reopen at the same address.
type listener struct {
	address string
	refuses func(nth int) bool // reports whether to reset the nth connection as soon as it arrives
	tally   *tally

	mu     sync.Mutex
	opened sync.Cond
	inner  net.Listener // nil while the listener is closed
	conns  map[*conn]bool
	nth    int
	over   chan struct{} // closed when the listener is permanently closed
	empty  chan struct{} // closed when the listener is permanently closed and has no connections left
}

// A conn is a connection that removes itself from its listener when it is closed.
type conn struct {
	net.Conn
	home    *listener
	aborted bool // whether a restart reset the connection
}

func listen(t *tally, refuses func(nth int) bool) (*listener, error) {
	l := &listener{refuses: refuses, tally: t, conns: map[*conn]bool{}, over: make(chan struct{}), empty: make(chan struct{})}
	l.opened.L = &l.mu
	// Choose a port below the usual ephemeral range, so that no outgoing connection can take it
	// while the listener is closed. Do not derive it from the seed, because a concurrent run may
	// use the same seed.
	for range 1000 {
		l.address = fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(20000))
		if inner, err := net.Listen("tcp", l.address); err == nil { //nolint:noctx // listening does not block
			l.inner = inner
			return l, nil
		}
	}
	return nil, errors.New("no free port")
}

// Accept implements [net.Listener]. While the listener is closed for a restart, Accept blocks.
func (l *listener) Accept() (net.Conn, error) {
	for {
		inner := l.current()
		if inner == nil {
			return nil, net.ErrClosed
		}
		if raw, err := inner.Accept(); err == nil {
			if c := l.admit(raw, inner); c != nil {
				return c, nil
			}
		}
	}
}

// current waits until the listener is open and returns the inner listener, or nil if the listener
// is permanently closed.
func (l *listener) current() net.Listener {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.inner == nil && !l.isOver() {
		l.opened.Wait()
	}
	return l.inner
}

func (l *listener) admit(raw net.Conn, inner net.Listener) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &conn{Conn: raw, home: l}
	l.nth++
	if l.inner != inner || l.isOver() {
		c.abort()
		return nil
	}
	if l.refuses != nil && l.refuses(l.nth) {
		l.tally.fault("connection reset on connect")
		c.abort()
		return nil
	}
	l.conns[c] = true
	return c
}

// restart closes the listener and all its connections. After a pause, it reopens the listener,
// unless the listener has been closed permanently.
func (l *listener) restart(pause time.Duration) {
	l.mu.Lock()
	if l.inner == nil || l.isOver() {
		l.mu.Unlock()
		return
	}
	l.inner.Close()
	l.inner = nil
	for c := range l.conns {
		c.aborted = true
		c.abort()
	}
	clear(l.conns)
	l.mu.Unlock()
	for {
		select {
		case <-time.After(pause):
		case <-l.over:
			return
		}
		if l.open() {
			return
		}
		pause = 10 * time.Millisecond // try again soon, because another process may have taken the port for a moment
	}
}

// abortedOf returns how many of the given connections were reset by a restart.
func (l *listener) abortedOf(conns []*conn) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		if c.aborted {
			n++
		}
	}
	return n
}

// open listens on the address again, unless the listener has been closed permanently. It returns
// false if the port is in use.
func (l *listener) open() bool {
	inner, err := net.Listen("tcp", l.address) //nolint:noctx // listening does not block
	if err != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isOver() {
		inner.Close()
		return true
	}
	l.inner = inner
	l.opened.Broadcast()
	return true
}

func (l *listener) isOver() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// Close implements [net.Listener]. It leaves the connections open.
func (l *listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isOver() {
		return nil
	}
	close(l.over)
	l.opened.Broadcast()
	l.left()
	if l.inner == nil {
		return nil
	}
	inner := l.inner
	l.inner = nil
	return inner.Close()
}

// Addr implements [net.Listener].
func (l *listener) Addr() net.Addr {
	addr, _ := net.ResolveTCPAddr("tcp", l.address)
	return addr
}

// left closes l.empty if the listener is permanently closed and its last connection is gone.
func (l *listener) left() {
	if l.isOver() && len(l.conns) == 0 && l.empty != nil {
		close(l.empty)
		l.empty = nil
	}
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.home.mu.Lock()
	delete(c.home.conns, c)
	c.home.left()
	c.home.mu.Unlock()
	return c.Conn.Close()
}

// abort resets the connection without removing it from the listener, so that the caller can hold
// the listener's lock.
func (c *conn) abort() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Conn.Close()
}

// reset resets the connection and removes it from the listener.
func (c *conn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}
