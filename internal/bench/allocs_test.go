//go:build !race

package bench

import (
	"math"
	"testing"
)

// The limits that the tests in this file enforce. Lower them after a change that saves allocations.
const (
	allocsAsync           = 23
	allocsLocation        = 13
	allocsState           = 18
	allocsClient          = 29
	allocsRetrying        = 29
	allocsBegin           = 33
	allocsResume          = 33
	allocsDefault         = 27
	allocsDefaultLocation = 17
	allocsPage            = 1510
)

// allocsSlack is the factor by which a measurement may exceed its limit, because a garbage
// collection may free pooled buffers. With -race, sync.Pool drops many more buffers, so the build
// constraint excludes this file.
const allocsSlack = 1.1

func TestAllocs(t *testing.T) {
	for what, limit := range map[string]struct {
		most float64
		run  runner
	}{
		"a poll, " + string(async):    {allocsAsync, polls(t, async)[lro]},
		"a poll, " + string(location): {allocsLocation, polls(t, location)[lro]},
		"a poll, " + string(state):    {allocsState, polls(t, state)[lro]},
		"a poll, http.Client":         {allocsClient, clientPolls(t)[lro]},
		"a poll, retrying":            {allocsRetrying, retryingPolls(t)[lro]},
		"begin":                       {allocsBegin, begins(t)[lro]},
		"resume":                      {allocsResume, resumes(t)[lro]},
	} {
		must(t, limit.run(1))
		if got, _ := allocated(t, 100, limit.run); got > limit.most*allocsSlack {
			t.Errorf("%s: %.1f allocations, limit %.0f", what, got, limit.most)
		}
	}
}

// TestAllocsByDefault counts the default client's allocations in a child process. It repeats the
// work so often that the limits need no slack.
func TestAllocsByDefault(t *testing.T) {
	for what, limit := range map[string]struct {
		most float64
		o    order
	}{
		"a poll":               {allocsDefault, order{Subject: "poll", Ops: 2000}},
		"a poll of a Location": {allocsDefaultLocation, order{Subject: "location", Ops: 2000}},
		"a page of 100 items":  {allocsPage, order{Subject: "listing", Ops: 200}},
	} {
		limit.o.Measure, limit.o.Rounds = "default", 1
		if got := math.Round(inChild(t, limit.o)[lro+" allocs"]); got > limit.most {
			t.Errorf("%s, default client: %.0f allocations, limit %.0f", what, got, limit.most)
		}
	}
}
