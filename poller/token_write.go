package poller

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/lro-go/lro/internal/wire"
)

// encodeToken makes the token of a state. Where it would be too large, what only
// decorates it is left out before the call fails.
func encodeToken(s state) (string, error) {
	t := makeToken(&s)
	text, err := t.text()
	if err == nil && len(text) > maxToken {
		t.trim()
		text, err = t.text()
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("lro: resume token: %w", err)
	case len(text) > maxToken:
		return "", fmt.Errorf("lro: resume token would be %d bytes, the limit is %d: %s", len(text), maxToken, t.largest())
	}
	return text, nil
}

// text is UTF-8, whatever the service wrote: who stores it may take no other. Each byte
// that is none is replaced, as encoding/json does it.
func (t *token) text() (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(t)
	text := strings.TrimSuffix(b.String(), "\n")
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	return text, err
}

// trim leaves out what an operation can be followed without.
func (t *token) trim() {
	if t.First != nil {
		t.First.trim()
	}
	t.trimUnconfirmed()
	if t.Repeat != nil && t.Repeat.Refused != nil {
		t.Repeat.Refused.Error = nil // its code stays, and the operation's own error
	}
	s := &t.Status
	s.Operations = nil
	if !s.State.Terminal() && !t.repeating() {
		*s = tokenStatus{State: s.State, Percent: s.Percent, StatusCode: s.StatusCode}
	}
}

// trim leaves out the body, and headers that are no URL and longer than those that say
// how to go on.
func (f *tokenFirst) trim() {
	if len(f.Body) > 0 {
		f.Body, f.Broken = nil, true
	}
	maps.DeleteFunc(f.Header, func(name string, values []string) bool {
		return len(strings.Join(values, "")) > maxTold && !strings.Contains(name, "Location") && name != headerAsync
	})
}

// maxTold is more than a header has that is read for its words.
const maxTold = 1000

// largest says what makes a token too large.
func (t *token) largest() string {
	switch {
	case t.Result != nil && t.Result.URL == "":
		return fmt.Sprintf("the result is %d bytes; store it in place of the token", len(t.Result.Body)+len(t.Result.Base64))
	case len(t.Memo) > maxToken/2:
		return fmt.Sprintf("the strategy's memo is %d bytes", len(t.Memo))
	}
	return "its URLs and the service's error are too long"
}

func makeToken(s *state) *token {
	t := &token{
		Version: tokenVersion, Method: s.Method, Target: s.Target, Via: s.Via, Pointer: s.Pointer, Words: s.Words, Created: s.Created,
		Poll: s.Poll, Inline: s.Inline, Memo: s.memo.json(), Cancel: s.Cancel, Read: s.Read, Checking: s.Checking,
		LastRead: s.LastRead.UTC(), NextPoll: s.due().UTC(), Asked: s.Asked && !s.Now,
	}
	st := s.Status.status()
	t.Status = makeTokenStatus(&st)
	t.Failures = s.Failing
	if s.Paused {
		t.Given = new(s.Given.Milliseconds())
	}
	t.Status.CorrelationID = s.Status.Correlation
	for _, name := range wire.TravellingNames {
		if v := s.Header.Get(name); v != "" {
			if t.Header == nil {
				t.Header = map[string]string{}
			}
			t.Header[strings.ToLower(name)] = v
		}
	}
	if s.End != nil {
		t.Result = makeTokenResult(s.End.Result)
		if s.End.URL == "" {
			t.From = s.End.From
		}
	}
	t.addExtra(s)
	if f := s.First; f != nil {
		t.First = &tokenFirst{URL: f.URL, Code: f.Code, Header: withoutSecrets(f.Header), Body: f.Body, Broken: f.Broken}
	}
	return t
}

func makeTokenStatus(s *Status) tokenStatus {
	t := tokenStatus{
		State: s.State, Word: s.Word, Percent: s.PercentComplete, StartTime: s.StartTime, EndTime: s.EndTime,
		ID: s.ID, Name: s.Name, Error: s.Error, StatusCode: s.StatusCode, RequestID: s.RequestID,
	}
	for i := range s.Operations {
		t.Operations = append(t.Operations, makeTokenStatus(&s.Operations[i]))
	}
	return t
}

// makeTokenResult returns nil for the result that is none.
func makeTokenResult(r Result) *tokenResult {
	switch {
	case r.Err != nil:
		return &tokenResult{Error: r.Err.Error()}
	case r.URL == "" && len(r.Body) == 0:
		return nil
	case utf8.Valid(r.Body):
		return &tokenResult{URL: r.URL, Body: string(r.Body)}
	}
	return &tokenResult{URL: r.URL, Base64: r.Body}
}

// withoutSecrets leaves out of a first answer's headers what a credential may
// stand in.
func withoutSecrets(h http.Header) http.Header {
	h = h.Clone()
	for name, values := range h {
		for i := range values {
			values[i] = withoutAnyUserInfo(name, encoded(values[i])) // a Location may hold any byte
		}
		lower := strings.ToLower(name)
		for _, part := range []string{"cookie", "auth", "token", "secret", "key", "signature"} {
			if strings.Contains(lower, part) {
				delete(h, name)
			}
		}
	}
	return h
}
