package main

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// style has the colors, for a light and for a dark screen. The picture brings its
// own background, so that it is legible on any page.
//
//go:embed style.css
var style string

// The measures of the picture, in pixels.
const (
	width  = 1120.0
	margin = 24.0
	left   = 120.0  // of the time that passes
	right  = 1000.0 // of it; behind that stands how the wait ended
	row    = 16.0   // from one row of labels to the next
	gap    = 28.0   // between lanes
)

// A chart is a picture in the making, from top to bottom.
type chart struct {
	*wait
	length time.Duration
	body   *node
	grid   *node // behind all lanes, so that it is filled last
	y      float64
}

// draw writes the picture. The same log makes the same picture, to the byte.
func (w *wait) draw(out io.Writer) error {
	c := &chart{wait: w, length: w.length(), body: group(""), grid: group(""), y: 40}
	c.head()
	c.operation()
	c.requests()
	c.waits()
	c.axis()
	c.legend()
	c.y += margin

	svg := el("svg", "", "xmlns", "http://www.w3.org/2000/svg", "width", width, "height", c.y,
		"viewBox", fmt.Sprintf("0 0 %g %g", width, c.y), "role", "img", "aria-label", w.name()+": "+w.summary())
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

// x is where a time is.
func (c *chart) x(at time.Duration) float64 {
	return left + (right-left)*float64(at)/float64(c.length)
}

func (c *chart) add(kids ...*node) { c.body.add(kids...) }

// head tells the operation, and the wait in a line.
func (c *chart) head() {
	c.add(label("title", margin, c.y, c.name()), label("", margin, c.y+22, c.summary()))
	c.y += 22 + gap
}

// lane begins one.
func (c *chart) lane(name string, middle float64) {
	c.add(label("lane", margin, middle+4, name))
}

// axis draws the times below all, and lines up from them.
func (c *chart) axis() {
	const top = 84
	for _, at := range ticks(c.length) {
		x := c.x(at)
		c.grid.add(line("grid", x, top, x, c.y))
		c.add(label("mid", x, c.y+16, human(at)))
	}
	c.add(line("base", left, c.y, right, c.y))
	c.y += 16
}

// hatch is the pattern of a time of which nothing is known.
func hatch() *node {
	p := el("pattern", "", "id", "hatch", "patternUnits", "userSpaceOnUse", "width", 7, "height", 7, "patternTransform", "rotate(45)")
	return el("defs", "").add(p.add(line("hatch", 0, 0, 0, 7)))
}
