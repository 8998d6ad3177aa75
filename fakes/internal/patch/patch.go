// Package patch changes JSON objects.
//
// It handles merge patches (RFC 7396) and JSON pointers (RFC 6901). It knows nothing about the
// meaning of the objects. It is a separate package because both the engine and the subpackages of
// fakes use it.
//
// Its entry points are [Merge] and [Set].
package patch

import (
	"maps"
	"strings"
)

type object = map[string]any

// unescape decodes a segment of a JSON pointer.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// Set sets the member that a JSON pointer refers to, creating any missing objects along its path.
func Set(doc map[string]any, ptr string, v any) {
	for {
		name, rest, deeper := strings.Cut(ptr[1:], "/")
		name = unescape.Replace(name)
		if !deeper {
			doc[name] = v
			return
		}
		inner, ok := doc[name].(object)
		if !ok {
			inner = object{}
			doc[name] = inner
		}
		doc, ptr = inner, "/"+rest
	}
}

// Merge applies patch to base as RFC 7396 defines, and returns the result. It modifies neither
// argument.
func Merge(base, patch map[string]any) map[string]any {
	merged := maps.Clone(base)
	for name, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(merged, name)
		case object:
			old, _ := merged[name].(object)
			if old == nil {
				old = object{}
			}
			merged[name] = Merge(old, value)
		default:
			merged[name] = value
		}
	}
	return merged
}
