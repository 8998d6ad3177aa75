package poller_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

const (
	fuzzTarget  = "https://a.test/w"
	fuzzMonitor = "https://a.test/op"
)

var fuzzVerbs = []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodGet}

func fuzzVerb(verb uint8) string { return fuzzVerbs[int(verb)%len(fuzzVerbs)] }

// A reading is a response's meaning according to the reference implementation. The zero reading
// means that the response reports no status.
type reading struct {
	state poller.State
	word  string
}

func of(word string) reading { return reading{meaning(word), word} }

// requireReading fails the test unless mv and err, which a strategy returned, agree with the
// reading of the reference implementation.
func requireReading(t *testing.T, want reading, mv strategy.Move, err error, body []byte) {
	t.Helper()
	if want.state == "" {
		require.Error(t, err)
		require.Zero(t, mv, "the strategy must not return a Move with an error")
		return
	}
	require.NoError(t, err)
	require.Equal(t, want.state, mv.Status.State)
	require.Equal(t, want.word, mv.Status.Word)
	require.True(t, mv.Memo == nil || json.Valid(mv.Memo))
	if want.state == poller.InProgress {
		require.NotNil(t, mv.Memo)
	}
	if m, ok := membersOf(body); ok && (want.state == poller.Failed || want.state == poller.Canceled) {
		requireOwnError(t, m, mv)
	}
}

// requireOwnError fails the test unless mv reports the code and message of the error in m. It
// checks only an error that has exactly these two members.
func requireOwnError(t *testing.T, m members, mv strategy.Move) {
	t.Helper()
	e := m.within("error")
	code, there := e.text("code")
	if message, ok := e.text("message"); there && ok && len(e) == 2 {
		require.NotNil(t, mv.Status.Detail)
		require.Equal(t, code, mv.Status.Detail.Code)
		require.Equal(t, message, mv.Status.Detail.Message)
	}
}

// fuzzStep returns the Move and error with which the named strategy reacts to a poll's response. If
// the poll of a DELETE gets a 410, fuzzStep checks the Move and returns an empty one.
func fuzzStep(t *testing.T, name string, verb uint8, code int, body []byte) (strategy.Move, error) {
	t.Helper()
	mv, way, err := arm.Auto.(strategy.Wrapper).StepIn(strategy.Answer{
		Method: fuzzVerb(verb), Target: fuzzTarget, URL: fuzzMonitor, Poll: fuzzMonitor, Code: code, Header: http.Header{}, Body: body,
		Memo: json.RawMessage(`{"strategy":"` + name + `"}`), Words: fuzzWords,
	}, strategy.Situation{})
	if fuzzVerb(verb) == http.MethodDelete && code == http.StatusGone {
		require.ErrorIs(t, err, strategy.ErrNoStatus)
		require.True(t, json.Valid(mv.Memo))
		mv.Memo = nil
		require.Equal(t, strategy.Move{Poll: fuzzTarget, Inline: true, Now: true}, mv)
		require.Equal(t, strategy.Detour{Else: fuzzMonitor}, way)
		return strategy.Move{}, err
	}
	return mv, err
}

var statusSeeds = []string{
	`{"status":"Succeeded"}`, `{"status":"Failed","error":{"code":"C","message":"m"}}`, `{"Status":"running","percentComplete":1e400}`, `{"status":"Ready"}`,
	`{"status":null,"properties":{"provisioningState":"Creating"}}`, `{"status":5}`, `{`, `[]`, `"Succeeded"`, `null`, "\xef\xbb\xbf{}", ``, ` `, `<html>`, `1`,
	`{"status":"x","operations":[{"status":"Failed","operations":[{"operations":[]}]},5,null]}`, `{"status":"a"}{"status":"b"}`, `{"status":" ","provisioningState":"Failed"}`,
	`{"status":"Failed","startTime":"x"}`, `{"status":"Running"}`, `{"id":"a","status":"Running"}`, `{"id":"/x/OP","status":"Running"}`, `{"name":"op","status":"Cancelled"}`,
	`{"properties":{"provisioningState":"Failed"}}`, `{"properties":{"provisioningState":7},"provisioningState":"Failed"}`, `{"properties":{"provisioningState":null},"provisioningState":"Creating"}`,
	`{"status":"In Progress","error":null}`, `{"status":"Succeeded","resourceLocation":"/r"}`, `{"error":{"code":"MissingApiVersion","message":"The api-version is missing."}}`, `{"status":"Canceled","error":{"code":"C","message":"m"}}`,
}

