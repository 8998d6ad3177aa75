package bench

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// These are the subjects, in the order of the table's columns.
const (
	lro       = "lro"
	azcore    = "azcore"
	hashicorp = "hashicorp"
	floor     = "floor"
)

var subjects = []string{lro, azcore, hashicorp, floor}

// A runner repeats the measured work n times.
type runner func(n int) error

// runners maps each measured subject to its runner.
type runners map[string]runner

// A reading holds one subject's measured cost per repetition.
type reading struct {
	rounds        []float64 // nanoseconds per repetition, one element for each round
	cpu           []float64 // nanoseconds of CPU time per repetition, one element for each round
	allocs, bytes float64
}

func (r reading) nanos() float64 { return median(r.rounds) }

// over divides r's time by the other reading's time in each round, and returns the median of these
// ratios.
func (r reading) over(other reading) float64 { return ratio(r.rounds, other.rounds) }

// measure runs the subjects in turn, round after round, so that other load on the machine affects
// them equally.
func measure(tb testing.TB, names []string, of runners, rounds, n int) map[string]reading {
	tb.Helper()
	readings := map[string]reading{}
	for _, name := range names {
		var r reading
		if run, ok := of[name]; ok {
			must(tb, run(1)) // the first run fills caches and pools
			r.allocs, r.bytes = allocated(tb, n, run)
			readings[name] = r
		}
	}
	for range rounds {
		for _, name := range names {
			r, ok := readings[name]
			if !ok {
				continue
			}
			runtime.GC()
			start, before := time.Now(), cpu(tb)
			must(tb, of[name](n))
			r.rounds = append(r.rounds, float64(time.Since(start))/float64(n))
			r.cpu = append(r.cpu, float64(cpu(tb)-before)/float64(n))
			readings[name] = r
		}
	}
	return readings
}

// ratio returns the median of the ratios a[i]/b[i] over all rounds.
func ratio(a, b []float64) float64 {
	all := make([]float64, len(a))
	for i := range a {
		all[i] = a[i] / b[i]
	}
	return median(all)
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// allocated returns the average number of allocations and bytes per repetition, over n repetitions.
func allocated(tb testing.TB, n int, run runner) (allocs, bytes float64) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	must(tb, run(n))
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}
