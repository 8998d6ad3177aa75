package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A bar shows an operation on one line of a terminal. It keeps redrawing this line, even between
// reads:
//
//	[=========>----------]  45%  InProgress (Creating)  1m12s  next read in 8s
//
// A moving mark replaces the bar if the service reports no percentage.
type bar struct {
	out    io.Writer
	screen *mpb.Progress
	line   *mpb.Bar
	start  time.Time

	mu     sync.Mutex // guards text and status, because mpb draws in its own goroutines
	text   string     // shown until there is a status
	status poller.Status
}

// spare is the number of columns that stay free at the end of the line. Without them, the line
// would wrap when the terminal displays ^C, which takes two columns.
const spare = 4

// redraw is the interval at which the line is drawn. It is shorter than a second, because the line
// shows times in seconds.
const redraw = 250 * time.Millisecond

// newBar returns a bar on w, which must be a terminal.
func newBar(w io.Writer) *bar {
	b := &bar{out: w, start: time.Now(), screen: mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithRefreshRate(redraw))}
	known, unknown := mpb.BarStyle().Build(), mpb.SpinnerStyle("∙∙∙", "●∙∙", "∙●∙", "∙∙●").PositionLeft().Build()
	b.line = b.screen.MustAdd(100, mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
		s.AvailableWidth = max(s.AvailableWidth-spare, 0)
		if _, status := b.known(); status.PercentComplete == nil {
			s.RequestedWidth = 3
			return unknown.Fill(w, s)
		}
		return known.Fill(w, s)
	}), mpb.BarWidth(22), mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
		words := []rune(b.words())
		return string(words[:min(len(words), max(s.AvailableWidth-spare, 0))])
	})))
	return b
}

func (b *bar) known() (string, poller.Status) {
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

func (b *bar) show(s poller.Status) {
	b.mu.Lock()
	b.text, b.status = "", s
	b.mu.Unlock()
	if s.PercentComplete != nil {
		b.line.SetCurrent(min(int64(*s.PercentComplete), 99)) // at 100, mpb would remove the bar
	}
}

// above prints a line above the bar. It first returns to column one, because the terminal may have
// moved the cursor when it displayed ^C.
func (b *bar) above(text string) { _, _ = fmt.Fprintln(b.screen, "\r"+text) }

// words returns the text next to the bar.
func (b *bar) words() string {
	text, s := b.known()
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
	say(b.out, "\r\x1b[K") // clear the whole line, because mpb does not clear the first columns if the terminal has displayed ^C in them
}

// describe returns a state and, if it is different, the service's own word for it.
func describe(state poller.State, word string) string {
	if word = text(word); word == "" || strings.EqualFold(word, string(state)) {
		return string(state)
	}
	return fmt.Sprintf("%s (%s)", state, word)
}

// textLine shows a status as a line of text, for example in the log of a build.
func (s *screen) textLine(status poller.Status) {
	line := status.String()
	if next := nextRead(status); next != "" {
		line += ", " + next
	}
	say(s.err, "%s\n", line)
}

// nextRead says what happens next, and when. It returns "" if no further read is due.
func nextRead(s poller.Status) string {
	switch {
	case s.NextPoll.IsZero():
		return ""
	case s.State == poller.Succeeded && !s.Unconfirmed:
		return "reading the result"
	case time.Until(s.NextPoll) < 10*time.Millisecond:
		return "reading"
	}
	return "next read " + in(s.NextPoll)
}

// in returns the time until t as text, rounded to a second, or to 10 ms if it is less than a
// second.
func in(t time.Time) string {
	d := time.Until(t)
	if d < time.Second {
		return "in " + d.Round(10*time.Millisecond).String()
	}
	return "in " + d.Round(time.Second).String()
}

// A statusLine is a status as a line of JSON. The service's words are shortened and redacted.
type statusLine struct {
	State       poller.State `json:"state"`
	Word        string       `json:"word,omitempty"`
	Percent     *float64     `json:"percentComplete,omitempty"`
	Unconfirmed bool         `json:"unconfirmed,omitempty"`
	NextPoll    *time.Time   `json:"nextPoll,omitempty"`
	ReadError   string       `json:"readError,omitempty"`
	RequestID   string       `json:"requestId,omitempty"`
}

func (s *screen) jsonLine(status poller.Status) {
	line := statusLine{
		State: status.State, Word: text(status.Word), Percent: status.PercentComplete,
		Unconfirmed: status.Unconfirmed, RequestID: text(status.RequestID),
	}
	if line.State == "" {
		line.State = poller.InProgress
	}
	if !status.NextPoll.IsZero() {
		next := status.NextPoll.UTC()
		line.NextPoll = &next
	}
	if status.ReadErr != nil {
		line.ReadError = text(status.ReadErr.Error())
	}
	_ = writeLine(s.err, map[string]statusLine{"status": line})
}

// text makes text from a service safe to print: it puts the text on one line, shortens and redacts
// it, and removes terminal control sequences. The error types of this module do the same with their
// own text.
func text(s string) string { return lroerrors.AdditionalInfo{Type: s}.String() }
