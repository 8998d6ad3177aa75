// Package jsonread finds parts of a JSON document without decoding it. The parts are
// slices of the document, so reading a large or deeply nested one needs no additional
// memory; the maps and slices of encoding/json need thirty times its size.
//
// Fill and Pointer check first that the document is valid JSON. Their variants WalkFill
// and WalkPointer, and Members and Elements, do not: they are for parts of a document that
// was checked already. In invalid JSON they never panic, but may return invalid parts.
package jsonread

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// ErrSyntax reports that a document is not the JSON object or array it should be.
var ErrSyntax = errors.New("not a valid JSON object or array")

// A Field is where [Fill] stores the value of a member. The Name "outer/name" names
// a member of the object outer.
type Field struct {
	Name string
	To   *json.RawMessage
}

// Fill stores the values of the named members of the JSON object doc, whatever the case
// of their names; of several with one name, the last. It returns how many other members
// there are, objects of which it stored a part included. The error comes from
// encoding/json, or is ErrSyntax for another kind of value.
func Fill(doc []byte, fields ...Field) (others int, err error) {
	switch {
	case len(doc) == 0: // without the cost of an error: most 202 are empty
		return 0, ErrSyntax
	case !json.Valid(doc):
		return 0, json.Unmarshal(doc, new(json.RawMessage))
	}
	return WalkFill(doc, fields...)
}

// WalkFill is [Fill] for a document that was checked already.
func WalkFill(doc []byte, fields ...Field) (others int, err error) {
	err = Members(doc, func(name, value []byte) error {
		others++
		for i := range fields {
			outer, inner, nested := strings.Cut(fields[i].Name, "/")
			switch {
			case !is(name, outer):
			case nested:
				*fields[i].To, _ = member(value, func(name []byte) bool { return is(name, inner) })
			default:
				*fields[i].To = value
				others--
			}
		}
		return nil
	})
	return others, err
}

// is reports whether encoding/json takes a name for another.
func is(name []byte, of string) bool {
	return string(name) == of || strings.EqualFold(string(name), of)
}

// Members calls f with each member of the JSON object doc, in order; a name that occurs
// twice is passed twice. The name is decoded, the value is a slice of doc. If f fails,
// Members stops and returns its error.
func Members(doc []byte, f func(name, value []byte) error) error {
	return walk(doc, '{', '}', func(i int) (int, error) {
		end := skip(doc, i)
		if at(doc, i) != '"' || end < 0 {
			return 0, ErrSyntax
		}
		name, ok := unquote(doc[i:end])
		if i = space(doc, end); !ok || at(doc, i) != ':' {
			return 0, ErrSyntax
		}
		i = space(doc, i+1)
		if end = skip(doc, i); end < 0 {
			return 0, ErrSyntax
		}
		return end, f(name, doc[i:end])
	})
}

// Elements calls f with each element of the JSON array doc, in order, until f returns
// false. The elements are slices of doc.
func Elements(doc []byte, f func(value []byte) bool) error {
	err := walk(doc, '[', ']', func(i int) (int, error) {
		end := skip(doc, i)
		if end < 0 {
			return 0, ErrSyntax
		}
		if !f(doc[i:end]) {
			return 0, errStop
		}
		return end, nil
	})
	if err == errStop { //nolint:errorlint // nobody wraps it
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
	if len(doc) < 2 || doc[0] != '"' || doc[len(doc)-1] != '"' {
		return "", false
	}
	s, ok := unquote(doc)
	return string(s), ok
}

// walk calls item with the index of each item between open and end. item returns the
// index after the item.
func walk(doc []byte, open, end byte, item func(i int) (int, error)) error {
	i := space(doc, 0)
	if at(doc, i) != open {
		return ErrSyntax
	}
	if i = space(doc, i+1); at(doc, i) == end {
		return trailing(doc, i+1)
	}
	for {
		next, err := item(i)
		if err != nil {
			return err
		}
		switch i = space(doc, next); at(doc, i) {
		case ',':
			i = space(doc, i+1)
		case end:
			return trailing(doc, i+1)
		default:
			return ErrSyntax
		}
	}
}

// trailing returns an error unless only white space follows i.
func trailing(doc []byte, i int) error {
	if space(doc, i) != len(doc) {
		return ErrSyntax
	}
	return nil
}

// at returns the byte at i, or 0 if doc is shorter.
func at(doc []byte, i int) byte {
	if i >= len(doc) {
		return 0
	}
	return doc[i]
}

// space returns the index of the first byte from i on that is not white space (RFC 8259,
// section 2).
func space(doc []byte, i int) int {
	for i < len(doc) && (doc[i] == ' ' || doc[i] == '\n' || doc[i] == '\t' || doc[i] == '\r') {
		i++
	}
	return i
}

// skip returns the index after the value that begins at i, or -1.
func skip(doc []byte, i int) int {
	switch at(doc, i) {
	case '"':
		return skipString(doc, i)
	case '{', '[':
		return skipNested(doc, i)
	}
	start := i
	for i < len(doc) && !strings.ContainsRune(",:]}\" \n\t\r", rune(doc[i])) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// skipString returns the index after the string that begins at i, or -1.
func skipString(doc []byte, i int) int {
	for i++; i < len(doc); i++ {
		n := bytes.IndexByte(doc[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		escapes := 0
		for doc[i-1-escapes] == '\\' { // stops at the opening quote at the latest
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
	return -1
}

// skipNested returns the index after the array or object that begins at i, or -1.
func skipNested(doc []byte, i int) int {
	for depth := 0; i < len(doc); {
		switch doc[i] {
		case '"':
			if i = skipString(doc, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// unquote decodes a string in quotes. The result is a slice of it where possible.
func unquote(quoted []byte) ([]byte, bool) {
	inner := quoted[1 : len(quoted)-1]
	for _, c := range inner {
		if c < ' ' || c == '\\' || c == '"' || c >= 0x80 {
			var s string
			err := json.Unmarshal(quoted, &s)
			return []byte(s), err == nil
		}
	}
	return inner, true
}
