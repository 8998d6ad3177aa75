package serve

import (
	"fmt"
	"io"
	"sync"
)

// maxWaiting is the maximum number of lines held back while the terminal is paused. The printer
// drops further lines, but the recording still contains every request.
const maxWaiting = 10_000

// A printer writes lines in its own goroutine, so that a paused terminal does not delay responses.
type printer struct {
	mu      sync.Mutex
	wake    sync.Cond
	waiting []string
	lost    int // the number of dropped lines not yet reported
	closed  bool
	ended   chan struct{}
}

func newPrinter(out io.Writer) *printer {
	p := &printer{ended: make(chan struct{})}
	p.wake.L = &p.mu
	go p.run(out)
	return p
}

// Write queues a line, or drops it if maxWaiting lines are waiting. It never blocks and never
// fails.
func (p *printer) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) < maxWaiting {
		p.waiting = append(p.waiting, string(line))
	} else {
		p.lost++
	}
	p.wake.Signal()
	return len(line), nil
}

// close ends the printer and waits until all lines are written.
func (p *printer) close() {
	p.mu.Lock()
	p.closed = true
	p.wake.Signal()
	p.mu.Unlock()
	<-p.ended
}

func (p *printer) run(out io.Writer) {
	defer close(p.ended)
	for {
		lines, ok := p.next()
		if !ok {
			return
		}
		for _, line := range lines {
			say(out, line)
		}
	}
}

// next waits for lines in the queue and takes them all. It returns false once the printer is closed
// and the queue is empty.
func (p *printer) next() (lines []string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.waiting) == 0 && !p.closed {
		p.wake.Wait()
	}
	lines, p.waiting = p.waiting, nil
	if p.lost > 0 {
		lines = append(lines, fmt.Sprintf("(%s not shown)\n", plural(p.lost, "line")))
		p.lost = 0
	}
	return lines, len(lines) > 0
}

// say writes text for the user. It ignores write errors, which could not be reported anywhere.
func say(out io.Writer, text string) { _, _ = io.WriteString(out, text) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
