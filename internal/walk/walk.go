// Package walk goes through JSON without making anything of it. A document of many
// small parts, or one that is deep, costs no memory beyond its own: the maps and
// slices of encoding/json take thirty times as much.
package walk

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// ErrSyntax says that a document is no object, or no array.
var ErrSyntax = errors.New("it is no JSON object")

// Members calls f with each member of a JSON object, in order, one name as often as
// it comes. Both are parts of doc; a name that has escapes is decoded. Members finds
// where a value ends, and leaves to f whether it is one. It ends with the error of f.
func Members(doc []byte, f func(name, value []byte) error) error {
	i := space(doc, 0)
	if at(doc, i) != '{' {
		return ErrSyntax
	}
	if i = space(doc, i+1); at(doc, i) == '}' {
		return trailing(doc, i+1)
	}
	for {
		end := skip(doc, i)
		if at(doc, i) != '"' || end < 0 {
			return ErrSyntax
		}
		name, err := unquote(doc[i:end])
		if err != nil {
			return err
		}
		if i = space(doc, end); at(doc, i) != ':' {
			return ErrSyntax
		}
		i = space(doc, i+1)
		if end = skip(doc, i); end < 0 {
			return ErrSyntax
		}
		if err := f(name, doc[i:end]); err != nil {
			return err
		}
		switch i = space(doc, end); at(doc, i) {
		case ',':
			i = space(doc, i+1)
		case '}':
			return trailing(doc, i+1)
		default:
			return ErrSyntax
		}
	}
}

// Elements calls f with each element of a JSON array, in order, as long as f
// reports true.
func Elements(doc []byte, f func(value []byte) bool) error {
	i := space(doc, 0)
	if at(doc, i) != '[' {
		return ErrSyntax
	}
	if i = space(doc, i+1); at(doc, i) == ']' {
		return trailing(doc, i+1)
	}
	for {
		end := skip(doc, i)
		if end < 0 {
			return ErrSyntax
		}
		if !f(doc[i:end]) {
			return nil
		}
		switch i = space(doc, end); at(doc, i) {
		case ',':
			i = space(doc, i+1)
		case ']':
			return trailing(doc, i+1)
		default:
			return ErrSyntax
		}
	}
}

func trailing(doc []byte, i int) error {
	if space(doc, i) != len(doc) {
		return ErrSyntax
	}
	return nil
}

// at returns the byte at i, or 0 beyond the end.
func at(doc []byte, i int) byte {
	if i >= len(doc) {
		return 0
	}
	return doc[i]
}

// space returns the first place from i on that is no white space (RFC 8259,
// section 2).
func space(doc []byte, i int) int {
	for i < len(doc) && (doc[i] == ' ' || doc[i] == '\n' || doc[i] == '\t' || doc[i] == '\r') {
		i++
	}
	return i
}

// skip returns where the value that begins at i ends, or -1.
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

// skipString returns where the string that begins at i ends, or -1.
func skipString(doc []byte, i int) int {
	for i++; i < len(doc); i++ {
		n := bytes.IndexByte(doc[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		escapes := 0
		for doc[i-1-escapes] == '\\' { // ends at the opening quote at the latest
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
	return -1
}

// skipNested returns where the array or object that begins at i ends, or -1.
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

// unquote decodes a string.
func unquote(s []byte) ([]byte, error) {
	inner := s[1 : len(s)-1]
	for _, c := range inner {
		if c < ' ' || c == '\\' || c >= 0x80 {
			var name string
			err := json.Unmarshal(s, &name)
			return []byte(name), err
		}
	}
	return inner, nil
}
