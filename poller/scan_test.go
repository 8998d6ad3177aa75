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

// What is deep is left to encoding/json, which bounds it: the scanner calls itself.
func TestPlainIsNotDeep(t *testing.T) {
	for _, n := range []int{32, 33} {
		for kind, deep := range map[string]string{
			"objects": strings.Repeat(`{"a":`, n) + `1` + strings.Repeat(`}`, n),
			"arrays":  `{"a":` + strings.Repeat(`[`, n-1) + `1` + strings.Repeat(`]`, n-1) + `}`,
		} {
			var d document
			require.Equal(t, n == 32, plain([]byte(deep), &d), "%d %s", n, kind)
		}
	}
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
