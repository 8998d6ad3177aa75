package main

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/lro-go/lro/examples/terraform/internal/core"
)

// A screen is where the demo writes, and the log, and Ctrl-C meanwhile.
type screen struct {
	mu *sync.Mutex
	w  io.Writer
}

func (s screen) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(s.w, format, args...)
}

// show writes what came of a command.
func (s screen) show(result core.Result, w *core.Workspace) {
	s.printf("  %s\n", result.Action)
	for _, d := range result.Diagnostics {
		s.printf("  %s: %s\n", d.Severity, d.Summary)
		if d.Attribute != nil {
			s.printf("      at %s\n", d.Attribute)
		}
		for line := range strings.Lines(strings.TrimSpace(d.Detail)) {
			if line = strings.TrimRight(line, "\n"); line != "" {
				s.printf("      %s\n", line)
			}
		}
	}
	s.printf("  state: %s\n", state(w))
}

func state(w *core.Workspace) string {
	if !w.HasState() {
		return "none"
	}
	text := fmt.Sprintf("size = %s, provisioning_state = %q", w.Attribute("size"), w.Attribute("provisioning_state"))
	if w.Tainted() {
		text += ", tainted"
	}
	if w.Private() != "" {
		text += ", and a token in private state"
	}
	return text
}
