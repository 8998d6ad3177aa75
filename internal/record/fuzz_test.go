package record

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/poller/strategy"
)

// FuzzRecord writes a record to a token and reads it back. The record and its token must not
// change, and the token must contain no credential.
func FuzzRecord(f *testing.F) {
	for _, bits := range []uint16{0x10, 0x20, 0x30, 0x2010, 0x4000, 0xc001, 0x1fc0} {
		f.Add(bits, "/op", "w", []byte(`{"a":"b"}`), int64(1), int64(1e9), 200)
	}
	f.Add(uint16(0), "/op?api-version=1", "Creating", []byte(`{"strategy":"location"}`), int64(5), int64(0), 202)
	f.Add(uint16(1), "/w", "Succeeded", []byte("{\"a\":\"\xff\"}"), int64(-1), int64(1e18), 200)
	f.Add(uint16(2), "/w/%2f", "strategy.Failed \u2028<&>", []byte("\x00"), int64(1<<62), int64(1), 500)
	f.Add(uint16(0xffff), "/", "x", []byte(`null`), int64(1), int64(-1e18), 201)
	f.Add(uint16(0x10), "/\xff", "see https://a.test/x?sig=b", []byte("\xff\xfe"), int64(3), int64(1), 200)
	f.Fuzz(func(t *testing.T, bits uint16, path, word string, data []byte, number, nanos int64, code int) {
		want := recordFrom(bits, "https://a.test/"+strings.TrimPrefix(path, "/"), word, data, number, nanos, code)
		text, err := want.Token()
		if err != nil {
			require.ErrorContains(t, err, "the limit is 65536")
			require.Greater(t, len(data)+len(word)*8+len(path)*8, 8<<10)
			return
		}
		require.LessOrEqual(t, len(text), MaxToken)
		require.True(t, utf8.ValidString(text))
		require.NotContains(t, text, "canary", "a credential")
		got, err := Parse(text)
		if !want.Poll.IsAbsolute() && (want.First == nil || !want.First.URL.IsAbsolute()) {
			return // a poller's record always has an absolute URL
		}
		require.NoError(t, err, text)
		again, err := got.Token()
		require.NoError(t, err)
		require.Equal(t, text, again)
		if len(text) < MaxToken/8 { // a larger token may lack some members
			require.Equal(t, http.Header{"Accept-Language": {"de"}}, got.Header.Header())
			requireSameRecord(t, want, got)
		}
	})
}

// recordFrom builds a record from arbitrary data, using the same functions as a poller.
func recordFrom(bits uint16, url, word string, data []byte, number, nanos int64, code int) Record {
	bit := func(i int) bool { return bits>>i&1 == 1 }
	at := time.Unix(0, nanos).UTC()
	_, err := at.MarshalText()
	if _, after := at.Add(time.Hour).MarshalText(); err != nil || after != nil {
		at = time.Unix(0, 0).UTC()
	}
	header := http.Header{
		"Accept-Language": {"de"}, "Authorization": {"Bearer canary"}, "Cookie": {"canary"}, "X-Ms-Request-Id": {word},
		"Retry-After": {"30"}, "Location": {strings.Replace(url, "//", "//canary:canary@", 1)}, "X-Link": {"see https://u:canary@a.test/"},
	}
	word = valid(word) // status words come from encoding/json, which replaces invalid UTF-8
	text := word + " for https://u:canary@a.test/x?sig=canary with Bearer canary"
	percent := float64(number)
	st := strategy.Status{
		State: []strategy.State{strategy.InProgress, strategy.Succeeded, strategy.Failed, strategy.Canceled}[bits>>4%4], Word: word, ID: text, Name: word, StartTime: at, PercentComplete: &percent,
		Operations: []strategy.Status{{State: strategy.Canceled, Word: text}}, Unconfirmed: bit(6),
		Detail: &lroerrors.Detail{Code: word, Message: text, Details: []lroerrors.Detail{{Code: "x", Target: text}}},
	}
	a := &strategy.Answer{URL: url, Poll: url, Code: code, Header: header, Body: data}
	r := Record{
		Method: []string{http.MethodPut, http.MethodPost, http.MethodDelete, "M-SEARCH"}[bits%4],
		Target: exchange.NewLink("https://a.test/w"), Header: exchange.PropagatedOf(header), Created: bit(8),
		TokenOptions: TokenOptions{
			[]strategy.FinalStateVia{"", strategy.FinalStateViaLocation}[bits>>2%2], strings.Repeat("/a~1b", int(bits>>2%2)), LowerWords(map[string]strategy.State{word: strategy.Succeeded}),
		},
		Poll: exchange.NewLink(url), Status: adoptStatus(&st, a),
		Began: at, LastRead: at, Pause: spanOf(number),
	}
	if bit(14) && r.Status.State == strategy.InProgress {
		r.Phase, r.Status = Unfollowed, &strategy.Status{State: strategy.InProgress}
		r.First = &First{URL: exchange.NewLink(url), Code: http.StatusCreated, Header: header, Body: data, Broken: bit(15), Err: errors.New("canary")}
		if r.First.Broken {
			r.First.acceptBroken(r.Method) // as Parse does
		}
		r.Poll = ""
		return r
	}
	if FitsToken(data) {
		r.Memo = data
	}
	if r.Status.State == strategy.Succeeded {
		r.Result = r.resultOf(a, &strategy.Result{Body: data})
		if bit(13) {
			r.Result = r.resultOf(a, &strategy.Result{URL: url, Body: data})
		}
		if bit(9) {
			r.Result = r.resultOf(a, &strategy.Result{Err: errors.New(word)})
		}
	}
	if r.Phase = phaseAfter(r.Status.State, r.Result); r.Phase != Polling {
		return r
	}
	r.Inline, r.Held, r.Asked, r.Now = bit(9), bit(10), bit(11), uint8(bits>>10&3)
	if bit(7) {
		given := spanOf(number)
		r.Given, r.Else = &given, exchange.NewLink("https://a.test/else")
	}
	if bit(12) {
		n := int(number>>40&0xff) + 1
		r.Failures = &Failures{Count: n, NotFound: n, Other: n, Spent: spanOf(number), Missing: spanOf(number / 2), Lost: lroerrors.ReasonGone}
	}
	return r
}

