package jsonread_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/jsonread"
)

// FuzzRead checks that this package finds the same members, elements and strings in a document as
// encoding/json, and that Pointer finds the same value as lookup does in the decoded document (RFC
// 6901).
func FuzzRead(f *testing.F) {
	for _, ptr := range []string{"", "/", "/foo/0", "/foo/01", "/a~1b", "/m~0n", "/m~n", "/~01", "/foo/-", "x"} {
		f.Add([]byte(rfc6901), ptr)
	}
	f.Add([]byte(`[[{"a":{"b":[1,"2",null,true]}}]]`), "/0/0/a/b/2")
	f.Add([]byte("{\"\xff\":1}"), "/\uFFFD")
	f.Add([]byte(`{"a":1e400}`), "/a")
	for _, doc := range []string{
		`{"a":1,"b":{"c":[1,"]}",{"d":"\\\""}]},"a":null}`, `[1,-2.5e+3,"x,y",[],{},[[]],true]`, ` { "\u00e4\"" : "" } `, `{}`, `[]`, `[ ]`, `"\ud800"`,
	} {
		f.Add([]byte(doc), "/a")
	}
	f.Fuzz(func(t *testing.T, doc []byte, ptr string) {
		requireMembers(t, doc)
		requireElements(t, doc)
		requireString(t, doc)
		v, err := decode(doc)
		if err != nil {
			_, ok := jsonread.Pointer(doc, ptr)
			require.Equal(t, ptr == "", ok, "invalid JSON has no values")
			return
		}
		requirePointer(t, doc, ptr, v)
		if len(doc) > 256 {
			return // too slow, because each name in a pointer requires another scan of the document
		}
		pointers(v, "", func(ptr string, value any) {
			at, there := lookup(v, ptr)
			require.True(t, there, "%q", ptr)
			require.Equal(t, value, at)
			requirePointer(t, doc, ptr, v)
		})
	})
}

func requireMembers(t *testing.T, doc []byte) {
	t.Helper()
	got, err := collectMembers(doc)
	var a, b json.RawMessage
	others, fillErr := jsonread.Fill(doc, jsonread.Field{Name: "a", To: &a}, jsonread.Field{Name: "b", To: &b})
	var want map[string]json.RawMessage
	if json.Unmarshal(doc, &want) != nil || want == nil {
		require.Error(t, fillErr)
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	require.NoError(t, fillErr)
	require.Equal(t, want, got)
	require.True(t, jsonread.IsObject(doc))
	var fields struct{ A, B json.RawMessage }
	require.NoError(t, json.Unmarshal(doc, &fields))
	require.Equal(t, string(fields.A), string(a))
	require.Equal(t, string(fields.B), string(b))
	named := 0
	for name := range want {
		if strings.EqualFold(name, "a") || strings.EqualFold(name, "b") {
			named++
		}
	}
	require.GreaterOrEqual(t, others, len(want)-named)
}

func requireElements(t *testing.T, doc []byte) {
	t.Helper()
	got, err := collectElements(doc)
	var want []json.RawMessage
	if json.Unmarshal(doc, &want) != nil || want == nil {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func requireString(t *testing.T, doc []byte) {
	t.Helper()
	doc = bytes.TrimSpace(doc)
	if !json.Valid(doc) {
		return
	}
	got, ok := jsonread.String(doc)
	var want string
	require.Equal(t, doc[0] == '"', ok)
	if ok {
		require.NoError(t, json.Unmarshal(doc, &want))
	}
	require.Equal(t, want, got)
}

// collectMembers returns the members of doc. The last of several members with the same name wins.
func collectMembers(doc []byte) (map[string]json.RawMessage, error) {
	m := map[string]json.RawMessage{}
	err := jsonread.Members(doc, func(name, value []byte) {
		m[string(name)] = value
	})
	return m, err
}

func collectElements(doc []byte) ([]json.RawMessage, error) {
	list := []json.RawMessage{}
	err := jsonread.Elements(doc, func(value []byte) bool {
		list = append(list, value)
		return true
	})
	return list, err
}

// lookup finds the same value as Pointer, but in a decoded document (RFC 6901, section 4).
func lookup(v any, ptr string) (any, bool) {
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

// pointers calls f with v and with each value inside v, together with the pointer to the value.
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

// requirePointer asserts that Pointer agrees with lookup and with CheckPointer.
func requirePointer(t *testing.T, doc []byte, ptr string, v any) {
	t.Helper()
	got, ok := jsonread.Pointer(doc, ptr)
	want, there := lookup(v, ptr)
	require.Equal(t, there, ok, "%q", ptr)
	require.True(t, !ok || jsonread.CheckPointer(ptr) == nil, "%q", ptr)
	if !ok {
		require.Empty(t, got)
		return
	}
	value, err := decode(got)
	require.NoError(t, err, "%q", got)
	require.Equal(t, want, value, "%q", ptr)
}

// decode decodes JSON but keeps numbers as text, because a valid number such as 1e400 may overflow
// a float64.
func decode(doc []byte) (v any, err error) {
	if !json.Valid(doc) {
		return nil, errors.New("invalid JSON")
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
