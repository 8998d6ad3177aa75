package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/lro-go/lro/poller"
)

// A bar shows an operation on one line of a terminal, drawn anew some times a
// second, so that the time goes on between two reads:
//
//	[=========>----------]  45%  InProgress (Creating)  1m12s  next read in 8s
//
// Where the service tells no percentage, a mark moves in place of the bar.
type bar struct {
	screen *mpb.Progress
	line   *mpb.Bar
	began  time.Time

	mu     sync.Mutex // mpb draws in goroutines of its own
	status poller.Status
}

// redraw is how often the line is drawn: the time on it is in seconds.
const redraw = 250 * time.Millisecond

// newBar draws on w, a terminal.
func newBar(w io.Writer) *bar {
	b := &bar{began: time.Now(), screen: mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithRefreshRate(redraw))}
	known, unknown := mpb.BarStyle().Build(), mpb.SpinnerStyle("∙∙∙", "●∙∙", "∙●∙", "∙∙●").PositionLeft().Build()
	b.line = b.screen.MustAdd(100, mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
		if b.known().PercentComplete == nil {
			return unknown.Fill(w, s)
		}
		return known.Fill(w, s)
	}), mpb.BarWidth(22), mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return b.words() })))
	return b
}

func (b *bar) known() poller.Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}

func (b *bar) show(s poller.Status) {
	b.mu.Lock()
	b.status = s
	b.mu.Unlock()
	if s.PercentComplete != nil {
		b.line.SetCurrent(min(int64(*s.PercentComplete), 99)) // 100 would end the bar, and it is not ours to end
	}
}

// words are what stands beside the bar.
func (b *bar) words() string {
	s := b.known()
	word := string(s.State)
	if said := text(s.Word); said != "" && !strings.EqualFold(said, word) {
		word += " (" + said + ")"
	}
	if s.PercentComplete != nil {
		word = fmt.Sprintf("%3.0f%%  %s", *s.PercentComplete, word)
	}
	word += "  " + time.Since(b.began).Truncate(time.Second).String()
	if !s.NextPoll.IsZero() {
		word += "  " + nextRead(s.NextPoll)
	}
	if s.ReadErr != nil {
		word += "  (the last read failed)"
	}
	return word
}

// end takes the bar away, and leaves what is known last.
func (b *bar) end() {
	b.line.Abort(true)
	b.screen.Wait()
}
