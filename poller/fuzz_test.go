package poller_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// FuzzToken: a text is a token or a named error; a token that is taken can be
// made again, and the second making changes nothing.
func FuzzToken(f *testing.F) {
	for _, seed := range []string{
		`{"lro":1,"method":"PUT","target":"https://a.test/w","poll":"https://a.test/op","memo":{"strategy":"azure-async-operation"},"status":{"state":"InProgress"},"nextPoll":"2026-01-01T00:00:00Z"}`,
		`{"lro":1,"method":"POST","target":"https://a.test/w","status":{"state":"Failed","error":{"code":"C"}}}`,
		`{"lro":1,"method":"POST","target":"https://a.test/w","status":{"state":"Succeeded"},"result":{"body":"{}"}}`,
		`{"lro":1,"method":"POST","target":"https://a.test/w","status":{"state":"InProgress"},"first":{"url":"https://a.test/w","code":202,"header":{"Location":["/op"]}}}`,
		`{"asyncURL":"https://a.test/op","locURL":"","origURL":"https://a.test/w","method":"PUT","finalState":"","state":"InProgress"}`,
		`{"type":"T","token":{"type":"loc","pollURL":"https://a.test/op","state":"InProgress"}}`,
		`eyJ0eXBlIjoiYm9keSIsInBvbGxVUkwiOiJodHRwczovL2EudGVzdC93In0=`,
		`{"lro":1,"status":{"state":"InProgress"},"poll":"https://evil.test/"}`,
		`{"lro":1,"status":{"state":"InProgress"},"first":{}}`,
		`{"lro":1,"status":{"state":"InProgress"},"first":{"code":200}}`,
		`{"lro":1,"status":{"state":"InProgress"},"first":{"url":"A://0","code":200}}`,
	} {
		f.Add(seed)
	}
	opts := &poller.Options{Origins: []string{"https://a.test"}}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := poller.Resume[json.RawMessage](text, nothing{}, opts)
		if err != nil {
			if !errors.Is(err, lroerrors.ErrBadToken) && !errors.Is(err, lroerrors.ErrForeignOrigin) {
				require.IsType(t, &lroerrors.WaitError{}, err)
			}
			return
		}
		first, err := p.ResumeToken()
		if err != nil {
			require.Contains(t, err.Error(), "the limit is 65536")
			return
		}
		again, err := poller.Resume[json.RawMessage](first, nothing{}, opts)
		require.NoError(t, err, first)
		require.Equal(t, p.Done(), again.Done())
		require.Equal(t, p.Status().State, again.Status().State)
		second, err := again.ResumeToken()
		require.NoError(t, err)
		require.Equal(t, first, second)
	})
}

// FuzzStatusDocument: an operation resource tells its status, or the read
// failed, in agreement with encoding/json.
func FuzzStatusDocument(f *testing.F) {
	for _, seed := range []string{
		`{"status":"Succeeded"}`, `{"status":"Failed","error":{"code":"C","message":"m"}}`, `{"Status":"running","percentComplete":1e400}`,
		`{"status":null,"properties":{"provisioningState":"Creating"}}`, `{"status":5}`, `{`, `[]`, `"Succeeded"`, `null`, "\xef\xbb\xbf{}",
		`{"status":"x","operations":[{"status":"Failed","operations":[{"operations":[]}]},5,null]}`, `{"status":"a"}{"status":"b"}`,
	} {
		f.Add([]byte(seed), 200)
	}
	memo := json.RawMessage(`{"strategy":"azure-async-operation"}`)
	f.Fuzz(func(t *testing.T, body []byte, code int) {
		mv, err := poller.ARM.Step(poller.Answer{
			Method: http.MethodPost, Target: "https://a.test/w", URL: "https://a.test/op", Code: code, Header: http.Header{}, Body: body, Memo: memo,
		})
		var doc struct {
			Status     any
			Properties any
		}
		valid := json.Unmarshal(body, &doc) == nil
		word, _ := doc.Status.(string)
		switch {
		case code < 200 || code > 299 || !valid:
			require.Error(t, err)
		case strings.TrimSpace(word) != "":
			require.NoError(t, err)
			require.Equal(t, word, mv.Status.Word)
			require.Equal(t, poller.Answer{}.State(word), mv.Status.State)
		}
		if err == nil {
			require.NotEmpty(t, mv.Status.Word, "no status without a word of the service")
			require.NotEmpty(t, mv.Memo)
		}
	})
}

// FuzzLocation: what a Location answers is never a success by accident.
func FuzzLocation(f *testing.F) {
	for _, seed := range []string{`{"status":"Failed","startTime":"x"}`, `{"status":"Running"}`, `{"id":"a","status":"Running"}`, `"ok"`, `<html>`, ``, `{"properties":{"provisioningState":"Failed"}}`} {
		f.Add([]byte(seed), 200)
	}
	memo := json.RawMessage(`{"strategy":"location"}`)
	f.Fuzz(func(t *testing.T, body []byte, code int) {
		mv, err := poller.ARM.Step(poller.Answer{
			Method: http.MethodPost, Target: "https://a.test/w", URL: "https://a.test/op", Code: code, Header: http.Header{}, Body: body, Memo: memo,
		})
		if err != nil || mv.Status.State != poller.Succeeded {
			return
		}
		require.True(t, code >= 200 && code < 300 && code != 202)
		require.True(t, code == 204 || json.Valid(body) || strings.TrimSpace(string(body)) == "")
		var doc struct {
			Properties struct{ ProvisioningState string }
		}
		if json.Unmarshal(body, &doc) == nil && doc.Properties.ProvisioningState != "" {
			state := poller.Answer{}.State(doc.Properties.ProvisioningState)
			require.NotEqual(t, poller.Canceled, state)
		}
	})
}
