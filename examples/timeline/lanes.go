package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// A span is a time in which the client knew the same.
type span struct {
	from, to time.Duration
	word     string
	deaf     int // how many readings told nothing
}

// spans are those until the operation ended, or the log did.
func (w *wait) spans() []span {
	var all []span
	for _, r := range w.readings {
		if r.kind == result {
			break
		}
		next := span{from: r.told, word: cmp.Or(r.word, r.state)}
		if r.err != "" {
			next.deaf = 1
		}
		if n := len(all); n > 0 {
			last := &all[n-1]
			last.to = r.told
			if last.word == next.word && (last.deaf > 0) == (next.deaf > 0) {
				last.deaf += next.deaf
				continue
			}
		}
		if r.ended() {
			break
		}
		all = append(all, next)
	}
	if n := len(all); n > 0 && all[n-1].to == 0 {
		all[n-1].to = w.last().told
	}
	return all
}

// operation draws what the client knew of it.
func (c *chart) operation() {
	const height = 28
	c.lane("Operation", c.y+height/2)
	shades, shade, known := []string{"word", "word2"}, 0, ""
	for _, s := range c.spans() {
		if known != "" && known != s.word {
			shade = 1 - shade
		}
		known = s.word
		x, wd := c.x(s.from), c.x(s.to)-c.x(s.from)
		tip := fmt.Sprintf("%s, from %s to %s", s.word, human(s.from), human(s.to))
		g, text := group(tip, box(shades[shade], x, c.y, wd, height, 3)), s.word
		if s.deaf > 0 {
			text = count(s.deaf, "reading") + " told no status"
			over := box("", x, c.y, wd, height, 3)
			over.set("fill", "url(#hatch)")
			g.add(over)
		}
		if half := wide(text)/2 + 4; 2*half < wd {
			g.add(box(shades[shade]+" plain", x+wd/2-half, c.y+4, 2*half, height-8, 3),
				label("mid onword", x+wd/2, c.y+height/2+4, text))
		}
		c.add(g)
	}
	c.ending(height)
	c.y += height + gap
}

// ending draws how the operation ended, or that the wait did before it.
func (c *chart) ending(height float64) {
	at, class, word, tip := c.last().told, "stopped", "not ended", c.failure
	for _, r := range c.readings {
		if r.ended() {
			at, class, word = r.told, r.state, r.state
			tip = fmt.Sprintf("%s, after %s", cmp.Or(r.word, r.state), human(r.told))
			break
		}
	}
	x, end := c.x(at), width-margin
	c.add(group(tip, box(class, x, c.y, end-x, height, 3), label("mid onend", (max(x, right-20)+end)/2, c.y+height/2+4, word)))
}

// requests draws what was asked, and the answers.
func (c *chart) requests() {
	const below = 24
	c.lane("Requests", c.y)
	c.add(line("base", left, c.y, right, c.y))
	var marks, labels shelf
	for _, r := range c.readings {
		x, text, class := c.x(r.told), r.answer(), "mid"
		if r.kind != poll {
			text = strings.TrimSpace(map[kind]string{begin: r.method, result: "result"}[r.kind] + " " + text)
		}
		if r.err != "" {
			class = "mid wrong"
		}
		g := group(r.tip())
		if from := c.x(r.sent); x-from > 3 {
			g.add(box("air", from, c.y-4, x-from, 8, 4))
		}
		if text != "" {
			g.add(c.tag(&labels, class, x, c.y, c.y+below, text)...)
		}
		up := min(marks.place(x-6, 8), 1) // a mark must not hide the one before it
		c.add(g.add(r.mark(x, c.y-15*float64(up))...))
	}
	c.y += below + float64(labels.rows()-1)*row + gap
}

// tag writes a label below something, in the first row that has room, or nowhere
// where it gets too crowded: the tip tells it too.
func (c *chart) tag(labels *shelf, class string, x, from, y float64, text string) []*node {
	n := labels.place(x-wide(text)/2, wide(text))
	if n >= maxRows {
		return nil
	}
	y += float64(n) * row
	if n > 0 {
		c.grid.add(line("lead", x, from, x, y-11)) // behind the labels of the rows above
	}
	return []*node{label(class, x, y, text)}
}

// waits draws the pauses: how much of each the service asked for, and how much
// the poller added.
func (c *chart) waits() {
	const height, below = 12, 28
	c.lane("Pauses", c.y+height/2)
	var labels shelf
	for _, p := range c.pauses() {
		x, end := c.x(p.from), c.x(p.to)
		split := min(c.x(p.from+p.asked), end)
		g := group(fmt.Sprintf("from %s to %s: %s", human(p.from), human(p.to), p.why))
		if split > x {
			g.add(box("asked", x, c.y, split-x, height, 2))
		}
		if end-split > 0.5 {
			g.add(box(p.rest(), split, c.y, end-split, height, 2))
		}
		c.add(g.add(c.tag(&labels, "mid", (x+end)/2, c.y+height, c.y+below, p.why)...))
	}
	c.y += below + float64(labels.rows()-1)*row + gap - 8
}

// rest is the kind of what goes beyond what was asked for.
func (p pause) rest() string {
	if p.known {
		return "own"
	}
	return "untold"
}
