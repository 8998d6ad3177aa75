package main

import "slices"

// legend says what the marks mean, those that there are.
func (c *chart) legend() {
	const rise = 4 // of the text below the middle of the marks
	c.y += 34
	x := margin
	for _, item := range []struct {
		text  string
		shown bool
		mark  func(x, y float64) []*node
	}{
		{"begun", c.any(func(r reading) bool { return r.kind == begin }), reading{kind: begin}.mark},
		{"status told", true, reading{kind: poll}.mark},
		{"no status told", c.any(func(r reading) bool { return r.err != "" }), reading{err: "x"}.mark},
		{"result read", c.any(func(r reading) bool { return r.kind == result }), reading{kind: result, state: "Succeeded"}.mark},
		{"pause that the service asked for", c.paused(func(p pause) bool { return p.asked > 0 }), swatch("asked")},
		{"pause of the poller's own", c.paused(func(p pause) bool { return p.known && p.asked < p.to-p.from-blink }), swatch("own")},
		{"pause, whoever asked for it", c.paused(func(p pause) bool { return !p.known }), swatch("untold")},
	} {
		if !item.shown {
			continue
		}
		if x+24+wide(item.text) > width-margin {
			x, c.y = margin, c.y+22
		}
		c.add(item.mark(x+8, c.y)...)
		c.add(label("", x+24, c.y+rise, item.text))
		x += 24 + wide(item.text) + 18
	}
}

// swatch shows the color of a pause.
func swatch(class string) func(x, y float64) []*node {
	return func(x, y float64) []*node { return []*node{box(class, x-8, y-6, 18, 12, 2)} }
}

// any reports whether some reading is so.
func (w *wait) any(so func(reading) bool) bool { return slices.ContainsFunc(w.readings, so) }

// paused reports whether some pause is so.
func (w *wait) paused(so func(pause) bool) bool { return slices.ContainsFunc(w.pauses(), so) }
