package poller

import (
	"encoding/json"
	"strings"
)

// fields are the members of a document that matter, for a scanner to fill in.
type fields interface {
	// field returns where the member of a name goes, with a bit of its own; nil for
	// a name of no interest.
	field(name []byte) (into json.Unmarshaler, bit uint)
	names() []string // that field knows
}

// plain decodes an object into f, and reports whether it was plain. If it was not,
// f may hold a part of it.
func plain(b []byte, f fields) bool {
	s := scanner{b: b}
	return s.fill(maxPlain, f) && s.end()
}

// fill decodes the object that is next.
func (s *scanner) fill(depth int, f fields) bool {
	var seen uint
	return s.members(depth, func(name []byte, depth int) bool {
		into, bit := f.field(name)
		if into == nil {
			return !resembles(name, f.names()) && s.pass(depth)
		}
		if seen&bit != 0 { // of two members with one name encoding/json has its own choice
			return false
		}
		seen |= bit
		if s.isNext('{') {
			if within, ok := into.(fields); ok {
				return s.fill(depth, within)
			}
		}
		value, ok := s.value(depth)
		return ok && into.UnmarshalJSON(value) == nil
	})
}

// resembles reports whether encoding/json, for which case does not count, takes a
// name for one of names.
func resembles(name []byte, names []string) bool {
	for _, n := range names {
		if len(n) == len(name) && strings.EqualFold(n, string(name)) {
			return true
		}
	}
	return false
}
