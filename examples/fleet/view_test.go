package main

import (
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	tea "charm.land/bubbletea/v2"

	"github.com/lro-go/lro/poller"
)

var sample = stats{
	N:      10_000,
	counts: counts{Begun: 9000, Refused: 1, Done: 5000, Failed: 60, Canceled: 40},
	Group:  poller.GroupStats{Waiting: 3836, InFlight: 64, Ended: 5100, Polls: 34567, Errors: 789},
	Lag:    1234567 * time.Nanosecond,
	Rates:  []float64{0, 1000, 2000}, Average: 1500.4, Elapsed: 83400 * time.Millisecond,
	Memory: memory{Heap: 30_000_000}, Peak: memory{RSS: 70_500_000}, Goroutines: 170,
	Service: report{Requests: 45678, Faults: 901, Throttled: 23, Open: 65, Memory: memory{RSS: 150_000_000}},
}

const want = `lro fleet  10,000 operations, one poller.Group           01:23.4

██████████████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░  51%

╭──────────────────────────────╮╭──────────────────────────────╮
│ Operations                   ││ Reads                        │
│ waiting                3,836 ││ polls a second         2,000 │
│ in flight                 64 ││ on average             1,500 │
│ done                   5,000 ││ polls                 34,567 │
│ failed                    60 ││ errors survived          789 │
│ canceled                  40 ││ oldest read due for      1ms │
│ not begun                999 ││ connections               65 │
│ refused                    1 │╰──────────────────────────────╯
╰──────────────────────────────╯
`

func TestRender(t *testing.T) {
	got := ansi.Strip(render(sample, 64))
	require.Contains(t, trimmed(got), want)
	for _, text := range []string{
		"heap                 30.0 MB", "resident                   –", "at most              70.5 MB", "goroutines               170",
		"requests              45,678", "of them faulty           901", "throttled                 23", "resident, with log  150.0 MB",
		"polls a second   ▄█\n",
	} {
		require.Contains(t, got, text)
	}
	require.NotContains(t, got, "to be resumed")
	require.NotContains(t, got, "lost")

	interrupted := sample
	interrupted.Resumable, interrupted.Lost = 3899, 1
	require.Contains(t, ansi.Strip(render(interrupted, 64)), "to be resumed          3,899")
	require.Contains(t, ansi.Strip(render(interrupted, 64)), "lost                       1")
}

// A view is as wide as the terminal within limits, whatever there is to show.
func TestRenderFits(t *testing.T) {
	for width, want := range map[int]int{0: leastWidth, leastWidth: leastWidth, 81: 81, 500: mostWidth} {
		for _, s := range []stats{{}, {N: 1}, sample} {
			for i, line := range strings.Split(render(s, width), "\n") {
				require.LessOrEqual(t, lipgloss.Width(line), want, "width %d, line %d: %s", width, i, line)
			}
		}
	}
}

func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestLine(t *testing.T) {
	require.Equal(t, "01:23.4  waiting 3836  in flight 64  done 5000  failed 60  canceled 40  polls/s 2000  errors 789"+
		"  heap 30.0 MB  resident –  goroutines 170  connections 65", line(sample))
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		require.Equal(t, want, number(n))
	}
}

func TestLiveEndsWithTheFleet(t *testing.T) {
	ended, stopped := make(chan struct{}), 0
	m := newMeter(newFleet(small(t), ""), func() report { return report{} })
	l := live{meter: m, ended: ended, stop: func() { stopped++ }}

	next, _ := l.Update(tea.WindowSizeMsg{Width: 90})
	require.Equal(t, 90, lipgloss.Width(next.View().Content))
	_, cmd := next.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
	require.Nil(t, cmd, "the fleet ends first")
	require.Equal(t, 1, stopped)

	_, cmd = next.Update(tick{})
	require.NotNil(t, cmd)
	close(ended)
	_, cmd = next.Update(tick{})
	require.Equal(t, tea.QuitMsg{}, cmd())
}

func TestRateIsOfTheLastSecond(t *testing.T) {
	start := time.Now()
	m := &meter{polls: []reading{{start, 0}}}
	var rates []float64
	for i, polls := range []int{0, 100, 200, 300, 400, 1400} {
		rates = m.rate(reading{start.Add(time.Duration(i+1) * 500 * time.Millisecond), polls})
	}
	require.Equal(t, []float64{0, 100, 200, 200, 200, 1100}, rates)
}
