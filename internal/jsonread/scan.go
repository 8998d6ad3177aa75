package jsonread

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deeply encoding/json lets values nest.
const maxDepth = 10000

// walk calls item with the index at which each item between open and end begins. The function
// returns the index after that item.
func walk(doc []byte, open, end byte, item func(i int) (int, error)) error {
	i := space(doc, 0)
	if at(doc, i) != open {
		return ErrSyntax
	}
	i = space(doc, i+1)
	if at(doc, i) == end {
		return trailing(doc, i+1)
	}

	for {
		next, err := item(i)
		if err != nil {
			return err
		}
		i = space(doc, next)
		switch at(doc, i) {
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

// value returns the index after the valid value that begins at i, or -1 (RFC 8259, section 3).
// depth is the number of arrays and objects that contain the value.
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

// literal returns the index after the word that begins at i, or -1 if there is another word.
func literal(doc []byte, i int, word string) int {
	end := i + len(word)
	if end > len(doc) || string(doc[i:end]) != word {
		return -1
	}
	return end
}

// nested returns the index after the array or object that begins at i, or -1.
func nested(doc []byte, i, depth int) int {
	if depth >= maxDepth {
		return -1
	}
	isObject := doc[i] == '{'
	end := doc[i] + 2 // in ASCII, each closing bracket comes two after its opening bracket
	i = space(doc, i+1)
	if at(doc, i) == end {
		return i + 1
	}

	for {
		if isObject {
			i = memberValue(doc, i)
			if i < 0 {
				return -1
			}
		}
		i = value(doc, i, depth+1)
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

// memberValue returns the index of the value of the member that begins at i, or -1.
func memberValue(doc []byte, i int) int {
	i = quoted(doc, i)
	if i < 0 {
		return -1
	}
	return afterColon(doc, i)
}

// afterColon returns the index of the value after the name that ends at i, or -1 if there is no
// colon between them.
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

// isLiteral is the set of the bytes that stand for themselves in a string (RFC 8259, section 7).
var isLiteral = func() (set [256]bool) {
	for c := ' '; int(c) < len(set); c++ {
		set[c] = c != '"' && c != '\\'
	}
	return set
}()

// escaped returns the index after the escaped character that begins at i with a backslash, or -1.
func escaped(doc []byte, i int) int {
	switch at(doc, i+1) {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return i + 2
	case 'u':
		end := i + len(`\uXXXX`)
		if end > len(doc) || !isHex(doc[end-4:end]) {
			return -1
		}
		return end
	}
	return -1
}

// isHex reports whether b consists of hexadecimal digits.
func isHex(b []byte) bool {
	for _, c := range b {
		if strings.IndexByte("0123456789abcdefABCDEF", c) < 0 {
			return false
		}
	}
	return true
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
	if i < 0 {
		return -1
	}

	if at(doc, i) == '.' {
		i = digits(doc, i+1)
	}
	if i < 0 {
		return -1
	}

	switch at(doc, i) {
	case 'e', 'E':
		return exponent(doc, i+1)
	}
	return i
}

// exponent returns the index after the sign and the digits that begin at i, or -1.
func exponent(doc []byte, i int) int {
	switch at(doc, i) {
	case '+', '-':
		i++
	}
	return digits(doc, i)
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
	if !slices.ContainsFunc(inner, needsDecoding) {
		return inner, true
	}
	var s string
	err := json.Unmarshal(quoted, &s)
	return []byte(s), err == nil
}

// needsDecoding reports whether a string with the byte c may differ from its decoded form, or may be
// invalid.
func needsDecoding(c byte) bool { return c < ' ' || c == '\\' || c == '"' || c >= utf8.RuneSelf }
