package output

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8/cwriter"
)

// Options says where and how a Printer prints.
type Options struct {
	Stdout, Stderr         io.Writer
	StdoutJSON, StderrJSON bool // whether to print lines of JSON instead of text
	Bar                    bool // whether Stderr is a terminal that can show a bar
	Color                  bool
	Quiet                  bool // whether to omit progress and notes
}

// Detect returns the Options for the two streams. The format is text, json, or empty. An empty
// format means text on a terminal and JSON everywhere else. The environment can turn off colors and
// the bar.
func Detect(stdout, stderr io.Writer, format string, getenv func(string) string) Options {
	terminal := isTerminal(stderr)
	return Options{
		Stdout:     stdout,
		Stderr:     stderr,
		StdoutJSON: format == "json" || format == "" && !isTerminal(stdout),
		StderrJSON: format == "json" || format == "" && !terminal,
		Bar:        terminal && !isDumb(getenv) && hasSize(stderr),
		Color:      terminal && colored(getenv),
	}
}

// colored reports whether the environment allows colors (https://no-color.org).
func colored(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && !isDumb(getenv)
}

// isDumb reports whether TERM says that the terminal supports no control sequences.
func isDumb(getenv func(string) string) bool { return getenv("TERM") == "dumb" }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// hasSize reports whether the terminal w has room for a bar. In some containers and build
// environments, a terminal's size is zero.
func hasSize(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	width, height, err := cwriter.GetSize(int(f.Fd()))
	return err == nil && width > 0 && height > 0
}
