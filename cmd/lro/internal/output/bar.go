package output

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

// A bar shows an operation on one line of a terminal:
//
//	[=========>----------]  45%  InProgress (Creating)  1m12s  next read in 8s
//
// It redraws the line even between reads. Without a percentage, a moving dot replaces the part in
// brackets.
type bar struct {
	out    io.Writer
	screen *mpb.Progress
	line   *mpb.Bar
	start  time.Time

	mu     sync.Mutex // guards text and status, because mpb draws in its own goroutines
	text   string     // shown until there is a status
	status poller.Status
}

// marginRight is the number of columns left free at the end of the line. Without them, the terminal
// would wrap the line when it displays ^C.
const marginRight = 4

// redraw is the time between two drawings of the line. It is shorter than a second, because the
// line shows times in seconds.
const redraw = 250 * time.Millisecond

// newBar returns a bar on w, which must be a terminal.
func newBar(w io.Writer) *bar {
	b := &bar{
		out:    w,
		start:  time.Now(),
		screen: mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithRefreshRate(redraw)),
	}
	known := mpb.BarStyle().Build()
	unknown := mpb.SpinnerStyle("∙∙∙", "●∙∙", "∙●∙", "∙∙●").PositionLeft().Build()
	fill := func(w io.Writer, s decor.Statistics) error {
		s.AvailableWidth = max(s.AvailableWidth-marginRight, 0)
		if _, status := b.shown(); status.PercentComplete == nil {
			s.RequestedWidth = 3
			return unknown.Fill(w, s)
		}
		return known.Fill(w, s)
	}
	words := func(s decor.Statistics) string {
		words := []rune(b.words())
		room := max(s.AvailableWidth-marginRight, 0)
		return string(words[:min(len(words), room)])
	}
	b.line = b.screen.MustAdd(100, mpb.BarFillerFunc(fill), mpb.BarWidth(22), mpb.AppendDecorators(decor.Any(words)))
	return b
}

// shown returns the text and the status that the bar shows.
func (b *bar) shown() (string, poller.Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text, b.status
}

// say shows text on the bar until there is a status.
func (b *bar) say(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = text
}

// show makes the bar show a status instead of text.
func (b *bar) show(s poller.Status) {
	b.mu.Lock()
	b.text = ""
	b.status = s
	b.mu.Unlock()

	if s.PercentComplete != nil {
		b.line.SetCurrent(min(int64(*s.PercentComplete), 99)) // at 100, mpb would end the bar
	}
}

// above prints a line above the bar. It first returns to column one, because displaying ^C may have
// moved the cursor.
func (b *bar) above(text string) { _, _ = fmt.Fprintln(b.screen, "\r"+text) }

// words returns the text next to the bar.
func (b *bar) words() string {
	text, s := b.shown()
	spent := time.Since(b.start).Truncate(time.Second).String()
	if s.State == "" {
		return strings.TrimSpace(text + "  " + spent)
	}

	words := describe(s.State, s.Word)
	if s.PercentComplete != nil {
		words = fmt.Sprintf("%3.0f%%  %s", *s.PercentComplete, words)
	}
	words += "  " + spent
	if next := nextRead(s); next != "" {
		words += "  " + next
	}
	if s.ReadErr != nil {
		words += "  (the last read failed)"
	}
	return words
}

// end removes the bar.
func (b *bar) end() {
	b.line.Abort(true)
	b.screen.Wait()
	say(b.out, "\r\x1b[K") // clear the whole line, because mpb may leave a ^C at the start of the line
}
