package output

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Listing prints items one by one: each as a line in JSON output, or all as one JSON array in
// text output. The array has no closing bracket if the listing is incomplete.
type Listing struct {
	opts  Options
	items int
}

// Listing returns a Listing that prints to standard output.
func (p *Printer) Listing() *Listing { return &Listing{opts: p.opts} }

// Item prints an item.
func (l *Listing) Item(item json.RawMessage) error {
	l.items++
	if l.opts.StdoutJSON {
		return writeLine(l.opts.Stdout, map[string]json.RawMessage{"item": item})
	}

	var pretty bytes.Buffer
	if err := json.Indent(&pretty, item, "  ", "  "); err != nil {
		return err
	}
	before := ",\n  "
	if l.items == 1 {
		before = "[\n  "
	}
	_, err := fmt.Fprint(l.opts.Stdout, before, pretty.String())
	return err
}

// End ends a complete listing: it prints the closing bracket or, in JSON output, the number of
// items.
func (l *Listing) End() error {
	if l.opts.StdoutJSON {
		return writeLine(l.opts.Stdout, map[string]any{"result": map[string]int{"items": l.items}})
	}

	bracket := "\n]"
	if l.items == 0 {
		bracket = "[]"
	}
	_, err := fmt.Fprintln(l.opts.Stdout, bracket)
	return err
}
