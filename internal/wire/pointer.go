package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/lro-go/lro/internal/walk"
)

// CheckPointer returns an error unless ptr is a JSON pointer (RFC 6901,
// section 3).
func CheckPointer(ptr string) error {
	if ptr != "" && ptr[0] != '/' {
		return fmt.Errorf("JSON pointer %q does not begin with a slash", ptr)
	}
	for i := range len(ptr) {
		if ptr[i] == '~' && (i+1 == len(ptr) || (ptr[i+1] != '0' && ptr[i+1] != '1')) {
			return fmt.Errorf("JSON pointer %q has a ~ that is neither ~0 nor ~1", ptr)
		}
	}
	return nil
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// Pointer returns the value that ptr points to within doc (RFC 6901), and
// whether there is one. Names are compared exactly.
func Pointer(doc []byte, ptr string) (json.RawMessage, bool) {
	if CheckPointer(ptr) != nil || ptr != "" && !json.Valid(doc) {
		return nil, false
	}
	if ptr != "" {
		doc = bytes.TrimSpace(doc)
	}
	for ptr != "" {
		var token string
		token, ptr = nextToken(ptr)
		var ok bool
		if doc, ok = member(doc, unescape.Replace(token)); !ok {
			return nil, false
		}
	}
	return doc, true
}

// nextToken cuts the first reference token off ptr, which begins with a slash.
func nextToken(ptr string) (token, rest string) {
	if i := strings.IndexByte(ptr[1:], '/'); i >= 0 {
		return ptr[1 : i+1], ptr[i+1:]
	}
	return ptr[1:], ""
}

// member returns what doc, which is valid, has under a name; of several the last.
func member(doc []byte, name string) (found json.RawMessage, ok bool) {
	if i, is := index(name); is && doc[0] == '[' {
		_ = walk.Elements(doc, func(value []byte) bool {
			if i == 0 {
				found, ok = value, true
			}
			i--
			return !ok
		})
		return found, ok
	}
	_ = walk.Members(doc, func(n, value []byte) error {
		if string(n) == name {
			found, ok = value, true
		}
		return nil
	})
	return found, ok
}

// index parses an array index, which has no leading zeros (RFC 6901, section 4).
func index(s string) (int, bool) {
	if (len(s) > 1 && s[0] == '0') || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	i, err := strconv.Atoi(s)
	return i, err == nil
}
