// Package jsonread finds parts of a JSON document without decoding it. The parts are slices of the
// document, so even a large or deeply nested document needs no additional memory. The maps and
// slices of encoding/json can need more than thirty times the size of the document.
//
// The package implements the grammar of JSON (RFC 8259) and JSON pointers (RFC 6901). [Fill]
// compares names as encoding/json does. The package does not interpret members, and it decodes only
// names and strings. It is a separate package because packages in all layers use it.
//
// [Fill], [Members] and [Elements] validate the document as they scan it. [Pointer] validates it
// first. [WalkPointer] expects a valid document.
package jsonread

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrSyntax reports that a document is not the expected JSON object or array.
var ErrSyntax = errors.New("not a valid JSON object or array")

// A Field says where [Fill] stores the value of the member Name. If In is set, Fill looks for Name
// inside the object that is the value of the member In.
type Field struct {
	In, Name string
	To       *json.RawMessage
}

// Fill stores the values of the named members of the JSON object doc. It ignores the case of names,
// and if a name occurs more than once, the last member wins. It returns the number of members that
// it did not store. An object is counted even if Fill stored a value inside it.
//
// If doc is empty, or valid JSON but not an object, the error is ErrSyntax. Otherwise, the error
// comes from encoding/json. If Fill fails, it stores nothing.
func Fill(doc []byte, fields ...Field) (others int, err error) {
	if len(doc) == 0 {
		return 0, ErrSyntax // a shortcut, because most 202 responses are empty
	}
	err = Members(doc, func(name, value []byte) {
		others++
		plain := ascii(name)
		isNested := false
		for i := range fields {
			f := &fields[i]
			wanted := f.Name
			if f.In != "" {
				wanted = f.In
			}
			if !is(name, wanted, plain) {
				continue
			}
			if f.In == "" {
				*f.To = value
				others--
			} else if !isNested { // one call stores all fields with this In
				isNested = true
				fillNested(value, f.In, fields)
			}
		}
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

// fillNested stores the values of the fields whose In equals the parameter in. doc is the value of
// the member with that name.
func fillNested(doc []byte, in string, fields []Field) {
	for _, f := range fields {
		if f.In == in {
			*f.To = nil // an earlier member with the same name may have set it
		}
	}

	_ = Members(doc, func(name, value []byte) { // if doc is not an object, there is nothing to store
		plain := ascii(name)
		for _, f := range fields {
			if f.In == in && is(name, f.Name, plain) {
				*f.To = value
			}
		}
	})
}

// Two names are equal if encoding/json treats them as equal. encoding/json ignores case, and treats
// some non-ASCII letters as equal to ASCII letters. The second name is always ASCII. If plain is
// true, the first name is ASCII too, so names of different lengths are never equal.
func is(name []byte, of string, plain bool) bool {
	if plain && len(name) != len(of) {
		return false
	}
	return strings.EqualFold(string(name), of)
}

// ascii reports whether name contains only ASCII characters.
func ascii(name []byte) bool {
	for _, c := range name {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Members calls f with each member of the JSON object doc, in order, even if several members have
// the same name. The name is decoded, and the value is a slice of doc. If doc is invalid, Members
// calls f with the members before the error and returns ErrSyntax.
func Members(doc []byte, f func(name, value []byte)) error {
	return eachItem(doc, '{', func(i int) int {
		nameEnd := quoted(doc, i)
		start := afterColon(doc, nameEnd)
		end := value(doc, start, 1)
		if end < 0 {
			return -1
		}
		name, ok := unquote(doc[i:nameEnd])
		if !ok {
			return -1
		}
		f(name, doc[start:end])
		return end
	})
}

// Elements calls f with each element of the JSON array doc, in order, until f returns
// false. The elements are slices of doc.
func Elements(doc []byte, f func(value []byte) bool) error {
	stopped := false
	err := eachItem(doc, '[', func(i int) int {
		end := value(doc, i, 1)
		if end < 0 {
			return -1
		}
		stopped = !f(doc[i:end])
		if stopped {
			return -1
		}
		return end
	})
	if stopped {
		return nil
	}
	return err
}

// IsObject reports whether doc begins like a JSON object.
func IsObject(doc []byte) bool { return at(doc, space(doc, 0)) == '{' }

// IsEmpty reports whether doc contains only white space.
func IsEmpty(doc []byte) bool { return len(bytes.TrimSpace(doc)) == 0 }

// String decodes the JSON string doc. It returns false if doc is not a JSON string.
func String(doc []byte) (string, bool) {
	isQuoted := len(doc) >= 2 && doc[0] == '"' && doc[len(doc)-1] == '"'
	if !isQuoted {
		return "", false
	}
	s, ok := unquote(doc)
	return string(s), ok
}

// maxDepth is the deepest nesting of values that encoding/json accepts.
const maxDepth = 10000

// eachItem calls the function item with the index of each item of the array or object doc. It
// returns ErrSyntax if doc is not valid JSON or does not begin with the given bracket.
func eachItem(doc []byte, open byte, item func(i int) int) error {
	start := space(doc, 0)
	if at(doc, start) != open {
		return ErrSyntax
	}
	end := items(doc, start, item)
	if end < 0 || space(doc, end) != len(doc) {
		return ErrSyntax
	}
	return nil
}

// items calls the function item with the index of each item of the array or object that begins at
// i. item must return the index after the item, or -1 to stop. items returns the index after the
// closing bracket, or -1.
func items(doc []byte, i int, item func(i int) int) int {
	end := doc[i] + 2 // in ASCII, ] comes two after [, and } two after {
	i = space(doc, i+1)
	if at(doc, i) == end {
		return i + 1
	}

	for {
		i = item(i)
		if i < 0 {
			return -1
		}
		i = space(doc, i)
		switch at(doc, i) {
		case ',':
			i = space(doc, i+1)
		case end:
			return i + 1
		default:
			return -1
		}
	}
}

// value returns the index after the value that begins at i, or -1 if the value is invalid (RFC
// 8259, section 3). depth is the number of arrays and objects around the value.
func value(doc []byte, i, depth int) int {
	switch at(doc, i) {
	case '"':
		return quoted(doc, i)
	case '{', '[':
		return nested(doc, i, depth)
	case 't':
		return literal(doc, i, "true")
	case 'f':
		return literal(doc, i, "false")
	case 'n':
		return literal(doc, i, "null")
	}
	return number(doc, i)
}

// literal returns the index after the word at i, or -1 if something else is there.
func literal(doc []byte, i int, word string) int {
	if !bytes.HasPrefix(doc[i:], []byte(word)) {
		return -1
	}
	return i + len(word)
}

// nested returns the index after the array or object that begins at i, or -1.
func nested(doc []byte, i, depth int) int {
	if depth >= maxDepth {
		return -1
	}
	isObject := doc[i] == '{'
	return items(doc, i, func(i int) int {
		if isObject {
			i = afterColon(doc, quoted(doc, i))
		}
		return value(doc, i, depth+1)
	})
}

// afterColon returns the index of the value after the name that ends at i, or -1 if no colon
// follows the name.
func afterColon(doc []byte, i int) int {
	i = space(doc, i)
	if at(doc, i) != ':' {
		return -1
	}
	return space(doc, i+1)
}

// quoted returns the index after the string that begins at i, or -1 (RFC 8259, section 7).
func quoted(doc []byte, i int) int {
	if at(doc, i) != '"' {
		return -1
	}

	i++
	for i < len(doc) {
		c := doc[i]
		if isLiteral[c] {
			i++
			continue
		}
		if c == '"' {
			return i + 1
		}
		if c != '\\' {
			return -1 // a control character
		}

		i = escaped(doc, i)
		if i < 0 {
			return -1
		}
	}
	return -1
}

// isLiteral is the set of bytes that may appear unescaped in a string (RFC 8259, section 7).
var isLiteral = func() (set [256]bool) {
	for c := ' '; int(c) < len(set); c++ {
		set[c] = c != '"' && c != '\\'
	}
	return set
}()

// escaped returns the index after the escape sequence that begins at i, or -1 if the sequence is
// invalid.
func escaped(doc []byte, i int) int {
	switch at(doc, i+1) {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return i + 2
	case 'u':
		end := i + len(`\uXXXX`)
		if end > len(doc) || len(bytes.Trim(doc[i+2:end], "0123456789abcdefABCDEF")) > 0 {
			return -1
		}
		return end
	}
	return -1
}

// number returns the index after the number that begins at i, or -1 (RFC 8259, section 6).
func number(doc []byte, i int) int {
	if at(doc, i) == '-' {
		i++
	}
	if at(doc, i) == '0' {
		i++
	} else {
		i = digits(doc, i)
	}
	if at(doc, i) == '.' {
		i = digits(doc, i+1)
	}
	switch at(doc, i) {
	case 'e', 'E':
		return exponent(doc, i+1)
	}
	return i
}

// exponent returns the index after the optional sign and the digits at i, or -1.
func exponent(doc []byte, i int) int {
	switch at(doc, i) {
	case '+', '-':
		i++
	}
	return digits(doc, i)
}

// digits returns the index after the digits at i, or -1 if there are none.
func digits(doc []byte, i int) int {
	start := i
	for isDigit(at(doc, i)) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// at returns the byte at i, or 0 if i is out of range. After a failed scan, i is -1, so the next
// step fails too.
func at(doc []byte, i int) byte {
	if i < 0 || i >= len(doc) {
		return 0
	}
	return doc[i]
}

// space returns the index of the first byte at or after i that is not white space (RFC 8259,
// section 2).
func space(doc []byte, i int) int {
	for {
		switch at(doc, i) {
		case ' ', '\n', '\t', '\r':
			i++
		default:
			return i
		}
	}
}

// unquote decodes a quoted string. If possible, the result is a slice of the argument.
func unquote(quoted []byte) ([]byte, bool) {
	inner := quoted[1 : len(quoted)-1]
	if !slices.ContainsFunc(inner, needsDecoding) {
		return inner, true
	}
	var s string
	err := json.Unmarshal(quoted, &s)
	return []byte(s), err == nil
}

// needsDecoding reports whether a string that contains c may be invalid or differ from its decoded
// form.
func needsDecoding(c byte) bool { return c < ' ' || c == '\\' || c == '"' || c >= utf8.RuneSelf }
