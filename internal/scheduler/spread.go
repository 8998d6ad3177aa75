package scheduler

import (
	"context"
	"math"
	"time"
)

const (
	spreadShare = 10                     // reads are spread over at most pause/spreadShare, unless they are overdue
	spreadGap   = 100 * time.Millisecond // the longest gap between two spread reads
)

// A pace spreads out reads that fall due together.
type pace struct {
	free    time.Duration // the next free start time
	crowded float64       // how many reads found their window full
}

// next returns the start time of a due read, between now and now+window. It expects at most n reads
// to fall due together.
func (p *pace) next(now, window time.Duration, n int) time.Duration {
	at := max(now, p.free)
	if at > now+window {
		// The window is full. Choose a start time within it anyway, using multiples of the golden
		// ratio, whose fractional parts cover an interval evenly.
		p.crowded++
		_, part := math.Modf(p.crowded * math.Phi)
		return now + time.Duration(part*float64(window))
	}

	p.free = at + min(window/time.Duration(max(n, 1)), spreadGap)
	return at
}

// windowOf returns by how much the start of a read may be delayed to spread reads. For an overdue
// read, this is the whole pause, because many reads can be overdue after a restart. If ctx has a
// deadline, the window leaves time for the response.
func windowOf(ctx context.Context, due Due, longest time.Duration, isOverdue bool) time.Duration {
	window := min(due.Pause/spreadShare, longest)
	if isOverdue && longest > 0 {
		window = due.Pause
	}
	if deadline, ok := ctx.Deadline(); ok {
		window = min(window, deadline.Sub(due.At)/2, deadline.Sub(wallClock())/2)
	}
	return max(window, 0)
}

// wallClock returns the time without a monotonic clock reading, so that the difference between two
// times includes the time for which the machine was suspended.
func wallClock() time.Time { return time.Now().Round(0) }
