package timeline

import (
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/poller"
)

const inProgress = poller.InProgress

// style is the style sheet, with colors for light and dark mode. The picture has its own
// background, so that it is legible on any page.
//
//go:embed style.css
var style string

// The dimensions of the picture, in pixels.
const (
	width  = 1120.0
	margin = 24.0
	left   = 120.0  // where the time axis starts
	right  = 1000.0 // where the time axis ends; the outcome of the wait is to the right of it
	row    = 16.0   // the distance from one row of labels to the next
	gap    = 28.0   // the distance between lanes
)

// A chart is a picture that is drawn from top to bottom.
type chart struct {
	*wait
	length time.Duration
	body   *node
	grid   *node // lines that are drawn behind all lanes
	y      float64
}

// Draw writes the picture. Equal recordings produce identical bytes.
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

// x returns the horizontal position of a point in time.
func (c *chart) x(at time.Duration) float64 {
	return left + (right-left)*float64(at)/float64(c.length)
}

func (c *chart) title() {
	c.body.add(label("title", margin, c.y, shorten(c.name, 110)), label("", margin, c.y+22, c.summary()))
	c.y += 22 + gap
}

// lane writes the name of a lane next to its center line.
func (c *chart) lane(name string, middle float64) {
	c.body.add(label("lane", margin, middle+4, name))
}

// operation draws what the client knew about the operation.
func (c *chart) operation() {
	const height = 28
	c.lane("Operation", c.y+height/2)
	shades, shade, known, drawn := []string{"word", "word2"}, 0, "", left-apart
	for _, s := range c.spans() {
		if c.x(s.to)-drawn < apart {
			continue // too narrow to draw
		}
		drawn = c.x(s.to)
		if known != "" && known != s.word {
			shade = 1 - shade
		}
		known = s.word
		x, wide := c.x(s.from), c.x(s.to)-c.x(s.from)
		text := s.word
		g := group(fmt.Sprintf("%s, from %s to %s", s.word, human(s.from), human(s.to)), box(shades[shade], x, c.y, wide, height, 3))
		if s.failed > 0 {
			text = count(s.failed, "failed request")
			over := box("", x, c.y, wide, height, 3)
			over.set("fill", "url(#hatch)")
			g.add(over)
		}
		if half := textWidth(text)/2 + 4; 2*half < wide {
			g.add(box(shades[shade]+" plain", x+wide/2-half, c.y+4, 2*half, height-8, 3),
				label("mid onword", x+wide/2, c.y+height/2+4, text))
		}
		c.body.add(g)
	}
	c.outcome(height)
	c.y += height + gap
}

// outcome draws how the operation ended. If the wait ended first, it shows that the operation has
// not ended.
func (c *chart) outcome(height float64) {
	at, class, word, tip := c.end, "stopped", "not ended", c.err
	if c.last().state == "" {
		word = "not started"
	}
	if r, ok := c.ending(); ok {
		at, class, word = r.at, r.state, r.state
		tip = fmt.Sprintf("%s, after %s", r.word, human(r.at))
	}
	x, end := c.x(at), width-margin
	c.body.add(group(tip, box(class, x, c.y, end-x, height, 3), label("mid onend", (max(x, right-20)+end)/2, c.y+height/2+4, word)))
}

// requests draws each reading and its response.
func (c *chart) requests() {
	const below = 24
	c.lane("Requests", c.y)
	c.body.add(line("base", left, c.y, right, c.y))
	var marks, labels shelf
	for _, r := range c.crowds() {
		x, text, class := c.x(r.at), r.answer(), "mid"
		switch {
		case r.kind == begin && text != "":
			text = r.method + " " + text
		case r.kind == result:
			text = "result " + text
		}
		if r.attempts > 1 {
			text += fmt.Sprintf(", %d attempts", r.attempts)
		}
		if r.err != "" {
			class = "mid wrong"
		}
		g := group(r.tip())
		if from := c.x(r.from); c.long(r.reading) {
			g.add(box("air", from, c.y-4, x-from, 8, 4))
		}
		if text != "" {
			g.add(c.tag(&labels, class, x, c.y, c.y+below, text)...)
		}
		up := min(marks.place(x-6, 8), 1) // a mark must not hide the previous one
		c.body.add(g.add(r.mark(x, c.y-15*float64(up))...))
	}
	c.y += below + float64(labels.rows()-1)*row + gap
}

// mark returns the shape that represents a reading.
func (r reading) mark(x, y float64) []*node {
	switch {
	case r.err != "":
		const d = 2.6
		return []*node{
			el("circle", "failed", "cx", x, "cy", y, "r", 6),
			line("cross", x-d, y-d, x+d, y+d), line("cross", x-d, y+d, x+d, y-d),
		}
	case r.kind == result:
		const d = 8.0
		return []*node{el("path", r.state, "d", fmt.Sprintf("M%.1f %.1f l%g %g l%g %g l%g %g z", x, y-d, d, d, -d, d, -d, -d))}
	case r.kind == begin:
		return []*node{el("path", string(begin), "d", fmt.Sprintf("M%.1f %.1f v14 l11 -7 z", x-3, y-7))}
	case r.ended():
		return []*node{el("circle", r.state, "cx", x, "cy", y, "r", 6)}
	}
	return []*node{el("circle", string(poll), "cx", x, "cy", y, "r", 6)}
}

// tag returns a label in the first row that has room for it. If no row has room, it returns nil;
// the reader can still find the text in the tooltip.
func (c *chart) tag(labels *shelf, class string, x, from, y float64, text string) []*node {
	n := labels.place(x-textWidth(text)/2, textWidth(text))
	if n >= maxRows {
		return nil
	}
	y += float64(n) * row
	if n > 0 {
		c.grid.add(line("lead", x, from, x, y-11)) // the line is drawn behind the labels of the rows above
	}
	return []*node{label(class, x, y, text)}
}

// waits draws each pause: the part that the service asked for and the part that the poller
// added.
func (c *chart) waits() {
	const height, below = 12, 28
	c.lane("Pauses", c.y+height/2)
	var labels shelf
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

// axis writes the times below the lanes and draws a vertical line upwards from each of them.
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

// legend explains the marks that occur in the picture.
func (c *chart) legend() {
	const rise = 4 // how far the baseline of the text is below the middle of the marks
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

// hatch returns the pattern for a period in which all reads failed.
func hatch() *node {
	p := el("pattern", "", "id", "hatch", "patternUnits", "userSpaceOnUse", "width", 7, "height", 7, "patternTransform", "rotate(45)")
	return el("defs", "").add(p.add(line("hatch", 0, 0, 0, 7)))
}

// shorten removes the middle of a long text, because the two ends are the most informative parts.
func shorten(text string, most int) string {
	r := []rune(strings.TrimSpace(text))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-most/2+1:])
}
