package poller_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

// FuzzFirstAnswer checks that arm.Auto and interpretFirst agree on the first response of an
// operation.
func FuzzFirstAnswer(f *testing.F) {
	for i, seed := range statusSeeds {
		for code := range uint8(4) {
			f.Add([]byte(seed), code, uint8(i), uint8(0))
			f.Add([]byte(seed), code, uint8(i/4), uint8(i/2))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, code, verb, headers uint8) {
		a := strategy.Answer{
			First: true, Method: fuzzVerb(verb), Target: fuzzTarget, URL: fuzzTarget, Header: http.Header{}, Body: body, Words: fuzzWords,
			Code: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}[code%4],
		}
		if a.Code == http.StatusNoContent {
			a.Body = nil
		}
		for i, name := range []string{"Azure-Asyncoperation", "Operation-Location", "Location"} {
			if headers>>i&1 == 1 {
				a.Header[name] = []string{"/" + strings.ToLower(name)}
			}
		}
		mv, err := arm.Auto.Step(a)
		want, poll := interpretFirst(a)
		requireReading(t, want, mv, err, a.Body)
		require.Equal(t, poll, mv.Poll)
		if want.state == poller.Succeeded && json.Valid(a.Body) {
			require.Equal(t, strategy.Result{Body: a.Body}, mv.Result)
		}
	})
}

// interpretFirst interprets the first response independently of package arm. It returns the
// reported status and the URL to poll.
func interpretFirst(a strategy.Answer) (r reading, poll string) {
	m, isObject := membersOf(a.Body)
	word, set, odd := m.provisioningState()
	isEmpty, isPage := len(bytes.TrimSpace(a.Body)) == 0, bytes.HasPrefix(bytes.TrimSpace(a.Body), []byte("<"))
	poll = a.Header.Get("Azure-AsyncOperation")
	isAsync := poll != "" // with Azure-AsyncOperation, the body may be older than the status, so the status is read at least once
	if poll == "" {
		poll = a.Header.Get("Operation-Location")
	}
	if poll == "" && a.Code == http.StatusAccepted {
		poll = a.Header.Get("Location")
	}
	switch replaces := a.Method == http.MethodPut || a.Method == http.MethodPatch; {
	case poll != "" && a.Code == http.StatusNoContent && a.Method == http.MethodDelete:
		return reading{state: poller.Succeeded}, ""
	case poll != "" && !isAsync && a.Code <= http.StatusCreated && replaces && set && meaning(word).Terminal():
		return of(word), ""
	case poll != "" && set && !meaning(word).Terminal():
		return of(word), poll
	case poll != "":
		return reading{state: poller.InProgress}, poll
	case replaces && a.Code == http.StatusAccepted:
		return underWay(m), fuzzTarget
	case replaces && (a.Code == http.StatusCreated && isEmpty || odd):
		return reading{state: poller.InProgress}, fuzzTarget
	case replaces && set && meaning(word).Terminal():
		return of(word), ""
	case replaces && set:
		return of(word), fuzzTarget
	case a.Code == http.StatusAccepted, !isEmpty && !isObject && !json.Valid(a.Body) && (a.Method != http.MethodDelete || isPage):
		return reading{}, ""
	}
	return reading{state: poller.Succeeded}, ""
}
