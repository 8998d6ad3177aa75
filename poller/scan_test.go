package poller

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var documents = []string{
	`{"id":"/operations/o1","name":"o1","status":"InProgress","startTime":"2026-01-01T00:00:00Z","percentComplete":42.5e-1}`,
	`{"id":"w1","tags":{"a":[1,-0.5,true,false,null,"ü\"\n"],"b":{}},"properties":{"provisioningState":"Creating","size":7,"x":[]}}`,
	`{"status":"Failed","error":{"code":"C","details":[{"code":"D"}]},"operations":[{"status":"Failed","error":{"message":"m"}}]}`,
	`{"a name":"a value","n":[0,-0,10,90,0.09,1e+90,1E-09],"e":"\"\\\/\b\f\n\r\t"}`,
	` { "status" : "Running" , "properties" : null } `, `{}`, `{"properties":5,"status":null}`,
	`{"Status":"a"}`, `{"status":"a","status":"b"}`, `{"status":"a","STATUS":"b"}`, `{"properties":{"a":1},"properties":{"provisioningState":"x"}}`,
	`{"\u0073tatus":"a"}`, `{"ſtatus":"a"}`, `{"status":"\u0041"}`, `{"status":"a"}x`, `{"status":"a",}`, `{"status":01}`, `{"status":-}`, `{"status":1.}`,
	`{"status":1e}`, `{"status":tru}`, `{"status":t`, `{"status":12`, `{"status":"a`, `{"status"}`, `[]`, `"x"`, `null`, ``, "{\"status\":\"a\x01\"}", `{"status":"\x"}`, `{"a":[1,]}`, `{"a":[}`, `{"a":{"b"}}`,
	`{"a":"\x"}`, `{"a":"\u00"}`, `{"a":"\`, `{"a":"\"`, "{\"a\":\"\x01\"}", `{"properties":`, `{"properties" : {"provisioningState":"x"}}`, `{"properties": {"status":{}}`,
	"{\"status\":\"\xff\"}", `{"startTime":"2023-08-11 01:58:30 +0000","percentComplete":"50","endTime":5}`,
}

// FuzzScan: a document that is plain is what encoding/json makes of it, and one that
// encoding/json refuses is not plain.
func FuzzScan(f *testing.F) {
	for _, s := range documents {
		f.Add([]byte(s), "InProgress")
	}
	f.Fuzz(func(t *testing.T, body []byte, known string) {
		last := lastTold{word: known, more: &particulars{ID: known, Name: known}}
		var want, got document
		want.likely(last)
		got.likely(last)
		if !plain(body, &got) {
			return
		}
		require.NoError(t, unmarshal(body, &want), "%q", body)
		require.Equal(t, want, got, "%q", body)
		var r, s resource
		require.True(t, plain(body, &r), "a resource has fewer members of interest")
		require.NoError(t, unmarshal(body, &s))
		require.Equal(t, s, r)
	})
}

// What services write is plain: else a scanner is of no use.
func TestPlain(t *testing.T) {
	for _, body := range documents[:7] {
		var d document
		require.True(t, plain([]byte(body), &d), body)
	}
	for _, body := range documents[7:] {
		var d document
		if plain(slices.Clip([]byte(body)), &d) { // nothing may be read beyond the end
			require.True(t, json.Valid([]byte(body)), body)
		}
	}
}

// What goes deeper than 32 is left to encoding/json, which has a bound of its own:
// what is hostile does not choose how deep we call ourselves.
func TestPlainIsNotDeep(t *testing.T) {
	for _, tt := range []struct{ open, close string }{{`{"a":`, "}"}, {"[", "]"}, {`{"a":[`, "]}"}} {
		each := len(tt.close)
		deep := func(n int) []byte {
			return []byte(`{"status":` + strings.Repeat(tt.open, n/each) + "1" + strings.Repeat(tt.close, n/each) + "}")
		}
		require.True(t, plain(deep(maxPlain-each), new(document)), tt.open)
		require.False(t, plain(deep(maxPlain), new(document)), tt.open)
		require.False(t, plain(deep(1<<20), new(document)), tt.open)
	}
	in := func(member string) []byte {
		return []byte(`{"` + member + `":{"a":` + strings.Repeat("[", maxPlain-1) + strings.Repeat("]", maxPlain-1) + `}}`)
	}
	require.False(t, plain(in("properties"), new(document)), "what is within counts")
	require.False(t, plain(in("x"), new(document)))
}

func BenchmarkParse(b *testing.B) {
	for name, of := range map[string]func([]byte, *document) bool{
		"plain":         func(body []byte, d *document) bool { return plain(body, d) },
		"encoding-json": func(body []byte, d *document) bool { return unmarshal(body, d) == nil },
	} {
		for i, kind := range []string{"document", "resource"} {
			body := []byte(documents[i])
			b.Run(kind+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					var d document
					if !of(body, &d) {
						b.Fatal(kind)
					}
				}
			})
		}
	}
}
