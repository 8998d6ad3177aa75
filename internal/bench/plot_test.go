package bench

import (
	"fmt"
	"math"
	"strings"
)

// The plot has a bar for each subject but azcore, which is the line that all
// bars start at: to the left is less than azcore, to the right more. Its scale
// is logarithmic, and its greys are readable on a light and on a dark page.
const (
	plotLeft, plotRight = 290, 860
	plotLow, plotHigh   = 0.01, 10.0
	barHeight, barGap   = 7, 9
)

var barColors = map[string]string{lro: "#3b82d6", hashicorp: "#c08a3e", floor: "#8b949e"}

// plot draws the ratios to azcore of all metrics that have a name.
func plot(lines []line) string {
	var b strings.Builder
	y := 50
	for _, l := range lines {
		for _, m := range l.metrics {
			if m.name == "" || m.of[azcore] == 0 {
				continue
			}
			text(&b, plotLeft-10, y+17, "end", l.short+" – "+m.name)
			for _, subject := range subjects {
				if _, ok := m.of[subject]; ok && subject != azcore {
					bar(&b, y, subject, m.toAzcore(subject))
				}
				if subject != azcore {
					y += barHeight + 1
				}
			}
			y += barGap
		}
	}
	return frame(y, axis(y)+b.String())
}

// at is where a ratio is on the scale.
func at(ratio float64) float64 {
	clamped := math.Min(math.Max(ratio, plotLow), plotHigh)
	return plotLeft + (plotRight-plotLeft)*math.Log(clamped/plotLow)/math.Log(plotHigh/plotLow)
}

func bar(b *strings.Builder, y int, subject string, ratio float64) {
	from, to := math.Min(at(1), at(ratio)), math.Max(at(1), at(ratio))
	fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"><title>%s: %.2f × azcore</title></rect>`+"\n",
		from, y, math.Max(to-from, 1), barHeight, barColors[subject], subject, ratio)
}

func text(b *strings.Builder, x, y int, anchor, s string) {
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", x, y, anchor, s)
}

// axis draws the scale and the legend.
func axis(bottom int) string {
	var b strings.Builder
	for _, tick := range []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10} {
		x, width := int(at(tick)), 0.5
		if tick == 1 {
			width = 1.5
		}
		fmt.Fprintf(&b, `<line x1="%d" y1="40" x2="%d" y2="%d" stroke="#8b949e" stroke-width="%.1f"/>`+"\n", x, x, bottom, width)
		text(&b, x, 34, "middle", fmt.Sprintf("%g", tick))
	}
	text(&b, plotLeft-30, 34, "end", "× azcore (1), less is better")
	x := plotLeft
	for _, subject := range subjects {
		if color := barColors[subject]; color != "" {
			fmt.Fprintf(&b, `<rect x="%d" y="7" width="10" height="10" fill="%s"/>`+"\n", x, color)
			text(&b, x+14, 16, "start", subject)
			x += 110
		}
	}
	return b.String()
}

func frame(bottom int, inside string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" `+
		`font-family="system-ui, sans-serif" font-size="12" fill="#7d8590">`+"\n%s</svg>\n", plotRight+20, bottom+10, plotRight+20, bottom+10, inside)
}
