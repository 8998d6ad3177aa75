package bench

import "testing"

// An aim is what a line of the table is to reach, and whether it has.
type aim struct {
	text string
	met  func(line) bool
}

// aims are those of the module, by the key of the line. The metrics of a line
// are in the order of the table.
var aims = map[string]aim{
	"poll/" + string(async):    halfTheTimeAnd20,
	"poll/" + string(location): halfTheTimeAnd20,
	"poll/" + string(state):    halfTheTimeAnd20,
	"retrying": {"below azcore in both", func(l line) bool {
		return l.toAzcore(0) < 1 && l.toAzcore(1) < 1
	}},
	"begin":  halfTheTime,
	"resume": halfTheTime,
	"waiting": {"≤ 1 kB, no goroutine", func(l line) bool {
		return l.metrics[0].of[lro] <= 1000 && l.metrics[1].of[lro] < 0.1
	}},
	"result": {"≤ 3.0, peak ≤ 2.2", func(l line) bool {
		return l.metrics[0].of[lro] <= 3 && l.metrics[1].of[lro] <= 2.2
	}},
	"fleet": {"≤ 4.5 s, ≤ 45 MB, ≤ 128 connections", func(l line) bool {
		return l.metrics[0].of[lro] <= 4.5 && l.metrics[1].of[lro] <= 45e6 && l.metrics[2].of[lro] <= 128
	}},
	"simulated": {"≤ 1.5 × the cost at 1,000", func(l line) bool {
		return l.metrics[0].of[lro] <= 1.5*l.metrics[1].of[lro]
	}},
}

var halfTheTime = aim{"≤ 0.5 × azcore's time", func(l line) bool { return l.toAzcore(0) <= 0.5 }}

var halfTheTimeAnd20 = aim{"≤ 0.5 × azcore's time, ≤ 20 allocs", func(l line) bool {
	return l.toAzcore(0) <= 0.5 && l.metrics[1].of[lro] <= 20
}}

// Allocations do not depend on what else the machine does, so they are held
// where they are. A change that gets nearer to the floor lowers its number here.
const (
	allocsAsync    = 14
	allocsLocation = 6
	allocsState    = 12
	allocsRetrying = 53
	allocsBegin    = 15
	allocsResume   = 14
)

// allocsSlack is for what sync.Pool forgets, on purpose under the race detector.
const allocsSlack = 1.1

func TestAllocs(t *testing.T) {
	for what, held := range map[string]struct {
		most float64
		run  runner
	}{
		"a poll, " + string(async):    {allocsAsync, polls(t, async)[lro]},
		"a poll, " + string(location): {allocsLocation, polls(t, location)[lro]},
		"a poll, " + string(state):    {allocsState, polls(t, state)[lro]},
		"a poll, retrying":            {allocsRetrying, retryingPolls(t)[lro]},
		"begin":                       {allocsBegin, begins(t)[lro]},
		"resume":                      {allocsResume, resumes(t)[lro]},
	} {
		must(t, held.run(1))
		if got, _ := allocated(t, 100, held.run); got > held.most*allocsSlack {
			t.Errorf("%s: %.1f allocations, held to %.0f", what, got, held.most)
		}
	}
}
