package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// A logger makes lines for people of the provider's log, and presses Ctrl-C when it
// is time.
type logger struct{ *demo }

func (l logger) Write(b []byte) (int, error) {
	var record map[string]any
	if json.Unmarshal(b, &record) != nil || record["@level"] == "trace" || record["@level"] == "debug" {
		return len(b), nil
	}
	message := fmt.Sprint(record["@message"])
	if strings.HasSuffix(message, "using provided default") { // of the timeouts, each time
		return len(b), nil
	}
	var line strings.Builder
	line.WriteString("  log: " + message)
	for _, name := range []string{"widget", "verb", "state", "percent", "error"} {
		if v, ok := record[name]; ok {
			fmt.Fprintf(&line, " %s=%v", name, v)
		}
	}
	l.printf("%s\n", line.String())
	if _, ok := record["state"]; ok {
		l.ctrlC()
	}
	return len(b), nil
}

// ctrlC stops the provider after as many statuses as were to come before. The
// provider waits for its log, so that Ctrl-C comes there however slow the machine
// is; a clock would send it too early or too late.
func (d *demo) ctrlC() {
	if d.left--; d.left == 0 {
		d.printf("^C\n")
		_ = d.workspace.Stop(context.Background()) // a context without the log, which is being written
	}
}
