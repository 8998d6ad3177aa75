// Package jsonread finds parts of a JSON document without decoding it. The parts are slices of the
// document, so reading a large or deeply nested document needs no additional memory. The maps and
// slices of encoding/json need thirty times the size of the document.
//
// It knows the grammar of JSON (RFC 8259), JSON pointers (RFC 6901), and which names encoding/json
// regards as equal. It does not know what any member means, and it decodes only names and strings.
//
// [Fill], [Members] and [Elements] validate the document in the same pass, and [Pointer] validates it
// first. [WalkPointer] expects a valid document.
package jsonread

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrSyntax reports that a document is not the JSON object or array it should be.
var ErrSyntax = errors.New("not a valid JSON object or array")

// A Field says where [Fill] stores the value of a member. If In is set, Fill looks for the member
// not in the document itself, but in the object that is the document's member In.
type Field struct {
	In, Name string
	To       *json.RawMessage
}

// Fill stores the values of the named members of the JSON object doc. It ignores the case of names,
// and if a name occurs more than once, the last member wins. It returns the number of other
// members, including objects of which it stored a part. For an object that is not valid JSON, the
// error comes from encoding/json; for any other kind of value, the error is ErrSyntax. If Fill
// fails, it stores nothing.
func Fill(doc []byte, fields ...Field) (others int, err error) {
	if len(doc) == 0 {
		return 0, ErrSyntax // most 202 responses are empty, so do not spend time on a more detailed error
	}
	err = Members(doc, func(name, value []byte) error {
		others++
		plain := ascii(name)
		isNested := false
		for i := range fields {
			f := &fields[i]
			if !is(name, f.key(), plain) {
				continue
			}
			if f.In == "" {
				*f.To = value
				others--
			} else if !isNested { // one pass fills all fields with the same In
				isNested = true
				fillNested(value, f.In, fields)
			}
		}
		return nil
	})
	if err == nil {
		return others, nil
	}

	for _, f := range fields {
		*f.To = nil
	}
	invalid := json.Unmarshal(doc, new(json.RawMessage))
	if invalid != nil {
		err = invalid
	}
	return 0, err
}

// key returns the name of the member of the document that the field needs.
func (f *Field) key() string {
	if f.In != "" {
		return f.In
	}
	return f.Name
}

// fillNested stores the values of the fields inside doc, which is the value of the member whose
// name is in.
func fillNested(doc []byte, in string, fields []Field) {
	for _, f := range fields {
		if f.In == in {
			*f.To = nil // the last member with this name wins, even if it lacks the field
		}
	}

	_ = Members(doc, func(name, value []byte) error { // if doc is not an object, there is nothing to store
		plain := ascii(name)
		for _, f := range fields {
			if f.In == in && is(name, f.Name, plain) {
				*f.To = value
			}
		}
		return nil
	})
}

// is reports whether encoding/json regards name and of as the same name. It ignores case, and in
// doing so regards some non-ASCII letters as equal to ASCII letters. plain says whether all
// characters of name are ASCII.
func is(name []byte, of string, plain bool) bool {
	if plain && len(name) != len(of) {
		return false
	}
	return strings.EqualFold(string(name), of)
}

