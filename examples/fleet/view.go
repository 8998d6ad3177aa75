package main

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
)

// The colors are of the sixteen that a terminal's own theme sets.
var (
	green, red, yellow, blue, gray color.Color = lipgloss.Green, lipgloss.Red, lipgloss.Yellow, lipgloss.Blue, lipgloss.BrightBlack

	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Foreground(gray)
)

const (
	leastWidth = 64
	mostWidth  = 112
)

// render draws s for a terminal of that width. Nothing else goes in.
func render(s stats, width int) string {
	width = min(max(width, leastWidth), mostWidth)
	left := width / 2
	rows := []string{
		title(s, width),
		"",
		bar(s, width),
		"",
		lipgloss.JoinHorizontal(lipgloss.Top, box("Operations", operations(s), left), box("Reads", reads(s), width-left)),
		lipgloss.JoinHorizontal(lipgloss.Top, box("This process", process(s), left), box("The service (own process)", served(s), width-left)),
		faint.Render("polls a second  ") + spark(s.Rates, width-16),
		"",
		faint.Render("Ctrl-C ends the wait; what has not ended can be resumed."),
	}
	return strings.Join(rows, "\n") + "\n"
}

func title(s stats, width int) string {
	left := bold.Render("lro fleet") + faint.Render("  "+number(s.N)+" operations, one poller.Group")
	right := bold.Render(clock(s.Elapsed))
	return left + strings.Repeat(" ", max(width-lipgloss.Width(left)-lipgloss.Width(right), 1)) + right
}

// bar has a piece for each phase, as long as its share of the operations.
func bar(s stats, width int) string {
	pieces := []struct {
		color color.Color
		fill  string
		n     int
	}{
		{green, "█", s.Done},
		{red, "█", s.Failed + s.Refused + s.Lost},
		{yellow, "█", s.Canceled},
		{blue, "▓", s.Group.InFlight},
		{blue, "▒", s.waiting() + s.Resumable},
		{gray, "░", s.N}, // the rest
	}
	const percent = 5
	width -= percent
	var b strings.Builder
	sum, used := 0, 0
	for _, p := range pieces {
		sum = min(sum+p.n, s.N)
		end := sum * width / max(s.N, 1)
		b.WriteString(lipgloss.NewStyle().Foreground(p.color).Render(strings.Repeat(p.fill, end-used)))
		used = end
	}
	return b.String() + bold.Render(fmt.Sprintf("%*d%%", percent-1, s.ended()*100/max(s.N, 1)))
}

// A row is a line within a box.
type row struct {
	name  string
	value string
	color color.Color // nil: the terminal's own
}

func operations(s stats) []row {
	rows := []row{
		{"waiting", number(s.waiting()), blue},
		{"in flight", number(s.Group.InFlight), blue},
		{"done", number(s.Done), green},
		{"failed", number(s.Failed), red},
		{"canceled", number(s.Canceled), yellow},
		{"not begun", number(s.unbegun()), gray},
	}
	for _, rare := range []struct {
		name string
		n    int
	}{{"refused", s.Refused}, {"to be resumed", s.Resumable}, {"lost", s.Lost}} {
		if rare.n > 0 {
			rows = append(rows, row{rare.name, number(rare.n), red})
		}
	}
	return rows
}

func reads(s stats) []row {
	return []row{
		{"polls a second", number(int(s.rate())), nil},
		{"on average", number(int(s.Average)), nil},
		{"polls", number(s.Group.Polls), nil},
		{"errors survived", number(s.Group.Errors), yellow},
		{"oldest read due for", s.Lag.Round(time.Millisecond).String(), nil},
		{"connections", number(int(s.Service.Open)), nil},
	}
}

func process(s stats) []row {
	return []row{
		{"heap", bytesOf(s.Memory.Heap), nil},
		{"resident", bytesOf(s.Memory.RSS), nil},
		{"at most", bytesOf(s.Peak.RSS), nil},
		{"goroutines", number(s.Goroutines), nil},
	}
}

func served(s stats) []row {
	return []row{
		{"requests", number(int(s.Service.Requests)), nil},
		{"of them faulty", number(int(s.Service.Faults)), yellow},
		{"throttled", number(int(s.Service.Throttled)), yellow},
		{"resident, with log", bytesOf(s.Service.Memory.RSS), nil},
	}
}

func box(name string, rows []row, width int) string {
	const frame = 4 // borders and padding
	lines := []string{bold.Render(name)}
	for _, r := range rows {
		style := lipgloss.NewStyle()
		if r.color != nil {
			style = style.Foreground(r.color)
		}
		gap := max(width-frame-lipgloss.Width(r.name)-lipgloss.Width(r.value), 1)
		lines = append(lines, faint.Render(r.name)+strings.Repeat(" ", gap)+style.Render(r.value))
	}
	return lipgloss.NewStyle().Border(lipgloss.RoundedBorder()).BorderForeground(gray).Padding(0, 1).Width(width).
		Render(strings.Join(lines, "\n"))
}

// spark draws the last rates that fit into width.
func spark(rates []float64, width int) string {
	rates = rates[max(len(rates)-max(width, 0), 0):]
	if len(rates) == 0 {
		return ""
	}
	levels := []rune(" ▁▂▃▄▅▆▇█")
	most := max(slices.Max(rates), 1)
	var b strings.Builder
	for _, r := range rates {
		level := int(math.Ceil(r / most * float64(len(levels)-1)))
		b.WriteRune(levels[min(max(level, 0), len(levels)-1)])
	}
	return lipgloss.NewStyle().Foreground(green).Render(b.String())
}

func clock(d time.Duration) string {
	return fmt.Sprintf("%02d:%04.1f", int(d.Minutes()), math.Mod(d.Seconds(), 60))
}

// number groups the digits of n by threes.
func number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// bytesOf tells a size in MB; a dash where it is not known.
func bytesOf(n uint64) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
