package errors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

const (
	maxDepth   = 16   // of details within details; what is deeper is kept as text
	maxDetails = 1000 // of one error; the rest is dropped
)

// UnmarshalJSON decodes whatever JSON a service sends as an error. It fails for
// no valid JSON: what cannot be understood becomes the message. The error may stand bare or in
// an envelope ("error", "errors", "odata.error", "ErrorEntity", also below
// "properties"), its members may be written in any case, and a string, a number
// or nothing may stand where an object is due. A document that holds no error,
// such as a status document without one, leaves d zero.
func (d *Detail) UnmarshalJSON(b []byte) error {
	*d = decode(b, maxDepth)
	return nil
}

// members are those of a JSON object, by lower-case name.
type members map[string]json.RawMessage

func object(b []byte) (members, bool) {
	var raw map[string]json.RawMessage
	if json.Unmarshal(b, &raw) != nil || raw == nil {
		return nil, false
	}
	m := make(members, len(raw))
	for name, v := range raw {
		name = strings.ToLower(name)
		if _, twice := m[name]; twice && isNull(v) {
			continue
		}
		m[name] = v
	}
	return m, true
}

// first returns the first of the named members that holds something.
func (m members) first(names ...string) json.RawMessage {
	for _, name := range names {
		if v := m[name]; len(v) > 0 && !isNull(v) {
			return v
		}
	}
	return nil
}

func isNull(b []byte) bool { return string(bytes.TrimSpace(b)) == "null" }

func decode(b []byte, depth int) Detail {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || isNull(b) {
		return Detail{}
	}
	if depth == 0 {
		return Detail{Message: cut(string(b), maxText)}
	}
	if m, ok := object(b); ok {
		return decodeObject(m, depth)
	}
	if list := decodeList(b, depth); list != nil {
		return several(list)
	}
	return Detail{Message: text(b)}
}

func decodeObject(m members, depth int) Detail {
	if e := m.first("error", "odata.error", "errorentity"); e != nil {
		return decodeEnveloped(m, e, depth)
	}
	if e := m.first("errors"); e != nil && m.first("code", "message") == nil {
		d := several(decodeList(e, depth))
		d.Trace = text(m.first("trace"))
		return d
	}
	if m.first("code", "message", "details") == nil {
		if p, ok := object(m.first("properties")); ok && p.first("error") != nil {
			return decode(p.first("error"), depth-1)
		}
	}
	return Detail{
		Code:           text(m.first("code")),
		Message:        text(m.first("message", "error_description")),
		Target:         target(m.first("target")),
		Details:        decodeList(m.first("details"), depth),
		InnerError:     bytes.Clone(m.first("innererror")),
		AdditionalInfo: additionalInfo(m.first("additionalinfo")),
		MoreInfo:       text(m.first("more_info", "moreinfo")),
		Trace:          text(m.first("trace")),
	}
}

// decodeEnveloped decodes e, the error that m holds. A string is the message,
// or the code where the message stands beside it, as OAuth 2.0 has it (RFC 6749,
// section 5.2).
func decodeEnveloped(m members, e json.RawMessage, depth int) Detail {
	d := decode(e, depth-1)
	if e[0] == '{' || e[0] == '[' {
		return d
	}
	if beside := text(m.first("message", "error_description")); beside != "" {
		return Detail{Code: d.Message, Message: beside}
	}
	d.Code = text(m.first("code"))
	return d
}

// decodeList decodes an array of errors, or the one error that stands in its
// place. An element without code and message keeps its text.
func decodeList(b json.RawMessage, depth int) []Detail {
	if len(b) == 0 || isNull(b) {
		return nil
	}
	elems := []json.RawMessage{b}
	if b[0] == '[' && json.Unmarshal(b, &elems) != nil {
		return nil
	}
	if depth == 0 {
		return []Detail{{Message: cut(string(b), maxText)}}
	}
	var list []Detail
	for _, elem := range elems[:min(len(elems), maxDetails)] {
		d := decode(elem, depth-1)
		if d.IsZero() && !isNull(elem) {
			d.Message = text(elem)
		}
		list = append(list, d)
	}
	return list
}

// several makes one error of many: the one itself, or an error that lists all.
func several(list []Detail) Detail {
	switch len(list) {
	case 0:
		return Detail{}
	case 1:
		return list[0]
	}
	return Detail{Message: fmt.Sprintf("%d errors", len(list)), Details: list}
}

// text returns a string, the "value" of a localised one (OData v2), or any
// other JSON as it is written.
func text(b json.RawMessage) string {
	if len(b) == 0 || isNull(b) {
		return ""
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		return s
	}
	if m, ok := object(b); ok {
		if v := m.first("value"); v != nil {
			return text(v)
		}
	}
	var buf bytes.Buffer
	if json.Compact(&buf, b) != nil {
		return ""
	}
	return cut(buf.String(), maxText)
}

// target returns a target's text; IBM Cloud's is an object with a name.
func target(b json.RawMessage) string {
	if m, ok := object(b); ok && m.first("name") != nil {
		return text(m.first("name"))
	}
	return text(b)
}

func additionalInfo(b json.RawMessage) []AdditionalInfo {
	if len(b) == 0 {
		return nil
	}
	elems := []json.RawMessage{b}
	if b[0] == '[' && json.Unmarshal(b, &elems) != nil {
		return nil
	}
	var list []AdditionalInfo
	for _, elem := range elems[:min(len(elems), maxDetails)] {
		m, ok := object(elem)
		if !ok || m.first("type", "info") == nil {
			list = append(list, AdditionalInfo{Info: bytes.Clone(elem)})
			continue
		}
		list = append(list, AdditionalInfo{Type: text(m.first("type")), Info: bytes.Clone(m.first("info"))})
	}
	return list
}
