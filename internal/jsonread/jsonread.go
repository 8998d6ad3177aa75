// Package jsonread finds parts of a JSON document without decoding it. The parts are slices of the
// document, so reading a large or deeply nested document needs no additional memory. The maps and
// slices of encoding/json need thirty times the size of the document.
//
// Fill, Members and Elements validate the document in the same pass, and Pointer validates it
// first. WalkPointer expects a valid document.
package jsonread

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
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
		for i := range fields {
			f := &fields[i]
			if f.In != "" && is(name, f.In, plain) {
				*f.To, _ = member(value, func(name []byte) bool { return is(name, f.Name, ascii(name)) })
			} else if f.In == "" && is(name, f.Name, plain) {
				*f.To = value
				others--
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
	if invalid := json.Unmarshal(doc, new(json.RawMessage)); invalid != nil {
		err = invalid
	}
	return 0, err
}

// is reports whether encoding/json regards name and of as the same name. It ignores case, and in
// doing so regards some non-ASCII letters as equal to ASCII letters. plain says whether all
// characters of name are ASCII.
func is(name []byte, of string, plain bool) bool {
	return (!plain || len(name) == len(of)) && strings.EqualFold(string(name), of)
}

func ascii(name []byte) bool {
	for _, c := range name {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Members calls f with each member of the JSON object doc, in order, including duplicate names. The
// name is decoded, and the value is a slice of doc. If f returns an error, Members stops and
// returns this error.
func Members(doc []byte, f func(name, value []byte) error) error {
	return walk(doc, '{', '}', func(i int) (int, error) {
		end := value(doc, i, 1)
		if at(doc, i) != '"' || end < 0 {
			return 0, ErrSyntax
		}
		name, ok := unquote(doc[i:end])
		if i = space(doc, end); !ok || at(doc, i) != ':' {
			return 0, ErrSyntax
		}
		i = space(doc, i+1)
		if end = value(doc, i, 1); end < 0 {
			return 0, ErrSyntax
		}
		return end, f(name, doc[i:end])
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
	if len(doc) < 2 || doc[0] != '"' || doc[len(doc)-1] != '"' {
		return "", false
	}
	s, ok := unquote(doc)
	return string(s), ok
}

// walk calls item with the index at which each item between open and end begins. The function
// returns the index after that item.
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

// trailing returns an error if doc[i:] contains anything but white space.
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

// space returns the index of the first byte, at i or after it, that is not white space (RFC 8259,
// section 2).
func space(doc []byte, i int) int {
	for i < len(doc) && (doc[i] == ' ' || doc[i] == '\n' || doc[i] == '\t' || doc[i] == '\r') {
		i++
	}
	return i
}

// unquote decodes a string in quotes. If possible, the result is a slice of quoted.
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
