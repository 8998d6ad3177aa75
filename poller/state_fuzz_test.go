package poller

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
)

// FuzzState: whatever is known of an operation is the same when it comes back from a
// token, or the token is refused for its size.
func FuzzState(f *testing.F) {
	for _, bits := range []uint16{0x10, 0x20, 0x30, 0x2010, 0x4000, 0xc001} {
		f.Add(bits, "/op", "w", []byte(`{"a":"b"}`), int64(1), int64(1e9), 200)
	}
	f.Add(uint16(0), "/op?api-version=1", "Creating", []byte(`{"strategy":"location"}`), int64(5), int64(0), 202)
	f.Add(uint16(1), "/w", "Succeeded", []byte("{\"a\":\"\xff\"}"), int64(-1), int64(1e18), 200)
	f.Add(uint16(2), "/w/%2f", "Failed \u2028<&>", []byte("\x00"), int64(1<<62), int64(1), 500)
	f.Add(uint16(0xffff), "/", "x", []byte(`null`), int64(1), int64(-1e18), 201)
	f.Fuzz(func(t *testing.T, bits uint16, path, word string, data []byte, number, nanos int64, code int) {
		want, ok := stateFrom(bits, "https://a.test/"+strings.TrimPrefix(path, "/"), strings.ToValidUTF8(word, ""), data, number, nanos, code)
		if !ok {
			return
		}
		text, err := encodeToken(want)
		if err != nil {
			require.Contains(t, err.Error(), "the limit is 65536")
			require.Greater(t, len(data)+len(word)*8+len(path)*8, 8<<10)
			return
		}
		require.LessOrEqual(t, len(text), maxToken)
		require.NotContains(t, text, "canary", "a credential")
		got, err := decodeToken(text)
		require.NoError(t, err, text)
		again, err := encodeToken(got)
		require.NoError(t, err)
		require.Equal(t, text, again)
		if len(text) < maxToken/8 { // else something may have been left out
			requireSameState(t, want, got)
		}
	})
}

// stateFrom builds a state that a poller may be in. It reports whether its parts can
// be of one.
func stateFrom(bits uint16, url, word string, data []byte, number, nanos int64, code int) (s state, ok bool) {
	bit := func(i int) bool { return bits>>i&1 == 1 }
	base, err := resolveRef("https://a.test/", url)
	if err != nil {
		return s, false
	}
	at := time.Unix(0, nanos).UTC()
	s = state{
		Method: []string{http.MethodPut, http.MethodPost, http.MethodDelete, "M-SEARCH"}[bits%4], Target: "https://a.test/w", Poll: base,
		rules: makeRules(rules{
			[]FinalStateVia{"", FinalStateViaLocation}[bits>>2%2], strings.Repeat("/a~1b", int(bits>>2%2)), lowerWords(map[string]State{word: Succeeded}),
			http.Header{"Accept-Language": {"de"}, "Authorization": {"canary"}},
		}),
		Status: summarize(Status{State: []State{InProgress, Succeeded, Failed, Canceled}[bits>>4%4], Word: word, ID: word, StatusCode: code, RequestID: word, StartTime: at}, word),
		Given:  time.Duration(max(number, 0)), Paused: bit(6), Asked: bit(7), Created: bit(8), Inline: bit(9), Read: bit(10), Checking: bit(11), LastRead: at, Next: at.Add(time.Second),
	}
	if json.Valid(data) {
		s.memo = remembered(Move{Memo: data}, nil)
		s.Cancel = &Request{Method: word, URL: encoded(url), Body: data, OK: []int{code}}
	}
	if bit(12) {
		s.Failing = &failures{Count: int(number>>40&0xff) + 1, Since: at, NotFound: 1, Missing: at}
	}
	switch s.Status.State {
	case Succeeded:
		s.End = &success{Result: Result{Body: data}, From: base}
		if bit(13) {
			s.End = &success{Result: Result{URL: base}}
		}
	case Failed:
		percent := float64(number)
		s.Status = summarize(Status{
			State: Failed, Word: word, PercentComplete: &percent, EndTime: at, Name: word, Operations: []Status{{State: Canceled, Word: word}},
			Error: &lroerrors.Detail{Code: word, Message: "m", Details: []lroerrors.Detail{{Code: "x", Target: word}}},
		}, word)
	case InProgress:
		if bit(14) {
			s.First = &firstAnswer{URL: base, Code: http.StatusCreated, Header: http.Header{"Location": {url}, "Set-Cookie": {"canary"}}, Body: data, Broken: bit(15)}
			return s, true
		}
		s.optional(number, at, base, data)
	}
	return s, true
}

