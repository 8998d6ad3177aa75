package errors

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/redact"
)

// members holds those members of a JSON object that may belong to an error. The keys are lower-case
// names, and the values are slices of the document.
type members map[string][]byte

// wanted reports whether a member with this lower-case name may be part of an error.
func wanted(name string) bool {
	switch name {
	case "errors", "properties", "code", "errorcode", "message", "error_description", "target", "exception", "javaclassname",
		"details", "innererror", "additionalinfo", "more_info", "moreinfo", "trace", "value", "name", "type", "info",
		"title", "detail", "status", "traceid", "provisioningerror":
		return true
	}
	return slices.Contains(envelopes, name)
}

// object returns the members of b, which must be valid JSON, and reports whether b is an object.
// Among names that differ only in case, the last one in byte order with a non-null value wins, so
// an all-lower-case name takes precedence.
func object(b []byte) (members, bool) {
	raw := map[string][]byte{}
	err := jsonread.Members(b, func(name, value []byte) {
		if wanted(strings.ToLower(string(name))) {
			raw[string(name)] = value
		}
	})
	if err != nil {
		return nil, false
	}

	m := make(members, len(raw))
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		lower := strings.ToLower(name)
		_, isRepeated := m[lower]
		if isRepeated && isNull(raw[name]) {
			continue
		}
		m[lower] = raw[name]
	}
	return m, true
}

// first returns the first value that is not blank among the members with these names, or nil if
// there is none.
func (m members) first(names ...string) []byte {
	for _, name := range names {
		v := m[name]
		if !isBlank(v) {
			return v
		}
	}
	return nil
}

func isBlank(b []byte) bool {
	switch string(b) {
	case "", "null", `""`:
		return true
	}
	return false
}

// nests reports whether m may contain nested errors.
func (m members) nests() bool {
	return m.first("details", "errors", "properties") != nil || m.first(envelopes...) != nil
}

// code returns the code of an error. For a WebHDFS error, this is the name of the exception
// (WebHDFS REST API, "RemoteException JSON Schema").
func (m members) code() string {
	code := m.first("code", "errorcode")
	if code == nil && m["javaclassname"] != nil {
		code = m.first("exception")
	}
	return text(code)
}

// isProblem reports whether m contains problem details (RFC 9457, "Problem Details for HTTP APIs").
// A title alone is not enough, because resources may have titles too.
func (m members) isProblem() bool {
	if m.first("title") == nil {
		return false
	}
	status, _ := strconv.Atoi(string(m["status"])) // 0 if the status is missing or is not a number
	return status >= 400 || m.first("detail") != nil
}

// elements calls f with each element of the array b until f returns false. If b is not an array, it
// calls f with b itself.
func elements(b []byte, f func(elem []byte) bool) {
	if b[0] != '[' {
		f(b)
		return
	}
	_ = jsonread.Elements(b, f) // cannot fail, because b is valid JSON
}

func isNull(b []byte) bool { return string(b) == "null" }

// isEmpty reports whether b is empty or is JSON that describes no error, such as null, true or {}.
// A non-empty b must be valid JSON.
func isEmpty(b []byte) bool {
	switch string(b) {
	case "", "null", "false", "true", "0", `""`:
		return true
	}
	switch b[0] {
	case '{', '[':
		return len(bytes.TrimSpace(b[1:len(b)-1])) == 0
	}
	return false
}

// text returns the value of a JSON string or, for a localized string (OData v2), the string in its
// "value" member. For anything else, it returns b itself, compacted and cut to redact.MaxText
// bytes.
func text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := jsonread.String(b); ok {
		return s
	}
	m, _ := object(b)
	if s, ok := jsonread.String(m["value"]); ok && s != "" {
		return s
	}
	return redact.Cut(strings.ToValidUTF8(string(compact(b)), "\uFFFD"), redact.MaxText)
}

// target returns the text of a target, or its name if the target is an object with a name, as in
// IBM Cloud.
func target(b []byte) string {
	m, _ := object(b)
	name := m.first("name")
	if name != nil {
		return text(name)
	}
	return text(b)
}

// additionalInfo decodes one AdditionalInfo or an array of them. The parameter left limits how many
// elements it keeps. If an element does not have the form of an AdditionalInfo, all of it goes into
// Info.
func additionalInfo(b []byte, left int) []AdditionalInfo {
	if isEmpty(b) || left <= 0 {
		return nil
	}
	var list []AdditionalInfo
	elements(b, func(elem []byte) bool {
		if isNull(elem) {
			return true
		}
		m, _ := object(elem)
		info := AdditionalInfo{Type: text(m.first("type")), Info: rawJSON(m.first("info"))}
		if info.Type == "" && info.Info == nil {
			info.Info = rawJSON(elem)
		}
		list = append(list, info)
		return len(list) < left
	})
	return list
}

// rawJSON returns a copy of b to store in an error, or the text of b as a JSON string if b has more
// than maxRaw levels. The limit is lower than the 10,000 levels that encoding/json reads, because
// the error may be stored inside other JSON.
func rawJSON(b []byte) json.RawMessage {
	if depthOf(b) <= maxRaw {
		return compact(b)
	}
	s, _ := json.Marshal(text(b)) // Marshal cannot fail for a string
	return s
}

// depthOf returns the nesting depth of b, which must be valid JSON or empty.
func depthOf(b []byte) int {
	depth := 0
	deepest := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = endOfString(b, i)
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

// endOfString returns the index of the closing quote of the string that starts at b[start].
func endOfString(b []byte, start int) int {
	for i := start + 1; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i
		case '\\':
			i++ // skip the escaped character
		}
	}
	return len(b)
}

// compact returns a copy of b without insignificant white space.
func compact(b []byte) json.RawMessage {
	var buf bytes.Buffer
	buf.Grow(len(b))
	if json.Compact(&buf, b) != nil {
		return bytes.Clone(b)
	}
	return buf.Bytes()
}
