package main

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

var sample = stats{
	n:      10_000,
	counts: counts{Started: 9000, Refused: 1, Done: 5000, Failed: 60, Canceled: 40},
	group:  poller.GroupStats{Waiting: 3836, InFlight: 64, Ended: 5100, Polls: 34567, Errors: 789},
	lag:    1234567 * time.Nanosecond, elapsed: 83400 * time.Millisecond,
	heap: 30_000_000, peak: 70_500_000, goroutines: 170,
}

const want = `10,000 operations                                                 83.4 s

██████████████████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░  51%
█ done  █ failed  █ canceled  ▓ being read  ▒ waiting  ░ not started

waiting          3,836  reads           34,567  heap           30.0 MB
being read          64  reads a second     414  peak memory    70.5 MB
done             5,000  failed reads       789  goroutines         170
failed              60  oldest is late     1ms
canceled            40
not started        999

Ctrl-C ends the wait. Operations that have not ended can be resumed.
`

var escapes = regexp.MustCompile("\x1b\\[[0-9]*[A-Za-z]")

func visible(text string) string {
	text = escapes.ReplaceAllString(text, "")
	return regexp.MustCompile(" +\n").ReplaceAllString(text, "\n")
}

func TestRender(t *testing.T) {
	require.Equal(t, want, visible(render(sample)))
	for _, s := range []stats{{elapsed: time.Second}, {n: 1, elapsed: time.Second}, sample} {
		for line := range strings.SplitSeq(visible(render(s)), "\n") {
			require.LessOrEqual(t, utf8.RuneCountInString(line), width, line)
		}
	}
}

// The second view is drawn over the first.
func TestRedraw(t *testing.T) {
	draw := redraw()
	require.NotContains(t, draw(sample), "A")
	require.True(t, strings.HasPrefix(draw(sample), "\x1b[13A"), "the view has 13 lines")
	require.Equal(t, 13, strings.Count(want, "\n"))
}

func TestLine(t *testing.T) {
	require.Equal(t, " 83.4 s  waiting 3836  in flight 64  done 5000  failed 60  canceled 40  reads/s 414  failed reads 789  heap 30.0 MB", line(sample))
}
