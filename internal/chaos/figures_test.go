package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A tally counts events by name.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
	faults map[string]int
}

func newTally() *tally { return &tally{counts: map[string]int{}, faults: map[string]int{}} }

func (t *tally) count(name string) { t.add(name, 1) }

func (t *tally) add(name string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name] += n
}

func (t *tally) fault(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults[name]++
}

// of returns how many times a fault occurred.
func (t *tally) of(fault string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.faults[fault]
}

// counted returns how often the named event was counted.
func (t *tally) counted(name string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[name]
}

// String formats the counts of events and of faults as two tables.
func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := 0
	for _, n := range t.faults {
		sum += n
	}
	var b strings.Builder
	table(&b, t.counts)
	fmt.Fprintf(&b, "%8d  faults, of which\n", sum)
	table(&b, t.faults)
	return b.String()
}

// line formats the counts of all events except faults on one line.
func (t *tally) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t.counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", t.counts[name], name))
	}
	return strings.Join(parts, ", ")
}

func table(b *strings.Builder, of map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(b, "%8d  %s\n", of[name], name)
	}
}
