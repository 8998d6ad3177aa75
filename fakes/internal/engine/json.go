package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"strings"
)

// An Object is a JSON object. Once an object is stored, it is never modified.
type Object = map[string]any

// Encode returns v as JSON, without escaping the & in links. It panics if v
// cannot be encoded. That would be a bug, because v comes from JSON or from a
// test.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("fakes: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Decode decodes one JSON value. It preserves the spelling of numbers.
func Decode(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

// unescape decodes a segment of a JSON pointer (RFC 6901).
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// SetPointer sets the member that a JSON pointer refers to, and creates any objects that are
// missing along its path.
func SetPointer(doc Object, ptr string, v any) {
	for {
		name, rest, deeper := strings.Cut(ptr[1:], "/")
		name = unescape.Replace(name)
		if !deeper {
			doc[name] = v
			return
		}
		inner, ok := doc[name].(Object)
		if !ok {
			inner = Object{}
			doc[name] = inner
		}
		doc, ptr = inner, "/"+rest
	}
}

// merge applies patch to base as RFC 7396 defines, and returns the result. It
// modifies neither base nor patch.
func merge(base, patch Object) Object {
	merged := maps.Clone(base)
	for name, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(merged, name)
		case Object:
			old, _ := merged[name].(Object)
			if old == nil {
				old = Object{}
			}
			merged[name] = merge(old, value)
		default:
			merged[name] = value
		}
	}
	return merged
}
