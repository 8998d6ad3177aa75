package jsonread

import (
	"bytes"
	"encoding/json"
)

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

// maxDepth is how deeply encoding/json lets values nest.
const maxDepth = 10000

// value returns the index after the valid value that begins at i, or -1 (RFC 8259, section 3).
// depth is the number of arrays and objects that contain the value.
func value(doc []byte, i, depth int) int {
	switch c := at(doc, i); {
	case c == '"':
		return quoted(doc, i)
	case c == '{' || c == '[':
		return nested(doc, i, depth)
	case c == '-' || isDigit(c):
		return number(doc, i)
	}
	for _, literal := range [...]string{"true", "false", "null"} {
		if end := i + len(literal); end <= len(doc) && string(doc[i:end]) == literal {
			return end
		}
	}
	return -1
}

// nested returns the index after the array or object that begins at i, or -1.
func nested(doc []byte, i, depth int) int {
	if depth >= maxDepth {
		return -1
	}
	isObject, end := doc[i] == '{', doc[i]+2 // in ASCII, each closing bracket comes two after its opening bracket
	if i = space(doc, i+1); at(doc, i) == end {
		return i + 1
	}
	for {
		if isObject {
			if i = quoted(doc, i); i < 0 {
				return -1
			}
			if i = space(doc, i); at(doc, i) != ':' {
				return -1
			}
			i = space(doc, i+1)
		}
		if i = value(doc, i, depth+1); i < 0 {
			return -1
		}
		switch i = space(doc, i); at(doc, i) {
		case ',':
			i = space(doc, i+1)
		case end:
			return i + 1
		default:
			return -1
		}
	}
}

// quoted returns the index after the string that begins at i, or -1 (RFC 8259, section 7).
func quoted(doc []byte, i int) int {
	if at(doc, i) != '"' {
		return -1
	}
	for i++; i < len(doc); i++ {
		switch c := doc[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c != '\\':
			continue
		}
		if i++; at(doc, i) == 'u' {
			for range 4 {
				if i++; bytes.IndexByte([]byte("0123456789abcdefABCDEF"), at(doc, i)) < 0 {
					return -1
				}
			}
		} else if bytes.IndexByte([]byte(`bfnrt\/"`), at(doc, i)) < 0 {
			return -1
		}
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
	} else if i = digits(doc, i); i < 0 {
		return -1
	}
	if at(doc, i) == '.' {
		if i = digits(doc, i+1); i < 0 {
			return -1
		}
	}
	if c := at(doc, i); c != 'e' && c != 'E' {
		return i
	}
	if c := at(doc, i+1); c == '+' || c == '-' {
		i++
	}
	return digits(doc, i+1)
}

// digits returns the index after the digits that begin at i, or -1 if there is no digit at i.
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
