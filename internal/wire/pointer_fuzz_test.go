package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/lro-go/lro/internal/wire"
	"github.com/stretchr/testify/require"
)

// walk is Pointer as RFC 6901, section 4, describes it, over decoded values.
func walk(v any, ptr string) (any, bool) {
	if ptr == "" {
		return v, true
	}
	if !strings.HasPrefix(ptr, "/") {
		return nil, false
	}
	for _, token := range strings.Split(ptr, "/")[1:] {
		if strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(token), "~") {
			return nil, false
		}
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[token]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || strconv.Itoa(i) != token || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// pointers calls f with the pointer to each value within v, and that value.
func pointers(v any, ptr string, f func(ptr string, v any)) {
	f(ptr, v)
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			pointers(value, ptr+"/"+strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1"), f)
		}
	case []any:
		for i, value := range v {
			pointers(value, ptr+"/"+strconv.Itoa(i), f)
		}
	}
}

// FuzzPointer: a pointer leads where RFC 6901 says, and every value of a document
// has one, whatever its name.
func FuzzPointer(f *testing.F) {
	for _, ptr := range []string{"", "/", "/foo/0", "/foo/01", "/a~1b", "/m~0n", "/m~n", "/~01", "/foo/-", "x"} {
		f.Add([]byte(rfc6901), ptr)
	}
	f.Add([]byte(`[[{"a":{"b":[1,"2",null,true]}}]]`), "/0/0/a/b/2")
	f.Add([]byte("{\"\xff\":1}"), "/\uFFFD")
	f.Add([]byte(`{"a":1e400}`), "/a")
	f.Fuzz(func(t *testing.T, doc []byte, ptr string) {
		_, ok := wire.Pointer(doc, ptr)
		v, err := decoded(doc)
		if err != nil {
			require.Equal(t, ptr == "", ok, "what is no JSON holds no value")
			return
		}
		requirePointer(t, doc, ptr, v)
		if len(doc) > 256 {
			return // each token of each pointer reads the rest
		}
		pointers(v, "", func(ptr string, value any) {
			at, there := walk(v, ptr)
			require.True(t, there, "%q", ptr)
			require.Equal(t, value, at)
			requirePointer(t, doc, ptr, v)
		})
	})
}

// requirePointer holds Pointer to walk, and to its own CheckPointer.
func requirePointer(t *testing.T, doc []byte, ptr string, v any) {
	t.Helper()
	got, ok := wire.Pointer(doc, ptr)
	want, there := walk(v, ptr)
	require.Equal(t, there, ok, "%q", ptr)
	require.True(t, !ok || wire.CheckPointer(ptr) == nil, "%q", ptr)
	if !ok {
		require.Empty(t, got)
		return
	}
	value, err := decoded(got)
	require.NoError(t, err, "%q", got)
	require.Equal(t, want, value, "%q", ptr)
}

// decoded is JSON with its numbers as they are written: 1e400 is one, too.
func decoded(doc []byte) (v any, err error) {
	if !json.Valid(doc) {
		return nil, errors.New("no JSON")
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
