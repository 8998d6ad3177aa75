package main

import (
	"fmt"
	"io"
	"os"

	"github.com/lro-go/lro/poller"
)

// A screen shows lines, and lines that change.
type screen struct {
	w        io.Writer
	terminal bool
	err      error // the first one of w; nothing is written after it
}

func newScreen(w io.Writer) *screen { return &screen{w: w, terminal: isTerminal(w)} }

// isTerminal reports whether what is written to w is seen at once by somebody.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (s *screen) printf(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format, args...)
	}
}

func (s *screen) line(label string) *line { return &line{screen: s, label: label} }

// A line shows how one operation is getting on. On a terminal it is written
// over, elsewhere each status has a line of its own.
type line struct {
	screen *screen
	label  string
	open   bool // and has no line ending yet
}

func (l *line) show(s poller.Status) {
	text := fmt.Sprintf("  %-22s%s", l.label, describe(s))
	if !l.screen.terminal {
		l.screen.printf("%s\n", text)
		return
	}
	const erase = "\r\x1b[K" // back to the start, and empty the line
	l.screen.printf("%s%s", erase, text)
	l.open = true
}

// end leaves the line as it is.
func (l *line) end() {
	if l.open {
		l.screen.printf("\n")
		l.open = false
	}
}

// describe tells a status in the service's own word, and how far the operation
// has come where the service says so.
func describe(s poller.Status) string {
	word := s.Word
	if word == "" {
		word = string(s.State)
	}
	if s.PercentComplete != nil {
		word += fmt.Sprintf(" %.0f%%", *s.PercentComplete)
	}
	if s.ReadErr != nil {
		word += " (could not be read just now; asking again)"
	}
	return word
}
