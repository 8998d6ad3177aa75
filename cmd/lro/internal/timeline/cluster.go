package timeline

import (
	"fmt"
	"time"
)

// apart is the minimum distance in pixels between two marks that look the same. It limits the
// picture to a few hundred marks, even for thousands of readings.
const apart = 4.0

// A cluster is a reading and the similar readings soon after it. The picture shows them as a single
// mark, because separate marks would overlap.
type cluster struct {
	reading
	more  int           // the number of readings after the first
	until time.Duration // the time of the last reading, if more > 0
}

func (c cluster) tip() string {
	s := c.reading.tip()
	if c.more > 0 {
		s += fmt.Sprintf("\nand %d more until %s", c.more, human(c.until))
	}
	return s
}

// look returns a key. Readings with the same key have marks that look the same.
func (r reading) look() string { return fmt.Sprint(r.kind, r.err != "", r.ended()) }

// clusters returns the readings in clusters, each of which is drawn as one mark.
func (c *chart) clusters() (all []cluster) {
	last := map[string]int{} // for each key, the index of its latest cluster
	for _, r := range c.readings {
		look := r.look()
		if i, ok := last[look]; ok && c.x(r.at)-c.x(all[i].at) < apart {
			all[i].more++
			all[i].until = r.at
			continue
		}
		last[look] = len(all)
		all = append(all, cluster{reading: r})
	}
	return all
}

// longPauses returns the pauses to draw. It merges a pause into the previous one if the two
// together are too narrow for separate boxes.
func (c *chart) longPauses() (all []pause) {
	merged := 0
	for _, p := range c.pauses() {
		if n := len(all); n > 0 && c.x(p.to)-c.x(all[n-1].from) < apart {
			merged++
			last := &all[n-1]
			last.to = p.to
			last.asked += p.asked
			last.why = fmt.Sprintf("%d pauses", merged)
			continue
		}
		merged = 1
		all = append(all, p)
	}
	return all
}

// long reports whether r took long enough for the picture to show its duration.
func (c *chart) long(r reading) bool { return c.x(r.at)-c.x(r.from) > 3 }
