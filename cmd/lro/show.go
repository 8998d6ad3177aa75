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

// A screen shows things: results on the standard output, everything else on the
// standard error, each as text for people or as a line of JSON for programs.
// An error is told on the standard output too where that is JSON, so that a
// program finds either ending in one place.
type screen struct {
	out, err         io.Writer
	outJSON, errJSON bool
	terminal         bool // err is one: bars and colors
	color            bool
	quiet, plain     bool
}

func newScreen(c *command) *screen {
	s := &screen{out: c.stdout, err: c.stderr, terminal: isTerminal(c.stderr), quiet: c.quiet}
	s.outJSON = c.output == "json" || c.output != "text" && !isTerminal(c.stdout)
	s.errJSON = c.output == "json" || c.output != "text" && !s.terminal
	s.color = s.terminal && colored(c.env)
	s.plain = c.verbose || lookup(c.env, "TERM") == "dumb" || s.terminal && !hasSize(c.stderr)
	return s
}

// colored reports whether a terminal is to be colored (no-color.org).
func colored(env []string) bool {
	return lookup(env, "NO_COLOR") == "" && lookup(env, "TERM") != "dumb"
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// hasSize reports whether there is room for a bar. The terminal of a container or
// a build may be one of no lines.
func hasSize(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	width, height, err := cwriter.GetSize(int(f.Fd()))
	return err == nil && width > 0 && height > 0
}

// A progress shows one status after another.
type progress interface {
	show(poller.Status)
	end()
}

// progress returns what shows an operation. One that had ended when it began is
// not worth a line.
func (s *screen) progress(done bool) progress {
	switch {
	case s.quiet || done:
		return nothing{}
	case s.errJSON:
		return &jsonLines{s}
	case s.terminal && !s.plain:
		return newBar(s.err)
	}
	return &textLines{s}
}

type nothing struct{}

func (nothing) show(poller.Status) {}
func (nothing) end()               {}

// note tells something in passing.
func (s *screen) note(text string) {
	switch {
	case s.quiet:
	case s.errJSON:
		_ = writeLine(s.err, map[string]string{"note": text})
	default:
		say(s.err, "lro: %s\n", text)
	}
}

// result prints the result of an operation: null where it has none.
func (s *screen) result(result json.RawMessage) error {
	if len(result) == 0 {
		result = json.RawMessage("null")
	}
	if s.outJSON {
		return writeLine(s.out, map[string]json.RawMessage{"result": result})
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, result, "", "  "); err != nil {
		return err
	}
	pretty.WriteByte('\n')
	_, err := pretty.WriteTo(s.out)
	return err
}

// finish tells err, and returns the exit code.
func (s *screen) finish(ctx context.Context, err error) int {
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

// say writes text. What cannot be written cannot be told either.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// writeLine writes v as one line of JSON.
func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // URLs stay readable
	return enc.Encode(v)
}
