package timeline

import (
	"fmt"
	"strings"
	"time"
)

// The dimensions of the picture, in pixels.
const (
	width  = 1120.0
	margin = 24.0
	left   = 120.0  // where the time axis starts
	right  = 1000.0 // where the time axis ends; the outcome is written to the right of it
	row    = 16.0   // the distance between rows of labels
	gap    = 28.0   // the distance between lanes
)

// A chart is the picture of a wait. Its three lanes, from top to bottom, show the operation, the
// requests and the pauses.
type chart struct {
	*wait
	length time.Duration // the length of the time axis
	body   *node
	grid   *node   // lines behind all lanes
	y      float64 // where the next part of the picture starts
}

// x returns the horizontal position of a point in time.
func (c *chart) x(at time.Duration) float64 {
	return left + (right-left)*float64(at)/float64(c.length)
}

// lane writes the name of a lane at the left margin. The parameter middle is the vertical center of
// the lane.
func (c *chart) lane(name string, middle float64) {
	c.body.add(label("lane", margin, middle+4, name))
}

// tag returns a label, centered at x, in the first row of labels that has room for it, or nil if no
// row has room. In that case, only the tooltip contains the text. If the label is not in the first
// row, tag also draws a line to the label. The parameter from is the vertical position at which the
// line starts.
func (c *chart) tag(labels *rowLayout, class string, x, from, y float64, text string) []*node {
	n := labels.place(x-textWidth(text)/2, textWidth(text))
	if n >= maxRows {
		return nil
	}
	y += float64(n) * row
	if n > 0 {
		c.grid.add(line("lead", x, from, x, y-11)) // in grid, so that the line is drawn behind the labels above
	}
	return []*node{label(class, x, y, text)}
}

// mark returns the shape that represents r at (x, y).
func (r reading) mark(x, y float64) []*node {
	if r.err != "" {
		const d = 2.6
		return []*node{
			el("circle", "failed", "cx", x, "cy", y, "r", 6),
			line("cross", x-d, y-d, x+d, y+d), line("cross", x-d, y+d, x+d, y-d),
		}
	}
	if r.kind == result {
		const d = 8.0
		return []*node{el("path", r.state, "d", fmt.Sprintf("M%.1f %.1f l%g %g l%g %g l%g %g z", x, y-d, d, d, -d, d, -d, -d))}
	}
	if r.kind == begin {
		return []*node{el("path", string(begin), "d", fmt.Sprintf("M%.1f %.1f v14 l11 -7 z", x-3, y-7))}
	}
	if r.ended() {
		return []*node{el("circle", r.state, "cx", x, "cy", y, "r", 6)}
	}
	return []*node{el("circle", string(poll), "cx", x, "cy", y, "r", 6)}
}

// hatch returns the fill pattern for a period in which all requests failed.
func hatch() *node {
	p := el("pattern", "", "id", "hatch", "patternUnits", "userSpaceOnUse", "width", 7, "height", 7, "patternTransform", "rotate(45)")
	return el("defs", "").add(p.add(line("hatch", 0, 0, 0, 7)))
}

// shorten replaces the middle of a long text with an ellipsis.
func shorten(text string, most int) string {
	r := []rune(strings.TrimSpace(text))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-most/2+1:])
}
