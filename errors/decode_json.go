package errors

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/lro-go/lro/internal/walk"
)

// members are those of a JSON object that matter, by lower-case name. The values
// are parts of the document.
type members map[string][]byte

// wanted are the names that matter, of an error or of what stands in its place.
var wanted = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range []string{
		"error", "odata.error", "errorentity", "errors", "properties", "code", "message", "error_description", "target",
		"details", "innererror", "additionalinfo", "more_info", "moreinfo", "trace", "value", "name", "type", "info",
	} {
		m[name] = true
	}
	return m
}()

// object decodes an object. Where names differ in case alone, the last in the
// order of bytes counts that is not null: that in lower case.
func object(b []byte) (members, bool) {
	raw := map[string][]byte{}
	if walk.Members(b, func(name, value []byte) error {
		if wanted[strings.ToLower(string(name))] {
			raw[string(name)] = value
		}
		return nil
	}) != nil {
		return nil, false
	}
	m := make(members, len(raw))
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		lower := strings.ToLower(name)
		if _, twice := m[lower]; !twice || !isNull(raw[name]) {
			m[lower] = raw[name]
		}
	}
	return m, true
}

// first returns the first of the named members that holds something.
func (m members) first(names ...string) []byte {
	for _, name := range names {
		if v := m[name]; len(v) > 0 && !isNull(v) && string(v) != `""` {
			return v
		}
	}
	return nil
}

// nests reports whether there may be errors within.
func (m members) nests() bool {
	return m.first("details", "error", "errors", "odata.error", "errorentity", "properties") != nil
}

// elements calls f with the elements of an array, or with b where it is none, as
// long as f reports true.
func elements(b []byte, f func(elem []byte) bool) {
	if b[0] != '[' {
		f(b)
		return
	}
	_ = walk.Elements(b, f) // b is valid
}

func isNull(b []byte) bool { return string(b) == "null" }

// saysNothing reports whether b, valid JSON or nothing, is what services write for no
// error at all.
func saysNothing(b []byte) bool {
	switch string(b) {
	case "", "null", "false", "true", "0", `""`:
		return true
	}
	return (b[0] == '{' || b[0] == '[') && len(bytes.TrimSpace(b[1:len(b)-1])) == 0
}

// text returns a string, the "value" of a localised one (OData v2), or any
// other JSON as it is written.
func text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := str(b); ok {
		return s
	}
	if m, ok := object(b); ok {
		if s, ok := str(m["value"]); ok && s != "" {
			return s
		}
	}
	return cut(strings.ToValidUTF8(string(compact(b)), "\uFFFD"), maxText)
}

func str(b []byte) (string, bool) {
	var s string
	ok := len(b) > 0 && b[0] == '"' && json.Unmarshal(b, &s) == nil
	return s, ok
}

// target returns a target's text; IBM Cloud's is an object with a name.
func target(b []byte) string {
	if m, ok := object(b); ok && m.first("name") != nil {
		return text(m.first("name"))
	}
	return text(b)
}

// additionalInfo decodes an array of additions, or the one in its place, as many as
// are left. What is not of the common form is kept whole.
func additionalInfo(b []byte, left int) []AdditionalInfo {
	if saysNothing(b) || left <= 0 {
		return nil
	}
	var list []AdditionalInfo
	elements(b, func(elem []byte) bool {
		m, _ := object(elem)
		info := AdditionalInfo{Type: text(m.first("type")), Info: kept(m.first("info"))}
		switch {
		case isNull(elem):
			return true
		case info.Type == "" && info.Info == nil:
			info.Info = kept(elem)
		}
		list = append(list, info)
		return len(list) < left
	})
	return list
}

// kept returns b as it may stand within an error that is itself stored in JSON, of
// which encoding/json reads 10,000 levels: deeper than maxRaw it is text.
func kept(b []byte) json.RawMessage {
	depth, deepest := 0, 0
	for i, quoted := 0, false; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	if deepest <= maxRaw {
		return compact(b)
	}
	s, _ := json.Marshal(text(b)) // a string: it cannot fail
	return s
}

// compact returns a copy of b without white space; nil of nothing.
func compact(b []byte) json.RawMessage {
	var buf bytes.Buffer
	buf.Grow(len(b))
	if json.Compact(&buf, b) != nil {
		return bytes.Clone(b)
	}
	return buf.Bytes()
}
