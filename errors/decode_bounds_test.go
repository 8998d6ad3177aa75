package errors_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nested returns the JSON of an error with n levels of details.
func nested(n int) string {
	return strings.Repeat(`{"code":"C","details":[`, n) + `{"code":"last","message":"bottom"}` + strings.Repeat(`]}`, n)
}

// plain returns d as JSON. Unlike json.Marshal, it does not escape HTML characters.
func plain(t testing.TB, d detail) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(d))
	return b.String()
}

// count returns the number of errors in d, including d itself, and their nesting depth.
func count(d detail) (n, depth int) {
	n = 1
	for _, sub := range d.Details {
		subs, deep := count(sub)
		n += subs
		depth = max(depth, deep+1)
	}
	return n, depth
}

func TestDepthIsBounded(t *testing.T) {
	d := decode(t, nested(16))
	_, depth := count(d)
	require.Equal(t, 16, depth)
	require.Contains(t, plain(t, d), `{"code":"last","message":"bottom"}`)

	d = decode(t, nested(18))
	_, depth = count(d)
	require.Equal(t, 16, depth)
	require.Contains(t, plain(t, d), `\"message\":\"bottom\"`, "the deepest level must be stored as text")

	lists := func(n int) string { return strings.Repeat(`[`, n) + `"a","b"` + strings.Repeat(`]`, n) }
	require.Equal(t, detail{Message: "2 errors", Details: []detail{{Message: "a"}, {Message: "b"}}}, decode(t, lists(16)))
	require.Equal(t, detail{Message: `["a","b"]`}, decode(t, lists(17)), "the limit must also apply to nested lists")
}

func TestCountIsBounded(t *testing.T) {
	n, _ := count(decode(t, `{"code":"A","details":[`+strings.Repeat(`{"code":"B"},`, 100_000)+`{"code":"B"}]}`))
	require.Equal(t, 1001, n)

	hundred := `[` + strings.TrimSuffix(strings.Repeat(`{"code":"B"},`, 100), ",") + `]`
	n, _ = count(decode(t, `{"code":"A","details":[`+strings.TrimSuffix(strings.Repeat(`{"code":"C","details":`+hundred+`},`, 100), ",")+`]}`))
	require.Equal(t, 1001, n, "the limit must apply to all levels together")

	d := decode(t, `{"code":"A","additionalInfo":[`+strings.Repeat(`{"type":"B"},`, 100_000)+`{"type":"B"}]}`)
	require.Len(t, d.AdditionalInfo, 1000)

	many := `{"code":"B","additionalInfo":[` + strings.Repeat(`1,`, 100) + `1]}`
	d = decode(t, `{"code":"A","details":[`+strings.Repeat(many+",", 99)+many+`]}`)
	additions := 0
	for _, sub := range d.Details {
		additions += len(sub.AdditionalInfo)
	}
	require.Equal(t, 1000, additions, "the limit must apply to all details together")

	d = decode(t, `{"code":"A","details":[`+strings.Repeat(`null,`, 2000)+`{"code":"B"}]}`)
	require.Equal(t, []detail{{Code: "B"}}, d.Details, "empty values do not count")
}

func TestRawTextIsBounded(t *testing.T) {
	for _, doc := range []string{
		`{"error":{"reason":"` + strings.Repeat("ä", 5000) + `"}}`,
		`{"code":{"reason":"` + strings.Repeat("ä", 5000) + `"}}`,
		nested(4500),
	} {
		require.Less(t, len(plain(t, decode(t, doc))), 3000, "%.40s", doc)
	}
}

