package fakes_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

func readTranscript(t *testing.T, text string) *fakes.Transcript {
	t.Helper()
	transcript, err := fakes.ReadTranscript(strings.NewReader(text))
	require.NoError(t, err)
	return transcript
}

// ask sends a request and returns the response's status code and body as one
// string, or "no response" if there is none.
func ask(t *testing.T, client *http.Client, method, url, body string, header ...string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		return "no response"
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Sprintf("%d %s: %v", resp.StatusCode, text, err)
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, text)
}

func TestTranscript(t *testing.T) {
	file, err := os.Open("testdata/create.http")
	require.NoError(t, err)
	defer file.Close()
	synctest.Test(t, func(t *testing.T) {
		transcript, err := fakes.ReadTranscript(file)
		require.NoError(t, err)
		require.Equal(t, 3, transcript.Remaining())
		client, start := fakes.Client(transcript), time.Now()

		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "https://a.test/widgets/w1?api-version=1", strings.NewReader(`{"properties":{"size":1}}`))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer x")
		resp, err := client.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, time.Second, time.Since(start))
		require.Equal(t, http.StatusCreated, resp.StatusCode)
		next := resp.Header.Get("Azure-AsyncOperation")
		require.Equal(t, "https://a.test/operations/1?api-version=1", next)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.JSONEq(t, `{"properties": {"provisioningState": "Accepted", "size": 1}}`, string(body))

		require.Equal(t, "no response", ask(t, client, "GET", next, ""))
		require.Equal(t, `200 {"status": "Succeeded", "id": "https://a.test/operations/1"}`, ask(t, client, "GET", next, ""))
		require.NoError(t, transcript.Err())
		require.Zero(t, transcript.Remaining())

		log := transcript.Requests()
		require.Len(t, log, 3)
		require.Equal(t, []int{201, 0, 200}, []int{log[0].StatusCode, log[1].StatusCode, log[2].StatusCode})
		require.Equal(t, "https://a.test/widgets/w1?api-version=1", log[0].URL)
		require.Equal(t, "Bearer x", log[0].Header.Get("Authorization"))
		require.JSONEq(t, `{"properties":{"size":1}}`, string(log[0].Body))
		require.Equal(t, start, log[0].Time)
		require.Equal(t, start.Add(time.Second), log[1].Time)
	})
}

func TestTranscriptDifference(t *testing.T) {
	const recorded = "###\nPUT /w?a=1 HTTP/1.1\nHost: b.test\nX-A: 1\n\n{\"a\": 1, \"b\": 2.0}\n###\nHTTP/1.1 200 OK\n\nok\n"
	tests := map[string]struct {
		method, url, body, header string
		want                      string
	}{
		"equal":        {"PUT", "http://a.test/w?a=1", `{"b":2.0,"a":1}`, "1", "200 ok"},
		"method":       {"POST", "http://a.test/w?a=1", `{"b":2.0,"a":1}`, "1", "417 fakes: got POST /w?a=1, want PUT /w?a=1 (line 1)\n"},
		"query":        {"PUT", "http://a.test/w?a=2", `{"b":2.0,"a":1}`, "1", "417 fakes: got PUT /w?a=2, want PUT /w?a=1 (line 1)\n"},
		"header":       {"PUT", "http://a.test/w?a=1", `{"b":2.0,"a":1}`, "2", `417 fakes: PUT /w?a=1: got X-A ["2"], want ["1"]` + "\n"},
		"body":         {"PUT", "http://a.test/w?a=1", `{"a":1}`, "1", `417 fakes: PUT /w?a=1: got body "{\"a\":1}", want "{\"a\": 1, \"b\": 2.0}"` + "\n"},
		"no JSON body": {"PUT", "http://a.test/w?a=1", `a`, "1", `417 fakes: PUT /w?a=1: got body "a", want "{\"a\": 1, \"b\": 2.0}"` + "\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			transcript := readTranscript(t, recorded)
			got := ask(t, fakes.Client(transcript), tt.method, tt.url, tt.body, "X-A", tt.header)
			require.Equal(t, tt.want, got)
			if name == "equal" {
				require.NoError(t, transcript.Err())
				return
			}
			require.EqualError(t, transcript.Err(), strings.TrimSpace(strings.TrimPrefix(tt.want, "417 ")))
			require.Equal(t, 1, transcript.Remaining(), "a request that differs must not use up an exchange")
		})
	}
}

func TestTranscriptEnd(t *testing.T) {
	transcript := readTranscript(t, "")
	require.Equal(t, "417 fakes: GET /x after the end of the transcript\n", ask(t, fakes.Client(transcript), "GET", "http://a.test/x", ""))
	require.EqualError(t, transcript.Err(), "fakes: GET /x after the end of the transcript")
}

