package jsonread

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// CheckPointer returns an error unless ptr is a valid JSON pointer (RFC 6901, section 3).
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

// isEscape reports whether s begins with a JSON pointer's escape sequence for a tilde or a slash.
func isEscape(s string) bool { return strings.HasPrefix(s, "~0") || strings.HasPrefix(s, "~1") }

// Pointer returns the value in doc that ptr points to (RFC 6901). It returns false if there is no
// such value, or if ptr or doc is invalid. For the empty pointer, it returns doc without checking
// it. Member names must match exactly.
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

// CutPointer splits a non-empty pointer into its first name, decoded, and the rest.
func CutPointer(ptr string) (name, rest string) {
	ptr = ptr[1:]
	end := strings.IndexByte(ptr, '/')
	if end < 0 {
		end = len(ptr)
	}
	return unescape.Replace(ptr[:end]), ptr[end:]
}

// child returns the value of the last member of doc with the given name or, if doc is an array, the
// element with that index.
func child(doc []byte, name string) (json.RawMessage, bool) {
	i, isIndex := index(name)
	if isIndex && at(doc, 0) == '[' {
		return element(doc, i)
	}
	return member(doc, func(n []byte) bool { return string(n) == name })
}

// member returns the value of the last member of doc for which wanted(name) is true.
func member(doc []byte, wanted func(name []byte) bool) (found json.RawMessage, ok bool) {
	_ = Members(doc, func(name, value []byte) { // if doc is not an object, there is nothing to find
		if wanted(name) {
			found, ok = value, true
		}
	})
	return found, ok
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
