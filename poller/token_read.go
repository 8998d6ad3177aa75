package poller

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// decodeToken reads a token as it would hostile input.
func decodeToken(text string) (state, error) {
	t, err := parseToken([]byte(text))
	if err != nil {
		if broken, ok := errors.AsType[*json.SyntaxError](err); ok { // others hold a value
			return state{}, badToken("it is not the JSON of a token: %s", broken)
		}
		return state{}, badToken("it is not the JSON of a token")
	}
	if t.Version != tokenVersion {
		return state{}, badToken("its version is %d, this release reads %d", t.Version, tokenVersion)
	}
	if err := t.check(); err != nil {
		return state{}, err
	}
	return t.state(), nil
}

func parseToken(text []byte) (*token, error) {
	t := new(token)
	if plain(text, t) {
		return t, nil
	}
	t = new(token)
	return t, json.Unmarshal(text, t)
}

func badToken(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{lroerrors.ErrBadToken}, args...)...)
}

// check looks at everything that a poller later relies on.
func (t *token) check() error {
	if strings.Trim(t.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") != "" || len(t.Method) > 20 {
		return badToken("its method is none")
	}
	switch t.Status.State {
	case InProgress, Succeeded, Failed, Canceled:
	default:
		return badToken("its state is none of the four")
	}
	for name, v := range t.Header {
		if !slices.ContainsFunc(wire.TravellingNames, func(n string) bool { return strings.EqualFold(n, name) }) || !wire.IsHeaderValue(v) {
			return badToken("it has a header that does not travel")
		}
	}
	if f := t.Failures; f != nil && (f.Count < 1 || f.NotFound < 0 || f.NotFound > f.Count) {
		return badToken("its failures cannot be counted")
	}
	if t.Status.State == InProgress && t.Poll == "" && t.First == nil && !t.Confirming && !t.repeating() {
		return badToken("it has nothing to poll")
	}
	if t.First != nil && (!accepted(t.First.Code) || t.Status.State != InProgress) {
		return badToken("its first answer accepted nothing")
	}
	if checkResultPointer(t.Pointer) != nil {
		return badToken("its result pointer is none")
	}
	if t.Checking && t.Target == "" {
		return badToken("it has no resource to ask")
	}
	if err := t.checkExtra(); err != nil {
		return err
	}
	return t.checkURLs()
}

// checkURLs demands absolute URLs. Where they lead is looked at with the origins.
func (t *token) checkURLs() error {
	for _, raw := range t.urls() {
		if raw != "" && !wire.IsAbsolute(raw) {
			return badToken("it has a URL that is not absolute")
		}
	}
	return nil
}

// urls are those that lead to the status. That of a result is looked at when
// the result is read.
func (t *token) urls() [3]string {
	all := [3]string{t.Target, t.Poll}
	if t.First != nil {
		all[2] = t.First.URL
	}
	return all
}

func (t *token) state() state {
	s := state{
		Method: t.Method, Target: t.Target, rules: makeRules(rules{t.Via, t.Pointer, lowerWords(t.Words), t.header()}), Created: t.Created,
		Poll: t.Poll, Inline: t.Inline, memo: remembered(Move{Memo: t.Memo}, nil), Cancel: t.Cancel, Read: t.Read, Checking: t.Checking,
		Status: summarize(t.Status.status(), t.Status.CorrelationID), LastRead: t.LastRead, Next: t.NextPoll, Asked: t.Asked,
	}
	if t.Given != nil {
		s.Given, s.Paused = time.Duration(min(max(*t.Given, 0), maxPauseMs))*time.Millisecond, true
	}
	s.Failing = t.Failures
	if t.Status.State == Succeeded || t.Confirming {
		s.End = &success{From: t.From}
		if t.Result != nil {
			s.End.Result = t.Result.result()
		}
	}
	s.Held = t.Held
	s.keep(t.extra())
	if f := t.First; f != nil {
		s.First = &firstAnswer{URL: f.URL, Code: f.Code, Header: f.Header, Body: f.Body, Broken: f.Broken}
	}
	return s
}

func (t *token) header() http.Header {
	if len(t.Header) == 0 {
		return nil
	}
	h := http.Header{}
	for name, v := range t.Header {
		h.Set(name, v)
	}
	return h
}

func (t *tokenStatus) status() Status {
	s := Status{
		State: t.State, Word: t.Word, PercentComplete: t.Percent, StartTime: t.StartTime, EndTime: t.EndTime,
		ID: t.ID, Name: t.Name, Error: t.Error, StatusCode: t.StatusCode, RequestID: t.RequestID,
	}
	for i := range t.Operations {
		s.Operations = append(s.Operations, t.Operations[i].status())
	}
	return s
}
