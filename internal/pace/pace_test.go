package pace

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An event changes a pace. It is "start", "answer" or a number. A number stands for a 429 to the
// most recent request, with that many seconds in Retry-After.
type event struct {
	at   float64 // seconds
	what any
}

// TestPace checks the pace and the next turn after a few events.
func TestPace(t *testing.T) {
	zero := time.Unix(0, 0)
	at := func(s float64) time.Time { return zero.Add(time.Duration(s * float64(time.Second))) }
	type events = []event
	for name, tt := range map[string]struct {
		events
		now  float64
		rate float64 // requests per second
		turn float64 // seconds
	}{
		"the first 429":                         {events{{1, 10}}, 1, 0.1, 11},
		"a first 429 without a pause":           {events{{1, 0}}, 1, 1000, 1},
		"the first turn":                        {events{{1, 10}, {11, "start"}}, 1, 0.1, 21},
		"each answer doubles the pace":          {events{{1, 10}, {11, "start"}, {12, "answer"}, {12, "answer"}}, 1, 0.4, 14.25},
		"a 429 to an earlier request":           {events{{1, 10}, {2, 20}}, 1, 0.1, 22},
		"the second 429 sets the measured pace": {events{{0, 2}, {2, "start"}, {2, "answer"}, {3, "start"}, {4, 2}}, 4, 0.5, 6},
		"the third 429 cuts it by 5%":           {events{{0, 2}, {2, "start"}, {2, "answer"}, {3, "start"}, {4, 2}, {6, "start"}, {6, "answer"}, {6, 2}}, 6, 0.4761, 8},
		"further 429s in a row do not cut it":   {events{{0, 1}, {1, "start"}, {1, 1}, {2, "start"}, {2, 1}, {3, "start"}, {3, 1}}, 3, 1.0022, 4},
		"the seventh in a row cuts it deeply": {events{
			{0, 1},
			{1, "start"},
			{1, 1},
			{2, "start"},
			{2, 1},
			{3, "start"},
			{3, 1},
			{4, "start"},
			{4, 1},
			{5, "start"},
			{5, 1},
			{6, "start"},
			{6, 1},
			{7, "start"},
			{7, 1},
		}, 7, 0.7 * 1.0067, 8.4191},
		"6% in 35 s":        {events{{0, 1}, {1, "start"}, {1, 1}}, 37, 1.058, 2},
		"6.7-fold in 110 s": {events{{0, 1}, {1, "start"}, {1, 1}}, 112, 6.75, 2},
		"the slowest pace":  {events{{0, 1}, {500, "start"}, {500, 1}}, 500, 1. / 120, 501},
	} {
		t.Run(name, func(t *testing.T) {
			var p Pace
			sent := zero
			for _, e := range tt.events {
				switch what := e.what.(type) {
				case int:
					p.Refuse(sent, at(e.at), time.Duration(what)*time.Second)
				case string:
					if what == "start" {
						sent = at(e.at)
						p.Start(sent)
					} else {
						p.Answer(at(e.at))
					}
				}
			}
			require.InDelta(t, tt.rate, p.At(at(tt.now)), tt.rate/100)
			require.InDelta(t, tt.turn, p.Turn().Sub(zero).Seconds(), 0.01)
		})
	}
}

// After thousands of answers, the pace is infinite and the interval is zero. Even many 429s do not
// reduce the pace below the constant slowest, so the next turn is at most 3 minutes away.
func TestPaceIsBounded(t *testing.T) {
	now := time.Unix(0, 0)
	var p Pace
	p.Refuse(time.Time{}, now, time.Second)
	for range 5000 {
		p.Answer(now)
	}
	require.Equal(t, math.Inf(1), p.At(now))
	require.Zero(t, p.Interval(now))
	p.Start(now)
	p.Refuse(now, now, time.Second)
	for range 1000 {
		now = now.Add(time.Minute)
		p.Start(now)
		p.Refuse(now, now, time.Minute)
		require.GreaterOrEqual(t, p.At(now), slowest)
		require.LessOrEqual(t, p.Turn().Sub(now), 3*time.Minute)
	}
	require.False(t, p.IsOver(now.Add(2*time.Minute)))
	require.True(t, p.IsOver(now.Add(10*time.Minute)), "the pace must be forgotten after a few minutes")
	require.Greater(t, p.At(now.Add(1000*time.Hour)), 1e9)
}

// Without a Retry-After, the pauses double from the third on, up to the longest pause. After eight
// pauses, they start over.
func TestBackOff(t *testing.T) {
	var p Pace
	for _, want := range []time.Duration{1, 1, 2, 4, 8, 16, 30, 30, 1} {
		got := p.BackOff(time.Second, 30*time.Second)
		require.Equal(t, want*time.Second, got)
		now := time.Unix(int64(100*want), 0)
		p.Refuse(now, now, got)
	}
}