// spanOf converts nanos to a span, limited to the range that a token allows.
func spanOf(nanos int64) (d span) {
	text, err := span(max(nanos, 0)).MarshalText()
	if err != nil || d.UnmarshalText(text) != nil {
		panic(string(text))
	}
	return d
}

// requireSameRecord compares the fields that a token must preserve. A token may replace invalid
// UTF-8, except in a result's body. It omits the body if the result has a URL.
func requireSameRecord(t *testing.T, want, got Record) {
	t.Helper()
	require.Equal(t, want.Header.Header(), got.Header.Header())
	if want.Result != nil {
		require.Equal(t, string(want.Result.URL), string(got.Result.URL))
		require.Equal(t, valid(want.Result.Err), got.Result.Err)
		if want.Result.URL.IsZero() {
			require.Equal(t, string(want.Result.Body), string(got.Result.Body))
			require.Equal(t, string(want.Result.From), string(got.Result.From))
		} else {
			require.Equal(t, PendingResult, got.Phase)
			require.Empty(t, got.Result.Body)
			want.Phase = PendingResult
		}
	}
	if want.First != nil {
		from, err := want.First.URL.Resolve(want.First.Header.Get("Location"))
		require.NoError(t, err)
		to, err := got.First.URL.Resolve(got.First.Header.Get("Location"))
		require.NoError(t, err)
		require.Equal(t, from, to)
		require.Equal(t, string(want.First.URL), string(got.First.URL))
		require.Equal(t, string(want.First.Body), string(got.First.Body))
		require.Equal(t, want.First.Broken, got.First.Broken)
	}
	require.Equal(t, string(compact(want.Memo)), string(compact(got.Memo)))
	wantStatus, err := marshal(lasting(want.Status))
	require.NoError(t, err)
	gotStatus, err := marshal(got.Status)
	require.NoError(t, err)
	require.Equal(t, valid(string(wantStatus)), valid(string(gotStatus)))
	for _, r := range []*Record{&want, &got} { // clear the fields that have already been compared
		r.Status, r.Header, r.Memo, r.Result, r.First = nil, exchange.Propagated{}, nil, nil, nil
	}
	require.Equal(t, want, got)
}

// valid replaces invalid UTF-8 in s, as encoding/json does.
func valid(s string) string { return string([]rune(s)) }

// compact returns a JSON value as a token stores it.
func compact(raw json.RawMessage) json.RawMessage {
	b, err := marshal(raw)
	if len(raw) == 0 || string(raw) == "null" || err != nil {
		return nil
	}
	return json.RawMessage(valid(string(b)))
}