// optional makes of an operation on its way one that Options.Confirm or Options.Repeat
// has put off.
func (s *state) optional(number int64, at time.Time, url string, data []byte) {
	count := int(number>>40&0xff) + 1
	switch number & 3 {
	case 1:
		s.End, s.Held = &success{Result: Result{Body: data}, From: url}, true
		s.keep(extra{Said: Succeeded, Count: count, Began: at})
	case 2:
		s.Held = true
		s.keep(extra{Used: count, Ended: Canceled, Refused: &lroerrors.StatusError{Method: s.Method, URL: url, StatusCode: http.StatusConflict}})
	case 3:
		s.keep(extra{Said: Failed, Count: count, Used: count})
	}
}

func requireSameExtras(t *testing.T, want, got extra) {
	t.Helper()
	require.Equal(t, want.Refused == nil, got.Refused == nil)
	if want.Refused != nil {
		require.Equal(t, want.Refused.StatusCode, got.Refused.StatusCode)
	}
	want.Refused, got.Refused = nil, nil
	require.Equal(t, want, got)
}

// requireSameState compares what a token is to carry. A pause is told in
// milliseconds, and of the headers those that travel.
func requireSameState(t *testing.T, want, got state) {
	t.Helper()
	require.Equal(t, want.Status.status(), got.Status.status())
	require.Equal(t, want.Status.Correlation, got.Status.Correlation)
	require.Equal(t, http.Header{"Accept-Language": {"de"}}, got.Header)
	require.Equal(t, string([]rune(string(compact(want.memo.json())))), string(compact(got.memo.json())), "of UTF-8")
	require.Equal(t, len(want.success().Body) > 0, len(got.success().Body) > 0)
	require.Equal(t, string(want.success().Body), string(got.success().Body))
	require.Equal(t, want.success().URL, got.success().URL)
	require.Equal(t, want.success().From, got.success().From)
	require.Equal(t, want.confirming(), got.confirming())
	require.Equal(t, want.repeating(), got.repeating())
	requireSameExtras(t, want.extras(), got.extras())
	if want.Paused {
		require.Equal(t, want.Given.Truncate(time.Millisecond), got.Given)
	}
	if want.Cancel != nil {
		require.JSONEq(t, string(want.Cancel.Body), string(got.Cancel.Body))
		want.Cancel.Body, got.Cancel.Body = nil, nil
	}
	if want.First != nil {
		leads, err := resolveRef(want.First.URL, want.First.Header.Get("Location"))
		require.NoError(t, err)
		after, err := resolveRef(got.First.URL, got.First.Header.Get("Location"))
		require.NoError(t, err)
		require.Equal(t, leads, after)
		want.First.Header, got.First.Header = nil, nil
		require.Equal(t, string(want.First.Body), string(got.First.Body))
		want.First.Body, got.First.Body = nil, nil
	}
	for _, s := range []*state{&want, &got} { // compared above
		s.Status, s.Header, s.memo, s.End, s.Given = summary{}, nil, nil, nil, 0
	}
	require.Equal(t, want, got)
}

func compact(raw json.RawMessage) json.RawMessage {
	b, err := json.Marshal(raw)
	if len(raw) == 0 || err != nil {
		return nil
	}
	return b
}
