package jsonread_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/jsonread"
)

func TestInvalidJSON(t *testing.T) {
	for _, doc := range []string{
		"", " ", "{", "}", "[", "]", `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":1}x`, `{a:1}`, `{"a" 1}`,
		`{"a":[}`, `{"a":"`, `{"a":"\`, `{"\x":1}`, `[1`, `[1,`, `[,]`, `[1]x`, `[1 2]`, `["`, `[[]`, "1", "null", `"a"`,
	} {
		_, err := collectMembers([]byte(doc))
		require.Error(t, err, "Members of %q", doc)
		_, err = collectElements([]byte(doc))
		require.Error(t, err, "Elements of %q", doc)
		_, err = jsonread.Fill([]byte(doc))
		require.Error(t, err, "Fill of %q", doc)
	}
	var a json.RawMessage
	_, err := jsonread.Fill([]byte(`{"a":1,"b":2 broken}`), jsonread.Field{Name: "a", To: &a})
	require.IsType(t, &json.SyntaxError{}, err, "the error must come from encoding/json")
	require.Nil(t, a, "Fill must store nothing if the document is not valid")
}

func TestFill(t *testing.T) {
	var status, id, none json.RawMessage
	others, err := jsonread.Fill([]byte(` {"STATUS":1,"x":{"id":2},"status":null,"id":"i","y":3} `),
		jsonread.Field{Name: "status", To: &status}, jsonread.Field{Name: "id", To: &id}, jsonread.Field{Name: "none", To: &none})
	require.NoError(t, err)
	require.Equal(t, []string{"null", `"i"`, ""}, []string{string(status), string(id), string(none)})
	require.Equal(t, 2, others)
	var state, code json.RawMessage
	others, err = jsonread.Fill([]byte(`{"Properties":{"provisioningState":"a","ProvisioningState":"b","x":{"provisioningState":"c"}},"error":{"code":1}}`),
		jsonread.Field{In: "properties", Name: "provisioningState", To: &state}, jsonread.Field{In: "error", Name: "code", To: &code})
	require.NoError(t, err)
	require.Equal(t, []string{`"b"`, "1"}, []string{string(state), string(code)})
	require.Equal(t, 2, others, "an object of which Fill stores only a part must count")
	_, err = jsonread.Fill([]byte(`[1]`))
	require.ErrorIs(t, err, jsonread.ErrSyntax)
}

func TestElementsStops(t *testing.T) {
	n := 0
	require.NoError(t, jsonread.Elements([]byte(`[1,2 broken`), func([]byte) bool {
		n++
		return false
	}))
	require.Equal(t, 1, n)
}

// Members and Elements allocate no memory, even for a document that is long or deeply nested.
func TestReadingAllocatesNothing(t *testing.T) {
	for _, size := range []int{1000, 100_000} {
		for _, doc := range []string{
			`{` + strings.Repeat(`"name":0,`, size) + `"name":"\""}`,
			`{"x":` + strings.Repeat("[", size) + strings.Repeat("]", size) + `}`,
			`{"x":"` + strings.Repeat(`\\`, size) + `"}`,
			`{` + strings.Repeat(" \n", size) + `}`,
		} {
			object, array := []byte(doc), []byte("["+doc+","+doc+"]")
			require.Zero(t, testing.AllocsPerRun(3, func() {
				_ = jsonread.Members(object, func(_, _ []byte) {})
				_ = jsonread.Elements(array, func([]byte) bool { return true })
			}), "%.20s", doc)
		}
	}
}

func TestString(t *testing.T) {
	for doc, want := range map[string]string{
		`""`: "", `"a b"`: "a b", `"\u00e9\n\""`: "é\n\"", "\"\xff\"": "\uFFFD", `"é"`: "é",
	} {
		got, ok := jsonread.String([]byte(doc))
		require.True(t, ok, doc)
		require.Equal(t, want, got)
	}
	for _, doc := range []string{``, `"`, `"a`, `a"`, `1`, `null`, `{}`, `["a"]`, `"a"b"`, `"\"`, `"\x"`, ` "a"`} {
		got, ok := jsonread.String([]byte(doc))
		require.False(t, ok, doc)
		require.Empty(t, got)
	}
}

func TestIsObject(t *testing.T) {
	for doc, want := range map[string]bool{"{}": true, " \n{": true, "[]": false, "": false, " ": false, `"{"`: false, "\uFEFF{}": false} {
		require.Equal(t, want, jsonread.IsObject([]byte(doc)), "%q", doc)
	}
}

func TestIsEmpty(t *testing.T) {
	for doc, want := range map[string]bool{"": true, " \r\n\t": true, "null": false, "{}": false, "\x00": false} {
		require.Equal(t, want, jsonread.IsEmpty([]byte(doc)), "%q", doc)
	}
}