func TestTranscriptHost(t *testing.T) {
	const recorded = "GET http://b.test/x HTTP/1.1\n###\nHTTP/1.1 204 No Content\n"
	require.Equal(t, "204 ", ask(t, fakes.Client(readTranscript(t, recorded)), "GET", "http://b.test/x", ""))
	require.Equal(t, "417 fakes: GET /x: got host a.test, want b.test\n", ask(t, fakes.Client(readTranscript(t, recorded)), "GET", "http://a.test/x", ""))

	transcript := readTranscript(t, recorded)
	transcript.AnyHost = true
	require.Equal(t, "204 ", ask(t, fakes.Client(transcript), "GET", "http://a.test/x", ""))
}

func TestTranscriptKeepRequests(t *testing.T) {
	transcript := readTranscript(t, "")
	transcript.KeepRequests = 2
	for _, path := range []string{"/a", "/b", "/c"} {
		ask(t, fakes.Client(transcript), "GET", "http://a.test"+path, "")
	}
	requests := transcript.Requests()
	require.Len(t, requests, 2)
	require.Equal(t, "/b", requests[0].Path)
}

// A Transcript replays recorded responses of any kind, both in memory and over
// a socket.
func TestTranscriptResponses(t *testing.T) {
	tests := map[string]struct{ response, want string }{
		"no body":        {"HTTP/1.1 202 Accepted\nRetry-After: 1\n", "202 Accepted length 0 \"\" <nil>"},
		"no content":     {"HTTP/1.1 204 No Content\n\n\n", "204 No Content length 0 \"\" <nil>"},
		"body":           {"HTTP/1.1 200 OK\n\none\ntwo\n", "200 OK length 7 \"one\\ntwo\" <nil>"},
		"CRLF":           {"HTTP/1.1 200 OK\r\nX-A: b\r\n\r\none\r\n", "200 OK length 3 \"one\" <nil>"},
		"truncated":      {"HTTP/1.1 200 OK\nContent-Length: 9\n\none\n", "200 OK length 9 \"one\" unexpected EOF"},
		"chunked":        {"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\none\n", "200 OK length -1 \"one\" <nil>"},
		"chunked drop":   {"# drop\nHTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\none\n", "200 OK length -1 \"one\" unexpected EOF"},
		"drop":           {"# drop\n", "EOF"},
		"drop empty":     {"# drop\nHTTP/1.1 200 OK\nContent-Length: 2\n", "200 OK length 2 \"\" unexpected EOF"},
		"a comment":      {"# wait for it\n# nothing\nHTTP/1.1 200 OK\n", "200 OK length 0 \"\" <nil>"},
		"base in a body": {"HTTP/1.1 200 OK\n\nxxx {{base}}{{base}}\n", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text := "# preamble\n\n### request\nGET /x HTTP/1.1\nHost: b.test\n### response\n" + tt.response
			srv := httptest.NewServer(readTranscript(t, text))
			defer srv.Close()
			if tt.want == "" {
				want := "xxx " + srv.URL + srv.URL
				tt.want = fmt.Sprintf("200 OK length %d %q <nil>", len(want), want)
			}
			require.Equal(t, tt.want, response(t, srv.Client(), srv.URL+"/x"))
			require.Equal(t, tt.want, response(t, fakes.Client(readTranscript(t, text)), srv.URL+"/x"))
		})
	}
}

func response(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := client.Do(req)
	if err != nil {
		require.ErrorIs(t, err, io.EOF)
		return "EOF"
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return fmt.Sprintf("%s length %d %q %v", resp.Status, resp.ContentLength, body, err)
}

func TestReadTranscriptErrors(t *testing.T) {
	const request = "###\nGET / HTTP/1.1\nHost: a.test\n"
	tests := map[string]struct{ text, want string }{
		"no response":  {request, "fakes: transcript, request in line 1: no response follows"},
		"no request":   {"###\n# drop\n", "fakes: transcript, request in line 1: missing"},
		"bad request":  {"###\nGET\n", `fakes: transcript, request in line 1: malformed HTTP request "GET"`},
		"bad response": {request + "###\nHTTP/1.1 xxx\n", `fakes: transcript, response in line 4: malformed HTTP status code "xxx"`},
		"body on 204":  {request + "###\nHTTP/1.1 204 No Content\n\nx\n", "fakes: transcript, response in line 4: a body with status 204"},
		"bad wait":     {request + "###\n# wait 5\nHTTP/1.1 200 OK\n", `fakes: transcript, response in line 4: time: missing unit in duration "5"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := fakes.ReadTranscript(strings.NewReader(tt.text))
			require.EqualError(t, err, tt.want)
		})
	}
}
