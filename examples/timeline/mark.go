package main

import (
	"cmp"
	"fmt"
	"time"
)

// mark is what stands for a reading.
func (r reading) mark(x, y float64) []*node {
	class := string(r.kind)
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
		return []*node{el("path", class, "d", fmt.Sprintf("M%.1f %.1f v14 l11 -7 z", x-3, y-7))}
	case r.ended():
		class = r.state
	}
	return []*node{el("circle", class, "cx", x, "cy", y, "r", 6)}
}

// tip is all that is known of a reading.
func (r reading) tip() string {
	s := fmt.Sprintf("%s, at %s: %s", r.kind, human(r.told), cmp.Or(r.answer(), "told"))
	if took := r.told - r.sent; took > time.Second {
		s += ", after " + human(took)
	}
	if r.asked != nil {
		s += "\nRetry-After: " + human(*r.asked)
	}
	if r.failures > 1 {
		s += fmt.Sprintf("\n%d failures in a row", r.failures)
	}
	if r.err != "" {
		s += "\n" + r.err
	}
	return s + "\nknown: " + cmp.Or(r.word, r.state, "nothing")
}
