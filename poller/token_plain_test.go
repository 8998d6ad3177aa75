package poller

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

const usualToken = `{"lro":1,"method":"PUT","target":"https://a.test/w?a=1","finalStateVia":"location","created":true,"poll":"https://a.test/op",` +
	`"memo":{"strategy":"azure-async-operation"},"status":{"state":"InProgress","word":"Creating","percentComplete":42.5,"startTime":"2026-01-01T00:00:00Z",` +
	`"endTime":"2026-01-01T00:00:00+02:00","id":"/o","name":"o","statusCode":201,"requestId":"r","correlationId":"c"},"read":true,` +
	`"lastRead":"2026-11-22T04:51:45.47831719Z","nextPoll":"2026-11-22T05:01:45Z","asked":true,"retryAfterMs":3600000}`

// FuzzPlainToken: a token that is plain is what encoding/json makes of it.
func FuzzPlainToken(f *testing.F) {
	for _, s := range []string{
		usualToken, `{}`, `{"lro":1,"lro":2}`, `{"LRO":1}`, `{"lro":1.0}`, `{"lro":-0}`, `{"lro":null}`, `{"lro":99999999999999999999}`, `{"method":null,"memo":null,"status":null}`,
		`{"status":{},"status":{"state":"x"}}`, `{"status":[]}`, `{"status":{"percentComplete":1e400}}`, `{"status":{"percentComplete":null,"operations":[]}}`,
		`{"target":"\u0041"}`, `{"target":"ä"}`, "{\"target\":\"\xff\"}", `{"retryAfterMs":1e3}`, `{"nextPoll":"2026-01-01"}`, `{"nextPoll":null}`, `{"created":"true"}`, `{"created":false}`,
		`{"memo": {"a" : 1} }`, `{"result":{"body":"{}"}}`, `{"unknown":1}`, ` {"lro":1} x`, `[]`, ``,
		`{"created":true}`, `{"read":true}`, `{"asked":true}`, // which are all set in the usual one
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want, got token
		if !plain(text, &got) {
			return
		}
		require.NoError(t, json.Unmarshal(text, &want), "%q", text)
		require.Equal(t, want, got, "%q", text)
	})
}

// Nearly every token is plain: else a scanner is of no use.
func TestPlainToken(t *testing.T) {
	require.True(t, plain([]byte(usualToken), new(token)))
}

func BenchmarkParseToken(b *testing.B) {
	for name, of := range map[string]func([]byte, *token) bool{
		"plain":         func(text []byte, t *token) bool { return plain(text, t) },
		"encoding-json": func(text []byte, t *token) bool { return json.Unmarshal(text, t) == nil },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !of([]byte(usualToken), new(token)) {
					b.Fatal(name)
				}
			}
		})
	}
}