// FuzzStatusDocument checks that a strategy and the reference implementation agree on the meaning
// of a status document and on the URL of the result.
func FuzzStatusDocument(f *testing.F) {
	for i, seed := range statusSeeds {
		f.Add([]byte(seed), 200, uint8(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, body []byte, code int, verb uint8, opLocation bool) {
		name := "azure-async-operation"
		if opLocation {
			name = "operation-location"
		}
		mv, err := fuzzStep(t, name, verb, code, body)
		want := referenceMonitor(fuzzVerb(verb), code, body)
		requireReading(t, want, mv, err, body)
		if want.state != poller.Succeeded || want.word == "" {
			return
		}
		m, _ := membersOf(body)
		result := strategy.Result{Body: body}
		location, named := m.text("resourceLocation")
		switch verb := fuzzVerb(verb); {
		case verb == http.MethodDelete:
			result = strategy.Result{}
		case opLocation && named:
			result = strategy.Result{URL: location}
		case verb == http.MethodPut, verb == http.MethodPatch:
			result = strategy.Result{URL: fuzzTarget}
		}
		require.Equal(t, result, mv.Result)
	})
}

func referenceMonitor(verb string, code int, body []byte) reading {
	m, ok := membersOf(body)
	word, set := m.operationWord()
	switch {
	case code == http.StatusNoContent && verb == http.MethodDelete: // quirk W46
		return reading{state: poller.Succeeded}
	case code < 200 || code > 299 || !ok || !set:
		return reading{}
	}
	return of(word)
}

// FuzzLocation checks that the strategy for a Location interprets each response as the reference
// implementation does.
func FuzzLocation(f *testing.F) {
	for i, seed := range statusSeeds {
		for _, code := range []int{200, 202, 409} {
			f.Add([]byte(seed), code, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, code int, verb uint8) {
		mv, err := fuzzStep(t, "location", verb, code, body)
		switch code {
		case 400, 402, 409, 412, 422:
			if text := bytes.TrimSpace(body); len(text) > 0 && bytes.ContainsAny(text[:1], `<{["`) && !json.Valid(text) {
				require.Error(t, err, "the page of a gateway or broken JSON must be an error")
				return
			}
			if err != nil { // quirk W15: the service says that the api-version is missing
				require.True(t, bytes.Contains(bytes.ToLower(body), []byte("version")) || bytes.ContainsRune(body, '\\') || bytes.Contains(body, []byte("&")))
				return
			}
		}
		want, isOperation := referenceLocation(code, body)
		requireReading(t, want, mv, err, body)
		switch {
		case want.state != poller.Succeeded:
		case code == http.StatusNoContent || len(bytes.TrimSpace(body)) == 0 || isOperation && fuzzVerb(verb) == http.MethodDelete:
			require.Zero(t, mv.Result)
		default:
			require.Equal(t, strategy.Result{Body: body}, mv.Result)
		}
	})
}

func referenceLocation(code int, body []byte) (r reading, isOperation bool) {
	m, _ := membersOf(body)
	status, _ := m.text("status")
	state, set := m.within("properties").text("provisioningState")
	switch {
	case code == http.StatusAccepted:
		return underWay(m), false
	case code == 400, code == 402, code == 409, code == 412, code == 422:
		if meaning(status) == poller.Canceled {
			return of(status), false
		}
		return reading{state: poller.Failed}, false
	case code < 200 || code > 299:
		return reading{}, false
	case code == http.StatusNoContent, len(bytes.TrimSpace(body)) == 0:
		return reading{state: poller.Succeeded}, false
	case !json.Valid(body):
		return reading{}, false
	case m.isOperation(fuzzMonitor):
		return of(status), true
	case set:
		return of(state), false
	}
	return reading{state: poller.Succeeded}, false
}

// underWay returns the reading of a 202, which never ends an operation, even if its body has a
// terminal word.
func underWay(m members) reading {
	r := reading{state: poller.InProgress}
	if word, set := m.operationWord(); set && !meaning(word).Terminal() {
		r.word = word
	}
	return r
}

// FuzzProvisioningState checks that the strategy for provisioningState interprets each response as
// the reference implementation does.
func FuzzProvisioningState(f *testing.F) {
	for i, seed := range statusSeeds {
		for _, code := range []int{200, 202} {
			f.Add([]byte(seed), code, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, code int, verb uint8) {
		mv, err := fuzzStep(t, "provisioning-state", verb, code, body)
		want := reading{}
		switch code {
		case http.StatusAccepted:
			m, _ := membersOf(body)
			want = underWay(m)
		case http.StatusNoContent:
			want.state = poller.Succeeded
		case http.StatusOK, http.StatusCreated:
			want = referenceResource(body)
		}
		requireReading(t, want, mv, err, body)
		if want.state == poller.Succeeded && code != http.StatusNoContent {
			require.Equal(t, strategy.Result{Body: body}, mv.Result)
		}
		if want.state == poller.InProgress {
			require.Equal(t, fuzzTarget, mv.Poll)
		}
	})
}

func referenceResource(body []byte) reading {
	m, ok := membersOf(body)
	word, set, odd := m.provisioningState()
	switch {
	case !ok, odd:
		return reading{}
	case !set:
		return reading{state: poller.Succeeded}
	}
	return of(word)
}
