package chaos

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// A listener is one on loopback that can be closed for a while, with every
// connection reset, and opened again at the same address.
type listener struct {
	address string
	refuses func(nth int) bool // whether a connection is reset on arrival
	tally   *tally

	mu     sync.Mutex
	opened sync.Cond
	inner  net.Listener // nil: closed for a while
	over   bool
	conns  map[*conn]bool
	nth    int
	empty  chan struct{} // closed when over and without connections
}

// A conn tells its listener when it is closed.
type conn struct {
	net.Conn
	home    *listener
	aborted bool // by a restart
}

func listen(t *tally, refuses func(nth int) bool) (*listener, error) {
	l := &listener{refuses: refuses, tally: t, conns: map[*conn]bool{}, empty: make(chan struct{})}
	l.opened.L = &l.mu
	// A port that the system gives to nobody else while the listener is closed: those
	// of port 0 are given to outgoing connections, too. By chance, and not by the
	// seed, for another run beside this one would take it.
	for range 1000 {
		l.address = fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(20000))
		if inner, err := net.Listen("tcp", l.address); err == nil { //nolint:noctx // it does not wait
			l.inner = inner
			return l, nil
		}
	}
	return nil, errors.New("no free port")
}

// Accept implements [net.Listener]. A listener that is closed for a while has no
// connections, and no error.
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

// current waits for the listener to be open.
func (l *listener) current() net.Listener {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.inner == nil && !l.over {
		l.opened.Wait()
	}
	return l.inner
}

func (l *listener) admit(raw net.Conn, inner net.Listener) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &conn{Conn: raw, home: l}
	l.nth++
	if l.inner != inner || l.over {
		c.abort()
		return nil
	}
	if l.refuses != nil && l.refuses(l.nth) {
		l.tally.fault("connection reset on arrival")
		c.abort()
		return nil
	}
	l.conns[c] = true
	return c
}

// restart closes the listener and all its connections, and opens it again after a
// while.
func (l *listener) restart(after time.Duration) {
	l.mu.Lock()
	if l.inner == nil || l.over {
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
	time.Sleep(after)
	l.open()
}

// abortedOf counts the connections that were reset by a restart.
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

// open waits for the port, which may be that of a connection to itself.
func (l *listener) open() {
	for range 1000 {
		inner, err := net.Listen("tcp", l.address) //nolint:noctx // it does not wait
		l.mu.Lock()
		if err == nil && !l.over {
			l.inner = inner
			l.opened.Broadcast()
		}
		done := err == nil || l.over
		l.mu.Unlock()
		if done {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Close implements [net.Listener]. What is connected stays so.
func (l *listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil
	}
	l.over = true
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

// left tells when the last connection of a listener that is over has gone.
func (l *listener) left() {
	if l.over && len(l.conns) == 0 && l.empty != nil {
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

// abort closes the connection without a word to the other side but a reset. The
// listener is locked.
func (c *conn) abort() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Conn.Close()
}

// reset is abort and Close.
func (c *conn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}
