package fakes_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// FuzzReadTranscript checks that ReadTranscript either rejects its input or returns a transcript
// with one exchange for every two messages. To a request that was not recorded, the
// transcript must respond with a 417.
func FuzzReadTranscript(f *testing.F) {
	for _, seed := range []string{
		"", "###", "# c\n###\nGET / HTTP/1.1\nHost: a\n\n###\n# drop\n# wait 1ns\nHTTP/1.1 200 OK\nContent-Length: 9\n\n{{base}}",
		"PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n{}\r\n###\r\nHTTP/1.1 204 No Content",
		"GET /x HTTP/1.1\nHost: a\n\n\n###\n# drop\n###\n###\n#\n\n# drop\n###\n# wait 1s\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		transcript, err := fakes.ReadTranscript(strings.NewReader(text))
		n := messages(text)
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "fakes: transcript, re"), "%v", err)
			require.NotZero(t, n)
			require.True(t, n%2 == 1 || !strings.HasSuffix(err.Error(), "no response follows"))
			return
		}
		require.Equal(t, n, 2*transcript.Remaining())
		// A request that was not recorded gets a 417 and does not consume an exchange.
		require.Contains(t, ask(t, fakes.Client(transcript), "LOOK", "https://a.test/", ""), "417 fakes: ")
		require.Error(t, transcript.Err())
		require.Equal(t, n, 2*transcript.Remaining())
	})
}

// messages counts the requests and responses in a transcript. It ignores parts with only comments
// and Transfer-Encoding headers, unless one of the comments is "# drop".
func messages(text string) (n int) {
	var part []string
	count := func() {
		for _, line := range part {
			name, _, _ := strings.Cut(line, ":")
			trimmed := strings.TrimSpace(line)
			switch {
			case trimmed == "" || strings.EqualFold(name, "Transfer-Encoding"):
			case line[0] != '#', strings.TrimSpace(line[1:]) == "drop":
				n++
				return
			}
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "###") {
			count()
			part = nil
			continue
		}
		part = append(part, line)
	}
	count()
	return n
}

// FuzzTranscript checks that the recorded request gets the recorded status code and body, byte for
// byte, and that a request with a different body or header gets a 417.
func FuzzTranscript(f *testing.F) {
	f.Add("PUT", "/widgets/w1?api-version=1", "a b", []byte(`{"a":1}`), 1, []byte("{}"), false)
	f.Add("POST", "/%2f/a;b?c", "", []byte("\x00\xff\n"), 0, []byte("\n\n# drop\n"), true)
	f.Add("GET", "/", "x", []byte(nil), 204, []byte("x"), false)
	f.Add("", "/", "", []byte(nil), 104, []byte("x"), false)
	f.Fuzz(func(t *testing.T, method, target, value string, sent []byte, code int, answered []byte, crlf bool) {
		u, err := url.ParseRequestURI(target)
		value = strings.TrimSpace(value)
		if err != nil || !strings.HasPrefix(target, "/") || strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || !printable(target+value) || strings.Contains(target, " ") || !bodyFits(sent) || !bodyFits(answered) {
			return
		}
		if method == "" || method == http.MethodConnect || method == http.MethodHead {
			method = http.MethodPost
		}
		if code = 200 + int(uint(code)%400); code == http.StatusNoContent || code == http.StatusNotModified {
			answered = nil
		}
		end := "\n"
		if crlf {
			end = "\r\n"
		}
		transcript := readTranscript(t, strings.Join([]string{
			"### asked", method + " " + u.RequestURI() + " HTTP/1.1", "Host: a.test", "X-Value: " + value, "", string(sent),
			"### answered", fmt.Sprintf("HTTP/1.1 %d Some Text", code), "X-Value: " + value, "", string(answered), "",
		}, end))
		client := fakes.Client(transcript)
		where := "https://a.test" + u.RequestURI()
		if len(sent) > 0 {
			require.Contains(t, ask(t, client, method, where, string(sent)+"!", "X-Value", value), "417 fakes: ")
		}
		require.Contains(t, ask(t, client, method, where, string(sent), "X-Value", value+"!"), "417 fakes: ")
		require.Equal(t, 1, transcript.Remaining())
		require.Equal(t, fmt.Sprintf("%d %s", code, answered), ask(t, client, method, where, string(sent), "X-Value", value))
		require.Zero(t, transcript.Remaining())
	})
}

// printable reports whether a header in a transcript can contain s unchanged.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) && !strings.Contains(s, "{{base}}")
}

// bodyFits reports whether a transcript can contain body unchanged.
func bodyFits(body []byte) bool {
	return !bytes.Contains(append([]byte("\n"), body...), []byte("\n###")) && !bytes.Contains(body, []byte("{{base}}")) && !bytes.HasSuffix(body, []byte("\r"))
}