// ascii reports whether all characters of name are ASCII.
func ascii(name []byte) bool {
	for _, c := range name {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// member returns the value of the last member of doc whose name satisfies wanted.
func member(doc []byte, wanted func(name []byte) bool) (found json.RawMessage, ok bool) {
	_ = Members(doc, func(name, value []byte) error { // if doc is not an object, this fails and finds nothing
		if wanted(name) {
			found, ok = value, true
		}
		return nil
	})
	return found, ok
}

// Members calls f with each member of the JSON object doc, in order, including duplicate names. The
// name is decoded, and the value is a slice of doc. If f returns an error, Members stops and
// returns this error.
func Members(doc []byte, f func(name, value []byte) error) error {
	return walk(doc, '{', '}', func(i int) (int, error) {
		nameEnd := quoted(doc, i)
		if nameEnd < 0 {
			return 0, ErrSyntax
		}
		name, ok := unquote(doc[i:nameEnd])
		if !ok {
			return 0, ErrSyntax
		}

		start := afterColon(doc, nameEnd)
		if start < 0 {
			return 0, ErrSyntax
		}
		end := value(doc, start, 1)
		if end < 0 {
			return 0, ErrSyntax
		}
		return end, f(name, doc[start:end])
	})
}

// Elements calls f with each element of the JSON array doc, in order, until f returns
// false. The elements are slices of doc.
func Elements(doc []byte, f func(value []byte) bool) error {
	err := walk(doc, '[', ']', func(i int) (int, error) {
		end := value(doc, i, 1)
		if end < 0 {
			return 0, ErrSyntax
		}
		if !f(doc[i:end]) {
			return 0, errStop
		}
		return end, nil
	})
	if err == errStop { //nolint:errorlint // it is never wrapped
		return nil
	}
	return err
}

var errStop = errors.New("stop")

// IsObject reports whether doc begins like a JSON object.
func IsObject(doc []byte) bool { return at(doc, space(doc, 0)) == '{' }

// IsEmpty reports whether doc holds only white space.
func IsEmpty(doc []byte) bool { return len(bytes.TrimSpace(doc)) == 0 }

// String decodes the JSON string doc. It returns false if doc is anything else.
func String(doc []byte) (string, bool) {
	isQuoted := len(doc) >= 2 && doc[0] == '"' && doc[len(doc)-1] == '"'
	if !isQuoted {
		return "", false
	}
	s, ok := unquote(doc)
	return string(s), ok
}

// CheckPointer returns an error unless ptr is a JSON pointer (RFC 6901, section 3).
func CheckPointer(ptr string) error {
	if ptr != "" && ptr[0] != '/' {
		return fmt.Errorf("JSON pointer %q does not begin with a slash", ptr)
	}
	for i, c := range ptr {
		if c == '~' && !isEscape(ptr[i:]) {
			return fmt.Errorf("JSON pointer %q has a ~ that is neither ~0 nor ~1", ptr)
		}
	}
	return nil
}

// isEscape reports whether s begins with the escape of a ~ or a slash in a JSON pointer.
func isEscape(s string) bool { return strings.HasPrefix(s, "~0") || strings.HasPrefix(s, "~1") }

// Pointer returns the value that ptr points to within doc (RFC 6901). It returns false if there is
// no such value, or if ptr or doc is invalid. For the empty pointer, it returns doc without
// checking it. Member names must match exactly.
func Pointer(doc []byte, ptr string) (json.RawMessage, bool) {
	if CheckPointer(ptr) != nil {
		return nil, false
	}
	if ptr != "" && !json.Valid(doc) {
		return nil, false
	}
	return WalkPointer(doc, ptr)
}

// WalkPointer is like [Pointer], but does not check its arguments.
func WalkPointer(doc []byte, ptr string) (json.RawMessage, bool) {
	if ptr != "" {
		doc = bytes.TrimSpace(doc)
	}
	for ptr != "" {
		name, rest := CutPointer(ptr)
		found, ok := child(doc, name)
		if !ok {
			return nil, false
		}
		doc = found
		ptr = rest
	}
	return doc, true
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// CutPointer returns the decoded first name of a non-empty pointer, and the rest of the pointer.
func CutPointer(ptr string) (name, rest string) {
	ptr = ptr[1:]
	end := strings.IndexByte(ptr, '/')
	if end < 0 {
		end = len(ptr)
	}
	return unescape.Replace(ptr[:end]), ptr[end:]
}

// child returns the member of doc with the given name or, if doc is an array, the element with that
// index. If the name occurs more than once, child returns the last member.
func child(doc []byte, name string) (json.RawMessage, bool) {
	i, isIndex := index(name)
	if isIndex && at(doc, 0) == '[' {
		return element(doc, i)
	}
	return member(doc, func(n []byte) bool { return string(n) == name })
}

// element returns the element of doc with the given index.
func element(doc []byte, index int) (found json.RawMessage, ok bool) {
	i := 0
	_ = Elements(doc, func(value []byte) bool {
		if i == index {
			found, ok = value, true
		}
		i++
		return !ok
	})
	return found, ok
}

// index parses an array index, which has no leading zeros (RFC 6901, section 4).
func index(s string) (int, bool) {
	hasLeadingZero := len(s) > 1 && s[0] == '0'
	if hasLeadingZero || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	i, err := strconv.Atoi(s)
	return i, err == nil
}

// IsTime reports whether t can be written as JSON, which has no years above 9999.
func IsTime(t time.Time) bool {
	_, err := t.AppendText(make([]byte, 0, len(time.RFC3339Nano)))
	return err == nil
}
