package timeline

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
)

// A node is an element of the picture. encoding/xml escapes its attributes and text, so words from
// the service cannot become markup.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Style   string     `xml:",innerxml"` // must not hold text from the service, because encoding/xml does not escape this field
	Kids    []*node    `xml:",any"`
}

// el returns an element. attrs contains the name and the value of each attribute in turn.
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

// set adds an attribute. It rounds a float64 to a tenth of a pixel.
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

// group returns a group of elements. Browsers show tip as its tooltip.
func group(tip string, kids ...*node) *node {
	g := el("g", "")
	if tip != "" {
		title := el("title", "")
		title.Text = tip
		g.add(title)
	}
	return g.add(kids...)
}

// label returns a text element whose baseline starts at (x, y), unless the CSS class aligns the
// text differently.
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

// textWidth estimates the width of a label in pixels, assuming the widest font in the style sheet.
func textWidth(text string) float64 { return 7 * float64(len([]rune(text))) }

// A rowLayout places items in rows so that they do not touch.
type rowLayout []float64 // the end of the last item in each row

// maxRows is the maximum number of rows of labels. With more rows, readers could not match labels
// to marks.
const maxRows = 4

// rows returns the number of rows to draw, from 1 to maxRows.
func (s rowLayout) rows() int { return min(max(len(s), 1), maxRows) }

// place adds an item of the given width at x to the first row with room for it, and returns the
// row's number.
func (s *rowLayout) place(x, width float64) int {
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
