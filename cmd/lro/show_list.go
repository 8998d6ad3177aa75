package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A listing prints items as they come: an array on a terminal, which lacks its
// end where the listing does, and lines of JSON elsewhere.
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
