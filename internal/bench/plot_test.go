package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A chart has one bar for each library, all on the same scale.
type chart struct {
	title string
	row   string // the row's name in README.md's table
	cell  int    // the index of the figure within the cell
}

var charts = []chart{
	{"Memory of an operation that waits for its next read", "one of 100,000 waiting operations (peers: one of 2,000)", 0},
	{"Peak memory of a process that follows 10,000 operations over HTTP", "the same fleet, but each peer uses one tuned transport", 1},
}

// plotted lists the libraries in each chart, with their columns in the table.
var plotted = []struct {
	name   string
	column int
}{{"lro", 1}, {"azcore", 2}, {"go-azure-sdk", 3}}

const (
	plotWidth, longestBar = 640, 420
	barsLeft, barHeight   = 110, 16
)

// plot returns an SVG image of the charts, with the figures from the README's table.
func plot(readme string) (string, error) {
	var b strings.Builder
	y := 0
	for _, c := range charts {
		bars, err := c.bars(readme)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.row, err)
		}
		y += 24
		text(&b, "title", 0, y, c.title)
		for i, bar := range bars {
			y += barHeight + 6
			color := "#8b949e"
			if i == 0 {
				color = "#3b82d6"
			}
			width := max(bar.value/longest(bars)*longestBar, 1)
			text(&b, "library", 0, y, plotted[i].name)
			fmt.Fprintf(&b, `<rect class="bar" x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", barsLeft, y-barHeight+4, width, barHeight, color)
			text(&b, "number", barsLeft+int(width)+8, y, bar.text)
		}
		y += 14
	}
	// This gray is legible on both light and dark pages.
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" `+
		`font-family="system-ui, sans-serif" font-size="13" fill="#7d8590">`+"\n<style>.title { font-weight: bold }</style>\n%s</svg>\n", plotWidth, y, plotWidth, y, b.String()), nil
}

// A bar shows one figure from the table, such as 44 MB.
type bar struct {
	value float64
	text  string
}

// bars returns one bar for each library. All figures must have the same unit.
func (c chart) bars(readme string) ([]bar, error) {
	cells := cellsOf(readme, c.row)
	var bars []bar
	unit := ""
	for _, p := range plotted {
		if p.column >= len(cells) {
			return nil, fmt.Errorf("no figure of %s in the table", p.name)
		}
		figures := strings.Split(cells[p.column], ", ")
		if c.cell >= len(figures) {
			return nil, fmt.Errorf("no figure %d of %s in the table", c.cell, p.name)
		}
		number, its, _ := strings.Cut(figures[c.cell], " ")
		value, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil:
			return nil, err
		case unit != "" && unit != its:
			return nil, fmt.Errorf("the figures have two units, %s and %s", unit, its)
		}
		unit = its
		bars = append(bars, bar{value, figures[c.cell]})
	}
	return bars, nil
}

// cellsOf returns the cells of the Markdown table row whose first cell is name.
func cellsOf(markdown, name string) []string {
	for line := range strings.Lines(markdown) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); cells[0] == name {
			return cells
		}
	}
	return nil
}

func longest(bars []bar) (longest float64) {
	for _, bar := range bars {
		longest = max(longest, bar.value)
	}
	return longest
}

func text(b *strings.Builder, class string, x, y int, s string) {
	fmt.Fprintf(b, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, x, y, s)
}

// TestPlot checks that plot.svg shows the figures from README.md's table, in at most ten bars.
func TestPlot(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	must(t, err)
	want, err := plot(string(readme))
	must(t, err)
	if n := strings.Count(want, "<rect"); n == 0 || n > 10 {
		t.Errorf("the plot has %d bars, want one to ten", n)
	}
	got, err := os.ReadFile("plot.svg")
	must(t, err)
	switch {
	case string(got) == want:
	case *redraw:
		must(t, os.WriteFile("plot.svg", []byte(want), 0o644))
	default:
		t.Error("plot.svg does not show the figures of README.md: run go test -run TestPlot -redraw")
	}
}

func TestBars(t *testing.T) {
	c := chart{row: "memory", cell: 1}
	bars, err := c.bars("| x | y |\n| memory | 1 s, 44 MB | 2 s, 416 MB | 3 s, 486 MB | – |\n")
	must(t, err)
	if want := (bar{416, "416 MB"}); len(bars) != 3 || bars[1] != want {
		t.Errorf("bars: %v", bars)
	}
	for _, bad := range []string{
		"| other | 1 s, 44 MB | 2 s, 416 MB | 3 s, 486 MB |",
		"| memory | 1 s, 44 MB | 2 s, 416 MB | – |",
		"| memory | 1 s, 44 MB | 2 s, 416 kB | 3 s, 486 MB |",
		"| memory | 1 s, many MB | 2 s, 416 MB | 3 s, 486 MB |",
	} {
		if _, err := c.bars(bad); err == nil {
			t.Errorf("bars returned no error for %s", bad)
		}
	}
}
