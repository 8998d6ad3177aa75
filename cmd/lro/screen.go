package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/vbauerster/mpb/v8/cwriter"

	"github.com/lro-go/lro/poller"
)

// A screen prints the result to the standard output and everything else to the standard error. Each
// of these streams contains either text or lines of JSON. If the standard output contains JSON, the
// screen also prints an error there, so that a program finds the result or the error in one place.
type screen struct {
	out, err         io.Writer
	outJSON, errJSON bool
	terminal         bool // whether err is a terminal
	color            bool
	quiet, plain     bool // plain means without a bar
	bar              *bar // nil while no bar is shown
}

func newScreen(c *command) *screen {
	s := &screen{out: c.stdout, err: c.stderr, terminal: isTerminal(c.stderr), quiet: c.quiet}
	s.outJSON = c.output.value == "json" || c.output.value == "" && !isTerminal(c.stdout)
	s.errJSON = c.output.value == "json" || c.output.value == "" && !s.terminal
	s.color = s.terminal && colored(c.env)
	s.plain = c.verbose || lookup(c.env, "TERM") == "dumb" || s.terminal && !hasSize(c.stderr)
	return s
}

// colored reports whether the environment allows colors (https://no-color.org).
func colored(env []string) bool {
	return lookup(env, "NO_COLOR") == "" && lookup(env, "TERM") != "dumb"
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// hasSize reports whether the terminal w has room for a bar. In some containers and build
// environments, a terminal has a size of zero.
func hasSize(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	width, height, err := cwriter.GetSize(int(f.Fd()))
	return err == nil && width > 0 && height > 0
}

// start shows a bar if possible. Until there is a status, the bar shows text.
func (s *screen) start(text string) {
	if s.terminal && !s.quiet && !s.errJSON && !s.plain && s.bar == nil {
		s.bar = newBar(s.err)
	}
	if s.bar != nil {
		s.bar.say(text)
	}
}

// progress shows text on the bar. If there is no bar, it prints text as a note.
func (s *screen) progress(text string) {
	if s.bar != nil {
		s.bar.say(text)
		return
	}
	s.note(text)
}

// live reports whether there is a bar.
func (s *screen) live() bool { return s.bar != nil }

// show shows a status.
func (s *screen) show(status poller.Status) {
	switch {
	case s.quiet:
	case s.errJSON:
		s.jsonLine(status)
	case s.bar != nil:
		s.bar.show(status)
	default:
		s.textLine(status)
	}
}

// stop removes the bar.
func (s *screen) stop() {
	if s.bar != nil {
		s.bar.end()
		s.bar = nil
	}
}

// note prints a remark.
func (s *screen) note(text string) {
	switch {
	case s.quiet:
	case s.errJSON:
		_ = writeLine(s.err, map[string]string{"note": text})
	case s.bar != nil:
		s.bar.above("lro: " + text)
	default:
		say(s.err, "lro: %s\n", text)
	}
}

// result prints the result of an operation. If there is none, it prints null in JSON output, and a
// note otherwise.
func (s *screen) result(result json.RawMessage) error {
	none := len(result) == 0
	if none {
		result = json.RawMessage("null")
	}
	if s.outJSON {
		return writeLine(s.out, map[string]json.RawMessage{"result": result})
	}
	if none {
		s.note("the operation succeeded and has no result")
		return nil
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, result, "", "  "); err != nil {
		return err
	}
	pretty.WriteByte('\n')
	_, err := pretty.WriteTo(s.out)
	return err
}

// finish prints err, if any, and returns the exit code.
func (s *screen) finish(ctx context.Context, err error) int {
	s.stop()
	code := exitCode(ctx, err)
	if err == nil {
		return code
	}
	f := newFailure(code, err)
	if s.outJSON {
		_ = writeLine(s.out, map[string]any{"error": f})
	}
	switch {
	case !s.errJSON:
		s.tree(f)
	case !s.outJSON:
		_ = writeLine(s.err, map[string]any{"error": f})
	}
	return code
}

// say writes text. It ignores a write error, because that could not be printed either.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// writeLine writes v as one line of JSON.
func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // keeps URLs readable
	return enc.Encode(v)
}

// A listing prints items one by one: as an array if the output is text, and otherwise as lines of
// JSON. If the listing is incomplete, it leaves the array open.
type listing struct {
	*screen
	items int
}

func (s *screen) listing() *listing { return &listing{screen: s} }

func (l *listing) item(item json.RawMessage) error {
	l.items++
	if l.outJSON {
		return writeLine(l.out, map[string]json.RawMessage{"item": item})
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, item, "  ", "  "); err != nil {
		return err
	}
	before := ",\n  "
	if l.items == 1 {
		before = "[\n  "
	}
	_, err := fmt.Fprint(l.out, before, pretty.String())
	return err
}

func (l *listing) end() error {
	var err error
	switch {
	case l.outJSON:
		return writeLine(l.out, map[string]any{"result": map[string]int{"items": l.items}})
	case l.items == 0:
		_, err = fmt.Fprintln(l.out, "[]")
	default:
		_, err = fmt.Fprintln(l.out, "\n]")
	}
	return err
}
