package output

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// A Several prints the outcome of a wait for several targets, for each target as soon as its wait
// ends. In JSON output, it prints an item for every target, and the number of items or an error
// follows. In text output, it prints an item only for a target that succeeded. The error of a
// target that did not succeed also goes to standard error, unless both outputs are JSON.
type Several struct {
	p       *Printer
	targets int
	failed  int
	exit    int // the exit code for the failures so far
}

// An ending is the item printed when the wait for a target has ended.
type ending struct {
	Target string          `json:"target"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Failure        `json:"error,omitempty"`
}

// Several returns a Several for the given number of targets.
func (p *Printer) Several(targets int) *Several { return &Several{p: p, targets: targets} }

// Result prints a target's result.
func (s *Several) Result(target string, result json.RawMessage) error {
	if len(result) == 0 {
		result = json.RawMessage("null")
	}
	item := ending{Target: target, Result: result}
	if s.p.opts.StdoutJSON {
		return writeLine(s.p.opts.Stdout, map[string]ending{"item": item})
	}

	var pretty bytes.Buffer
	enc := json.NewEncoder(&pretty)
	enc.SetEscapeHTML(false) // keeps URLs readable
	enc.SetIndent("", "  ")
	if err := enc.Encode(item); err != nil {
		return err
	}
	_, err := pretty.WriteTo(s.p.opts.Stdout)
	return err
}

// Failure prints the error of a target that did not succeed, and counts the target. ctx is the
// command's context, as for Finish.
func (s *Several) Failure(ctx context.Context, target string, err error) {
	f := newFailure(exitCode(ctx, err), err)
	f.target = target
	s.count(f.Exit)
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.printFailure(f, map[string]ending{"item": {Target: target, Error: f}})
}

// count records the exit code of a target that did not succeed. The command exits with the smallest
// code other than ExitStopped, or with ExitStopped if there is no other code.
func (s *Several) count(code int) {
	isWorse := s.exit == ExitStopped || code != ExitStopped && code < s.exit
	if s.failed == 0 || isWorse {
		s.exit = code
	}
	s.failed++
}

// End returns a SeveralError if a target did not succeed. Otherwise, in JSON output, it prints the
// number of items.
func (s *Several) End() error {
	if s.failed > 0 {
		return SeveralError{Exit: s.exit, Failed: s.failed, Targets: s.targets}
	}
	if s.p.opts.StdoutJSON {
		return writeLine(s.p.opts.Stdout, map[string]any{"result": map[string]int{"items": s.targets}})
	}
	return nil
}

// A SeveralError reports how many targets of a wait did not succeed. Their errors have already been
// printed.
type SeveralError struct{ Exit, Failed, Targets int }

// Error says how many targets did not succeed.
func (e SeveralError) Error() string {
	if e.Exit == ExitStopped {
		return fmt.Sprintf("stopped waiting for %d of %d", e.Failed, e.Targets)
	}
	return fmt.Sprintf("%d of %d did not succeed", e.Failed, e.Targets)
}