// distinct returns a JSON object whose members all have different names. The parameter size is the
// approximate length of the object in bytes.
func distinct(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `,"%x":0`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// cases returns an object with a member for every mix of upper and lower case in the first 12
// characters of name.
func cases(name string) string {
	var b strings.Builder
	for bits := range 1 << 12 {
		mixed := []byte(name)
		for i := range mixed[:12] {
			if bits>>i&1 == 1 {
				mixed[i] = strings.ToUpper(name[i : i+1])[0]
			}
		}
		fmt.Fprintf(&b, `,%q:0`, mixed)
	}
	return "{" + b.String()[1:] + "}"
}

// The memory allocated to decode a hostile body and print the error is limited to 100 bytes for
// each byte of the body.
func TestHostileBodies(t *testing.T) {
	const size, perByte = 256 << 10, 100
	tests := map[string]string{
		"deep":                      nested(4500), // 9,000 levels of JSON; encoding/json allows 10,000
		"deep arrays":               strings.Repeat(`[`, 9_999) + strings.Repeat(`]`, 9_999),
		"deep values":               `{"message":` + strings.Repeat(`{"value":`, 9_900) + `"x"` + strings.Repeat(`}`, 9_900) + `}`,
		"deep errors":               strings.Repeat(`{"error":`, 9_900) + `"x"` + strings.Repeat(`}`, 9_900),
		"deep bulk":                 strings.Repeat(`{"error":`, 12) + `{"message":"` + strings.Repeat("x", size) + `"}` + strings.Repeat(`}`, 12),
		"wide":                      `{"details":[` + strings.Repeat(`"x",`, size/4) + `"x"]}`,
		"many names":                `{` + strings.Repeat(`"":0,`, size/5) + `"":0}`,
		"many unknown names":        `{"error":` + distinct(size) + `}`,
		"names in many cases":       `{"error":` + cases("error_description") + `}`,
		"empty details":             `{"details":[` + strings.Repeat(`{},`, size/3) + `{}]}`,
		"numbers":                   `{"error":{"code":1,"details":[` + strings.Repeat(`1,`, size/2) + `1]}}`,
		"additions":                 `{"error":{"code":1,"additionalInfo":[` + strings.Repeat(`1,`, size/2) + `1]}}`,
		"escapes":                   `{"message":"` + strings.Repeat(`\u0041`, size/6) + `"}`,
		"a number":                  `{"code":` + strings.Repeat(`1`, size) + `}`,
		"white space":               `{"code":"C"` + strings.Repeat(" ", size) + `}`,
		"wide at the deepest level": strings.Repeat(`{"code":"C","details":[`, 15) + distinct(size) + strings.Repeat(`]}`, 15),
	}
	for name, doc := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d := decode(t, doc)
			text := d.Error()
			runtime.ReadMemStats(&after)
			require.Less(t, (after.TotalAlloc-before.TotalAlloc)/uint64(len(doc)), uint64(perByte), "allocated bytes per byte")
			require.Less(t, len(text), 3000)
		})
	}
}

// UnmarshalJSON returns no error and does not panic, even for input that encoding/json would
// reject.
func TestNotJSON(t *testing.T) {
	var d detail
	require.Error(t, json.Unmarshal([]byte(nested(50_000)), &d), "100,000 levels")
	require.True(t, d.IsZero())
	for _, bad := range []string{
		"", " ", "{", "[", `"`, `{"a":`, `[1,`, `nul`, "\xff", "\x00", `{"code":"A"} x`, "<html>", `{"a"`, `[x]`, `{x}`, "it broke",
		nested(50_000), strings.Repeat("[", 100_000),
	} {
		require.NotPanics(t, func() { require.NoError(t, d.UnmarshalJSON([]byte(bad))) }, "%.20q", bad)
		require.Less(t, len(d.Error()), 3000)
	}
	require.NoError(t, d.UnmarshalJSON([]byte(" {\"code\":\"A\"}\n")))
	require.Equal(t, detail{Code: "A"}, d, "UnmarshalJSON must ignore white space around the document")
	require.NoError(t, d.UnmarshalJSON([]byte("it broke")))
	require.Equal(t, detail{Message: "it broke"}, d)
}

// Raw JSON deeper than 1,000 levels becomes text, so that the error can still be stored inside
// other JSON.
func TestRawDepthIsBounded(t *testing.T) {
	for _, n := range []int{1000, 1001, 9_990} {
		deep := strings.Repeat(`[`, n) + `"\"[[["` + strings.Repeat(`]`, n)
		d := decode(t, `{"code":"C","innererror":`+deep+`,"additionalInfo":[{"info":`+deep+`}]}`)
		require.Equal(t, n == 1000, string(d.InnerError) == deep)
		require.Equal(t, d.InnerError, d.AdditionalInfo[0].Info)
		require.True(t, json.Valid([]byte(strings.Repeat("[", 100)+plain(t, d)+strings.Repeat("]", 100))))
	}
	for _, n := range []int{999, 1000} {
		deep := strings.Repeat(`[`, n) + `1` + strings.Repeat(`]`, n)
		for _, before := range []string{`1234567`, `{},[{}],[[]]`, `"x"`, `"xy"`, `""`, `"\\"`, `"\""`, `"\"["`, `"]]]"`, `"[[["`} {
			doc := `[` + before + `,` + deep + `]`
			got := decode(t, `{"innererror":`+doc+`}`).InnerError
			require.Equal(t, n == 999, string(got) == doc, "%d levels and one after %s", n, before)
		}
	}
	wide := `[` + strings.Repeat(`{"a":[1]},`, 1000) + `{}]`
	require.Equal(t, wide, string(decode(t, `{"innererror":`+wide+`}`).InnerError), "a wide value is not deep")
}
