package timeline

import (
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// style is the style sheet, with colors for light and dark mode. The picture has a background of its own,
// so that it is legible on any page.
//
//go:embed style.css
var style string

// Draw writes the picture as SVG. It returns an error if nothing was recorded. Equal recordings produce
// identical bytes.
func (r *Recorder) Draw(out io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.wait.readings) == 0 {
		return errors.New("no request was sent")
	}
	c := &chart{wait: &r.wait, length: max(r.wait.end, time.Millisecond), body: group(""), grid: group(""), y: 40}
	c.title()
	c.operation()
	c.requests()
	c.waits()
	c.axis()
	c.legend()
	c.y += margin

	svg := el("svg", "", "xmlns", "http://www.w3.org/2000/svg", "width", width, "height", c.y,
		"viewBox", fmt.Sprintf("0 0 %g %g", width, c.y), "role", "img", "aria-label", shorten(c.name, 110)+": "+c.summary())
	css := el("style", "")
	css.Style = style
	svg.add(css, hatch(), box("card", 0.5, 0.5, width-1, c.y-1, 10), c.grid, c.body)
	e := xml.NewEncoder(out)
	e.Indent("", " ")
	if err := e.Encode(svg); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

// title writes the first request and a summary of the wait.
func (c *chart) title() {
	c.body.add(label("title", margin, c.y, shorten(c.name, 110)), label("", margin, c.y+22, c.summary()))
	c.y += 22 + gap
}

// operation draws the "Operation" lane, which shows how the status known to the client changed over
// time.
func (c *chart) operation() {
	const height = 28
	c.lane("Operation", c.y+height/2)
	shades := []string{"word", "word2"} // they alternate whenever the word changes
	shade := 0
	known := ""
	drawn := left - apart // the right edge of the last span drawn
	for _, s := range c.spans() {
		if c.x(s.to)-drawn < apart {
			continue // too narrow to draw
		}
		drawn = c.x(s.to)
		if known != "" && known != s.word {
			shade = 1 - shade
		}
		known = s.word
		c.span(s, shades[shade], height)
	}
	c.outcome(height)
	c.y += height + gap
}

// span draws a period in which the client's view of the status did not change.
func (c *chart) span(s span, shade string, height float64) {
	x := c.x(s.from)
	wide := c.x(s.to) - x
	text := s.word
	g := group(fmt.Sprintf("%s, from %s to %s", s.word, human(s.from), human(s.to)), box(shade, x, c.y, wide, height, 3))
	if s.failed > 0 {
		text = count(s.failed, "failed request")
		over := box("", x, c.y, wide, height, 3)
		over.set("fill", "url(#hatch)")
		g.add(over)
	}
	if half := textWidth(text)/2 + 4; 2*half < wide {
		g.add(box(shade+" plain", x+wide/2-half, c.y+4, 2*half, height-8, 3),
			label("mid onword", x+wide/2, c.y+height/2+4, text))
	}
	c.body.add(g)
}

// outcome draws how the operation ended. It draws "not ended" if the wait stopped first, and "not
// started" if the client never got a status.
func (c *chart) outcome(height float64) {
	at, class, word := c.end, "stopped", "not ended"
	tip := c.err
	if c.last().state == "" {
		word = "not started"
	}
	if r, ok := c.ending(); ok {
		at, class, word = r.at, r.state, r.state
		tip = fmt.Sprintf("%s, after %s", r.word, human(r.at))
	}
	x := c.x(at)
	end := width - margin
	c.body.add(group(tip, box(class, x, c.y, end-x, height, 3), label("mid onend", (max(x, right-20)+end)/2, c.y+height/2+4, word)))
}

// requests draws the "Requests" lane, with a mark for each cluster of readings.
func (c *chart) requests() {
	const below = 24
	c.lane("Requests", c.y)
	c.body.add(line("base", left, c.y, right, c.y))
	var marks, labels rowLayout
	for _, r := range c.clusters() {
		x := c.x(r.at)
		class := "mid"
		if r.err != "" {
			class = "mid wrong"
		}
		g := group(r.tip())
		if from := c.x(r.from); c.long(r.reading) {
			g.add(box("air", from, c.y-4, x-from, 8, 4))
		}
		if text := r.label(); text != "" {
			g.add(c.tag(&labels, class, x, c.y, c.y+below, text)...)
		}
		up := min(marks.place(x-6, 8), 1) // moves the mark up if it would overlap the previous one
		c.body.add(g.add(r.mark(x, c.y-15*float64(up))...))
	}
	c.y += below + float64(labels.rows()-1)*row + gap
}

// waits draws the "Pauses" lane. A pause has up to two parts: the time that the service asked for,
// and the time that the client added.
func (c *chart) waits() {
	const height, below = 12, 28
	c.lane("Pauses", c.y+height/2)
	var labels rowLayout
	for _, p := range c.longPauses() {
		x, end := c.x(p.from), c.x(p.to)
		split := min(c.x(p.from+p.asked), end)
		g := group(fmt.Sprintf("from %s to %s: %s", human(p.from), human(p.to), p.why))
		if split > x {
			g.add(box("asked", x, c.y, split-x, height, 2))
		}
		if end-split > 0.5 {
			g.add(box("own", split, c.y, end-split, height, 2))
		}
		c.body.add(g.add(c.tag(&labels, "mid", (x+end)/2, c.y+height, c.y+below, p.why)...))
	}
	c.y += below + float64(labels.rows()-1)*row + gap - 8
}

// axis draws the time axis below the lanes, with a vertical grid line at each marked time.
func (c *chart) axis() {
	const top = 84
	for _, at := range ticks(c.length) {
		x := c.x(at)
		c.grid.add(line("grid", x, top, x, c.y))
		c.body.add(label("mid", x, c.y+16, human(at)))
	}
	c.body.add(line("base", left, c.y, right, c.y))
	c.y += 16
}

// legend explains each kind of mark that the picture contains.
func (c *chart) legend() {
	const rise = 4 // how far the text's baseline is below the middle of the marks
	c.y += 34
	x := margin
	swatch := func(class string) func(x, y float64) []*node {
		return func(x, y float64) []*node { return []*node{box(class, x-8, y-6, 18, 12, 2)} }
	}
	read := func(is func(reading) bool) bool { return slices.ContainsFunc(c.readings, is) }
	paused := func(is func(pause) bool) bool { return slices.ContainsFunc(c.pauses(), is) }
	for _, item := range []struct {
		text  string
		shown bool
		mark  func(x, y float64) []*node
	}{
		{"first request", read(func(r reading) bool { return r.kind == begin && r.err == "" }), reading{kind: begin}.mark},
		{"status read", read(func(r reading) bool { return r.kind == poll && r.err == "" }), reading{kind: poll}.mark},
		{"wait for a response", read(c.long), func(x, y float64) []*node { return []*node{box("air", x-8, y-4, 18, 8, 4)} }},
		{"failed request", read(func(r reading) bool { return r.err != "" }), reading{err: "x"}.mark},
		{"result read", read(func(r reading) bool { return r.kind == result && r.err == "" }), reading{kind: result, state: "Succeeded"}.mark},
		{"pause that the service asked for", paused(func(p pause) bool { return p.asked > 0 }), swatch("asked")},
		{"pause that the client chose", paused(func(p pause) bool { return p.asked < p.to-p.from-blink }), swatch("own")},
	} {
		if !item.shown {
			continue
		}
		if x+24+textWidth(item.text) > width-margin {
			x, c.y = margin, c.y+22
		}
		c.body.add(item.mark(x+8, c.y)...)
		c.body.add(label("", x+24, c.y+rise, item.text))
		x += 24 + textWidth(item.text) + 18
	}
}
