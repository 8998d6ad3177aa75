package timeline

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
)

// A node is an element of the picture. encoding/xml escapes it, so the service's words cannot
// become markup.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Style   string     `xml:",innerxml"` // our own, written without escapes
	Kids    []*node    `xml:",any"`
}

// el returns an element; attrs alternates names and values.
func el(name, class string, attrs ...any) *node {
	n := &node{XMLName: xml.Name{Local: name}}
	if class != "" {
		n.set("class", class)
	}
	for i := 0; i < len(attrs); i += 2 {
		n.set(attrs[i].(string), attrs[i+1])
	}
	return n
}

// set adds an attribute. It rounds numbers to a tenth of a pixel.
func (n *node) set(name string, value any) {
	text := fmt.Sprint(value)
	if f, ok := value.(float64); ok {
		text = strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64)
	}
	n.Attrs = append(n.Attrs, xml.Attr{Name: xml.Name{Local: name}, Value: text})
}

// add appends kids to n and returns n.
func (n *node) add(kids ...*node) *node {
	n.Kids = append(n.Kids, kids...)
	return n
}

// group returns a group. A browser shows tip as its tooltip.
func group(tip string, kids ...*node) *node {
	g := el("g", "")
	if tip != "" {
		title := el("title", "")
		title.Text = tip
		g.add(title)
	}
	return g.add(kids...)
}

// label returns a text whose baseline starts at a point.
func label(class string, x, y float64, text string) *node {
	n := el("text", class, "x", x, "y", y)
	n.Text = text
	return n
}

// box returns a rectangle with rounded corners.
func box(class string, x, y, width, height, round float64) *node {
	return el("rect", class, "x", x, "y", y, "width", max(width, 0), "height", height, "rx", round)
}

func line(class string, x1, y1, x2, y2 float64) *node {
	return el("line", class, "x1", x1, "y1", y1, "x2", x2, "y2", y2)
}

// textWidth returns the width of a small text in the widest of the fonts.
func textWidth(text string) float64 { return 7 * float64(len([]rune(text))) }

// A shelf places items in rows so that they do not touch.
type shelf []float64 // the end of the last item in each row

// maxRows is how many rows of labels a reader can follow.
const maxRows = 4

// rows returns how many rows to draw, at least one.
func (s shelf) rows() int { return min(max(len(s), 1), maxRows) }

// place returns the first row that has room at x.
func (s *shelf) place(x, width float64) int {
	const gap = 6
	for i, end := range *s {
		if x >= end+gap {
			(*s)[i] = x + width
			return i
		}
	}
	*s = append(*s, x+width)
	return len(*s) - 1
}
