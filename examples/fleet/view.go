package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/lro-go/lro/poller"
)

// stats is what the view shows.
type stats struct {
	counts
	n          int // the total number of operations
	group      poller.GroupStats
	lag        time.Duration // how long ago the oldest pending read became due
	elapsed    time.Duration
	heap, peak uint64 // in bytes: the heap, including garbage, and the peak memory of the process; 0 if unknown
	goroutines int
}

func (f *fleet) stats() stats {
	s := stats{
		counts: f.counted(), n: f.cfg.n, group: f.group.Stats(), elapsed: time.Since(f.start),
		heap: heap(), peak: peakMemory(), goroutines: runtime.NumGoroutine(),
	}
	if due := s.group.OldestDue; !due.IsZero() {
		s.lag = max(time.Since(due), 0)
	}
	return s
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// peakMemory returns the peak resident set size of this process in bytes, or 0 if it is unknown,
// which it is on systems other than Linux.
func peakMemory() uint64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, line, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kB uint64
	_, _ = fmt.Fscan(bytes.NewReader(line), &kB)
	return kB << 10
}

func (s stats) ended() int      { return s.Done + s.Failed + s.Canceled }
func (s stats) waiting() int    { return max(s.group.Waiting-s.Resumable, 0) }
func (s stats) notStarted() int { return s.n - s.Started - s.Refused }
func (s stats) rate() int       { return int(float64(s.group.Polls) / s.elapsed.Seconds()) }

// show writes the progress of f to w until ended is closed. On a terminal, it redraws a view five
// times a second. Elsewhere, it writes a line every two seconds.
func show(w io.Writer, f *fleet, ended <-chan struct{}) error {
	pause, draw := 2*time.Second, func(s stats) string { return line(s) + "\n" }
	if out, ok := w.(*os.File); ok {
		if info, err := out.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			pause, draw = 200*time.Millisecond, redraw()
		}
	}
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for over := false; !over; {
		if _, err := fmt.Fprint(w, draw(f.stats())); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ended:
			over = true
		}
	}
	_, err := fmt.Fprint(w, draw(f.stats()))
	return err
}

// redraw returns a function that draws each view over the previous one.
func redraw() func(stats) string {
	up := ""
	return func(s stats) string {
		view := strings.ReplaceAll(render(s), "\n", "\x1b[K\n") // erase the rest of each line
		text := up + view
		up = fmt.Sprintf("\x1b[%dA", strings.Count(view, "\n"))
		return text
	}
}

// line formats the progress as a single line.
func line(s stats) string {
	return fmt.Sprintf("%5.1f s  waiting %d  in flight %d  done %d  failed %d  canceled %d  reads/s %d  failed reads %d  heap %s",
		s.elapsed.Seconds(), s.waiting(), s.group.InFlight, s.Done, s.Failed, s.Canceled, s.rate(), s.group.Errors, megabytes(s.heap))
}

const (
	width = 72

	red, green, yellow, blue, gray, plain = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[34m", "\x1b[90m", "\x1b[0m"
)

// render returns the view of s for a terminal.
func render(s stats) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s%5.1f s\n\n%s\n", width-7, number(s.n)+" operations", s.elapsed.Seconds(), bar(s))
	fmt.Fprintf(&b, "%s█%s done  %s█%s failed  %s█%s canceled  %s▓%s being read  %s▒%s waiting  %s░%s not started\n\n",
		green, plain, red, plain, yellow, plain, blue, plain, blue, plain, gray, plain)
	for _, row := range [][3]struct{ name, value string }{
		{{"waiting", number(s.waiting())}, {"reads", number(s.group.Polls)}, {"heap", megabytes(s.heap)}},
		{{"being read", number(s.group.InFlight)}, {"reads a second", number(s.rate())}, {"peak memory", megabytes(s.peak)}},
		{{"done", number(s.Done)}, {"failed reads", number(s.group.Errors)}, {"goroutines", number(s.goroutines)}},
		{{"failed", number(s.Failed)}, {"oldest is late", s.lag.Round(time.Millisecond).String()}},
		{{"canceled", number(s.Canceled)}},
		{{"not started", number(s.notStarted())}},
	} {
		for _, cell := range row {
			if cell.name != "" {
				fmt.Fprintf(&b, "%-14s%8s  ", cell.name, cell.value)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\nCtrl-C ends the wait. Operations that have not ended can be resumed.\n")
	return b.String()
}

// bar returns a bar with a segment for each state of an operation. The length of a segment is
// proportional to the number of operations in that state.
func bar(s stats) string {
	const length = width - 5 // the rest shows the percentage
	var b strings.Builder
	sum, used := 0, 0
	for _, p := range []struct {
		color, fill string
		n           int
	}{
		{green, "█", s.Done},
		{red, "█", s.Failed + s.Refused + s.Lost},
		{yellow, "█", s.Canceled},
		{blue, "▓", s.group.InFlight},
		{blue, "▒", s.waiting() + s.Resumable},
		{gray, "░", s.n}, // the operations that are not in any other segment
	} {
		sum = min(sum+p.n, s.n)
		end := sum * length / max(s.n, 1)
		b.WriteString(p.color + strings.Repeat(p.fill, end-used))
		used = end
	}
	return b.String() + plain + fmt.Sprintf("%4d%%", s.ended()*100/max(s.n, 1))
}

// summary returns a description of the outcome. The numbers in it add up to the number of
// operations.
func summary(s stats) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s operations in %.1f s: %s done, %s failed, %s canceled.\n",
		number(s.n), s.elapsed.Seconds(), number(s.Done), number(s.Failed), number(s.Canceled))
	for _, rest := range []struct {
		n    int
		text string
	}{
		{s.Resumable, "have not ended and can be resumed: each has a token. This program stores none."},
		{s.notStarted(), "were not started, or their response did not arrive."},
		{s.Refused, "were refused by the service."},
		{s.Lost, "have not ended and cannot be resumed."},
	} {
		if rest.n > 0 {
			fmt.Fprintf(&b, "%s %s\n", number(rest.n), rest.text)
		}
	}
	fmt.Fprintf(&b, "%s reads, %s a second, %s of which failed and were repeated. Peak memory: %s.\n",
		number(s.group.Polls), number(s.rate()), number(s.group.Errors), megabytes(s.peak))
	return b.String()
}

// number returns n with its digits in groups of three.
func number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func megabytes(n uint64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
