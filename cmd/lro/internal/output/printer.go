package output

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/lro-go/lro/poller"
)

// A Printer prints the result to standard output and everything else to standard error. Each stream
// contains either text or lines of JSON. If standard output contains JSON, the Printer prints
// errors there too, so that a program finds the result or the error in one place.
type Printer struct {
	opts Options
	bar  *bar // nil while no bar is shown

	mu sync.Mutex // held while printing a status, a note or the failure of one of several targets
}

// New returns a Printer that shows no bar until Start is called.
func New(opts Options) *Printer { return &Printer{opts: opts} }

// Start shows a bar if the Options permit one. Until there is a status, the bar contains the given
// text.
func (p *Printer) Start(text string) {
	if p.bar == nil && p.opts.Bar && !p.opts.Quiet && !p.opts.StderrJSON {
		p.bar = newBar(p.opts.Stderr)
	}
	if p.bar != nil {
		p.bar.say(text)
	}
}

// HasBar reports whether the Printer shows a bar.
func (p *Printer) HasBar() bool { return p.bar != nil }

// Progress shows the text on the bar or, without a bar, prints it as a note.
func (p *Printer) Progress(text string) {
	if p.bar != nil {
		p.bar.say(text)
		return
	}
	p.Note(text)
}

// Status shows a status.
func (p *Printer) Status(status poller.Status) {
	p.StatusOf("", status)
}

// StatusOf shows the status of one of several targets. The target is empty if there is only one.
func (p *Printer) StatusOf(target string, status poller.Status) {
	if p.opts.Quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opts.StderrJSON {
		line := newStatusLine(status)
		line.Target = target
		_ = writeLine(p.opts.Stderr, map[string]statusLine{"status": line})
		return
	}
	if p.bar != nil {
		p.bar.show(status)
		return
	}
	if target != "" {
		target = shortenURLs(target) + ": "
	}
	say(p.opts.Stderr, "%s%s\n", target, statusText(status))
}

// Note prints a remark.
func (p *Printer) Note(text string) {
	if p.opts.Quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opts.StderrJSON {
		_ = writeLine(p.opts.Stderr, map[string]string{"note": text})
		return
	}
	if p.bar != nil {
		p.bar.above("lro: " + text)
		return
	}
	say(p.opts.Stderr, "lro: %s\n", text)
}

// Stop removes the bar.
func (p *Printer) Stop() {
	if p.bar != nil {
		p.bar.end()
		p.bar = nil
	}
}

// Result prints the result of a command. Without a result, it prints null in JSON output, and the
// note in text output.
func (p *Printer) Result(result json.RawMessage, note string) error {
	if p.opts.StdoutJSON {
		if len(result) == 0 {
			result = json.RawMessage("null")
		}
		return writeLine(p.opts.Stdout, map[string]json.RawMessage{"result": result})
	}
	if len(result) == 0 {
		p.Note(note)
		return nil
	}

	var pretty bytes.Buffer
	if err := json.Indent(&pretty, result, "", "  "); err != nil {
		return err
	}
	pretty.WriteByte('\n')
	_, err := pretty.WriteTo(p.opts.Stdout)
	return err
}

// Finish removes the bar, prints err, if any, and returns the exit code. It uses ctx, the command's
// context, to tell whether the command was stopped.
func (p *Printer) Finish(ctx context.Context, err error) int {
	p.Stop()
	code := exitCode(ctx, err)
	if err == nil {
		return code
	}

	f := newFailure(code, err)
	p.printFailure(f, map[string]any{"error": f})
	return code
}

// printFailure prints f as text or JSON. line is the JSON.
func (p *Printer) printFailure(f *Failure, line any) {
	if p.opts.StdoutJSON {
		_ = writeLine(p.opts.Stdout, line)
	}
	if !p.opts.StderrJSON {
		say(p.opts.Stderr, "%s", f.tree(p.opts.Color))
		return
	}
	if !p.opts.StdoutJSON { // otherwise, standard output already contains the error
		_ = writeLine(p.opts.Stderr, line)
	}
}
