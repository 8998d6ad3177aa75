package jsonread_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/jsonread"
)

// rfc6901 is the example in RFC 6901, section 5.
const rfc6901 = `{
      "foo": ["bar", "baz"],
      "": 0,
      "a/b": 1,
      "c%d": 2,
      "e^f": 3,
      "g|h": 4,
      "i\\j": 5,
      "k\"l": 6,
      " ": 7,
      "m~n": 8
   }`

func TestPointer(t *testing.T) {
	const nested = `{"status":{"state":"running"},"list":[[1,2],{"a":null}],"s":"x","~1":"tilde","dup":1,"dup":2,"1":"one","Case":1}`
	tests := []struct{ doc, ptr, want string }{ // if want is "", the pointer finds no value
		{rfc6901, "", rfc6901},
		{rfc6901, "/foo", `["bar", "baz"]`},
		{rfc6901, "/foo/0", `"bar"`},
		{rfc6901, "/", "0"},
		{rfc6901, "/a~1b", "1"},
		{rfc6901, "/c%d", "2"},
		{rfc6901, "/e^f", "3"},
		{rfc6901, "/g|h", "4"},
		{rfc6901, `/i\j`, "5"},
		{rfc6901, `/k"l`, "6"},
		{rfc6901, "/ ", "7"},
		{rfc6901, "/m~0n", "8"},

		{nested, "/status/state", `"running"`},
		{nested, "/list/0/1", "2"},
		{nested, "/list/1/a", "null"},
		{nested, "/~01", `"tilde"`}, // ~01 means ~1, not /
		{nested, "/dup", "2"},
		{nested, "/1", `"one"`},
		{" [ 1 , 2 ] ", "/1", "2"},
		{"7", "", "7"},

		{rfc6901, "/foo/2", ""},
		{rfc6901, "/foo/-", ""},
		{rfc6901, "/foo/-1", ""},
		{rfc6901, "/foo/+1", ""},
		{rfc6901, "/foo/01", ""},
		{rfc6901, "/foo/00", ""},
		{rfc6901, "/foo/1e0", ""},
		{rfc6901, "/foo/ 1", ""},
		{rfc6901, "/foo/", ""},
		{rfc6901, "/foo/0/", ""},
		{rfc6901, "/foo/\u0661", ""}, // a digit, but not an ASCII digit
		{rfc6901, "/foo/99999999999999999999", ""},
		{rfc6901, "/foo/bar", ""},
		{rfc6901, "/nope", ""},
		{rfc6901, "/nope/x", ""},
		{rfc6901, "/FOO", ""},
		{rfc6901, "//", ""},
		{nested, "/list/1/a/b", ""},
		{nested, "/s/0", ""},
		{nested, "/case", ""},

		{rfc6901, "foo", ""},
		{rfc6901, "#/foo", ""},
		{rfc6901, "/m~n", ""},
		{rfc6901, "/m~", ""},
		{rfc6901, "/m~2n", ""},

		{"", "/a", ""},
		{"null", "/a", ""},
		{"nul", "/a", ""},
		{`{"a":1`, "/a", ""},
		{`{"a":1} x`, "/a", ""},
		{`[1,2`, "/0", ""},
		{`[1,2] x`, "/0", ""},
	}
	for _, tt := range tests {
		got, ok := jsonread.Pointer([]byte(tt.doc), tt.ptr)
		require.Equal(t, tt.want, string(got), "%q in %s", tt.ptr, tt.doc)
		require.Equal(t, tt.want != "", ok, "%q in %s", tt.ptr, tt.doc)
	}
}

// Pointer allocates nothing for the values that it skips, so a large document needs no more memory
// than a small one.
func TestPointerAllocatesNothing(t *testing.T) {
	for _, many := range []int{1000, 100_000} {
		members := `{"x":0` + strings.Repeat(`,"":0`, many) + `,"a":[` + strings.Repeat("[],", many) + `{"b":1}]}`
		deep := strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000)
		for doc, ptr := range map[string]string{members: "/a/" + strconv.Itoa(many) + "/b", deep: "/a/a/a/a"} {
			least := math.Inf(1) // the minimum of five runs, because json.Valid sometimes allocates a new stack
			for range 5 {
				least = min(least, testing.AllocsPerRun(3, func() {
					_, ok := jsonread.Pointer([]byte(doc), ptr)
					require.True(t, ok)
				}))
			}
			require.LessOrEqual(t, least, 20.0, "Pointer may allocate only the stack of json.Valid")
		}
	}
}

func TestCheckPointer(t *testing.T) {
	for _, ptr := range []string{"", "/", "//", "/a/b", "/~0~1", "/a~01", "/\xff", "/%7E"} {
		require.NoError(t, jsonread.CheckPointer(ptr), ptr)
	}
	for _, ptr := range []string{"a", "#", "#/a", " /a", "/~", "/~~0", "/a~2", "/~0/~", "$.a"} {
		require.ErrorContains(t, jsonread.CheckPointer(ptr), strconv.Quote(ptr))
	}
}
