package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/poller/strategy"
)

func TestPhaseText(t *testing.T) {
	for _, p := range []Phase{Unfollowed, Polling, PendingResult, Ended} {
		text, err := p.MarshalText()
		require.NoError(t, err)
		var got Phase
		require.NoError(t, got.UnmarshalText(text))
		require.Equal(t, p, got)
	}
	p := Polling
	require.NoError(t, p.UnmarshalText([]byte("none of them")))
	require.Zero(t, p)
}

func TestPhaseAfter(t *testing.T) {
	for _, row := range []struct {
		state  strategy.State
		result *Result
		want   Phase
	}{
		{strategy.InProgress, nil, Polling},
		{strategy.Succeeded, nil, Ended},
		{strategy.Succeeded, &Result{}, Ended},
		{strategy.Succeeded, &Result{URL: resultURL}, PendingResult},
		{strategy.Succeeded, &Result{URL: resultURL, Body: exact{}}, Ended},
		{strategy.Failed, &Result{URL: resultURL}, Ended},
		{strategy.Canceled, nil, Ended},
	} {
		require.Equal(t, row.want, phaseAfter(row.state, row.result), row)
	}
}

// enter clears the fields of the previous phase, unless the new phase is polling.
func TestEnter(t *testing.T) {
	full := Record{
		Phase: Unfollowed, Now: 1, Held: true, Asked: true, Inline: true, Created: true, Poll: statusURL, Else: checkURL, Monitor: statusURL,
		First: &First{}, LastRead: arrived, Pause: minu, Pace: minu, Failures: &Failures{Count: 1},
	}
	r := full
	r.enter(Polling)
	full.Phase = Polling
	require.Equal(t, full, r)

	for _, p := range []Phase{PendingResult, Ended} {
		r.enter(p)
		require.Equal(t, Record{Phase: p, Inline: true, Created: true, Poll: statusURL, LastRead: arrived, Pace: minu}, r)
		require.True(t, r.Done())
		r = full
		require.False(t, r.Done())
	}
}

// TestTask checks which URL is read next, and whether the response may contain the result.
func TestTask(t *testing.T) {
	for _, row := range []struct {
		record      *Record
		url         exchange.Link
		mayBeResult bool
	}{
		{polling()(), statusURL, false},
		{polling(func(r *Record) { r.Inline = true })(), statusURL, true},
		{reading()(), resultURL, true},
	} {
		url, mayBeResult := row.record.Task()
		require.Equal(t, row.url, url)
		require.Equal(t, row.mayBeResult, mayBeResult)
	}
}

func TestOverride(t *testing.T) {
	inToken := TokenOptions{strategy.FinalStateViaLocation, "/a", map[string]strategy.State{"done": strategy.Succeeded}}
	options := TokenOptions{strategy.FinalStateViaOriginalURI, "/b", map[string]strategy.State{"ready": strategy.Succeeded}}
	require.Equal(t, inToken, inToken.Override(TokenOptions{}))
	require.Equal(t, options, TokenOptions{}.Override(options))
	require.Equal(t, options, inToken.Override(options))
	require.Equal(t, TokenOptions{inToken.Via, "/b", inToken.Words}, inToken.Override(TokenOptions{Pointer: "/b"}))
}

func TestLowerWords(t *testing.T) {
	require.Nil(t, LowerWords(map[string]strategy.State{}))
	require.Equal(t, map[string]strategy.State{"all done": strategy.Succeeded}, LowerWords(map[string]strategy.State{" All Done\t": strategy.Succeeded}))
}

func TestResultAt(t *testing.T) {
	require.Empty(t, (*Result)(nil).At())
	require.Equal(t, exchange.Link(resultURL), (&Result{URL: resultURL, From: checkURL}).At())
	require.Equal(t, exchange.Link(checkURL), (&Result{From: checkURL}).At())
}

// ReleaseResult discards a body that can be read again or is too large for a token. It copies any
// other body, so that the array around the body can be freed.
func TestReleaseResult(t *testing.T) {
	large := exact(bytes.Repeat([]byte("1"), MaxToken+1))
	for _, row := range []struct{ result, want Result }{
		{Result{URL: resultURL, Body: exact("1"), From: checkURL}, Result{URL: resultURL, From: checkURL}},
		{Result{Body: large, From: statusURL}, Result{From: statusURL, Size: MaxToken + 1}},
		{Result{Body: large[1:], From: statusURL}, Result{Body: large[1:], From: statusURL}},
		{Result{Err: "lost"}, Result{Err: "lost"}},
	} {
		r := Record{Result: &row.result}
		r.ReleaseResult()
		require.Equal(t, &row.want, r.Result)
	}
	body := exact("1")
	r := Record{Result: &Result{Body: body}}
	r.ReleaseResult()
	require.NotSame(t, unsafe.SliceData(body), unsafe.SliceData(r.Result.Body))
}

func TestEnd(t *testing.T) {
	r := polling()()
	r.End(strategy.Status{State: strategy.Failed, Word: "w"})
	require.Equal(t, Ended, r.Phase)
	require.Equal(t, &strategy.Status{State: strategy.Failed, Word: "w"}, r.Status)
	require.Equal(t, &Result{}, r.Result)
}

// TestAdopt checks which URLs the poller reads after a Move. MonitorURL must return the status URL
// even while the poller reads a check.
func TestAdopt(t *testing.T) {
	success := strategy.Status{Unconfirmed: true}
	for _, row := range []struct {
		name               string
		from               func() *Record
		move               Move
		poll, other, saved exchange.Link
		monitor            exchange.Link
	}{
		{"the same URL", polling(), Move{}, statusURL, "", "", statusURL},
		{"a relative URL", polling(), Move{Move: strategy.Move{Poll: "next"}}, "https://a.test/next", "", "", "https://a.test/next"},
		{"the same URL byte for byte", polling(func(r *Record) { r.Poll = "https://a.test/%" }), Move{Move: strategy.Move{Poll: "https://a.test/%"}}, "https://a.test/%", "", "", "https://a.test/%"},
		{"a check in turn", polling(), Move{strategy.Move{Poll: checkURL}, strategy.Detour{Else: statusURL}}, checkURL, statusURL, statusURL, statusURL},
		{"a check in turn, with another URL of the status", polling(), Move{strategy.Move{Poll: checkURL}, strategy.Detour{Else: "next"}}, checkURL, "https://a.test/next", "https://a.test/next", "https://a.test/next"},
		{"still in turn", polling(inTurn), Move{strategy.Move{Poll: statusURL}, strategy.Detour{Else: checkURL}}, statusURL, checkURL, statusURL, statusURL},
		{"no longer in turn", polling(inTurn), Move{Move: strategy.Move{Poll: statusURL}}, statusURL, "", "", statusURL},
		{"an invalid second URL", polling(), Move{Detour: strategy.Detour{Else: "https://"}}, statusURL, "", "", statusURL},
		{"to be confirmed, with an invalid second URL", polling(), Move{strategy.Move{Status: success, Poll: checkURL}, strategy.Detour{Else: "https://"}}, checkURL, "", statusURL, statusURL},
		{"to be confirmed", polling(), Move{Move: strategy.Move{Status: success, Poll: checkURL}}, checkURL, "", statusURL, statusURL},
		{"still to be confirmed", polling(confirming), Move{Move: strategy.Move{Status: success}}, checkURL, "", statusURL, statusURL},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := row.from()
			require.NoError(t, r.Adopt(&strategy.Answer{URL: statusURL}, &row.move, &defaults))
			require.Equal(t, []exchange.Link{row.poll, row.other, row.saved}, []exchange.Link{r.Poll, r.Else, r.Monitor})
			require.Equal(t, row.monitor, r.MonitorURL())
		})
	}
}

func TestAdoptRemembersMove(t *testing.T) {
	r := polling(func(r *Record) {
		r.Result = &Result{URL: resultURL}
		r.Failures = &Failures{Count: 1}
		r.Status.Word = "old"
	})()
	require.NoError(t, r.Adopt(&strategy.Answer{URL: statusURL}, &Move{Move: strategy.Move{Status: strategy.Status{Word: "new"}, Inline: true, Memo: json.RawMessage("1")}}, &defaults))
	require.True(t, r.Inline)
	require.Equal(t, "1", string(r.Memo))
	require.Equal(t, "new", r.Status.Word)
	require.Nil(t, r.Result)
	require.Nil(t, r.Failures)

	r.Failures = &Failures{Count: 1}
	require.NoError(t, r.Adopt(&strategy.Answer{URL: checkURL}, &Move{strategy.Move{Status: strategy.Status{Word: "ignored"}}, strategy.Detour{FromCheck: true}}, &defaults))
	require.False(t, r.Inline)
	require.Empty(t, r.Memo)
	require.Equal(t, "new", r.Status.Word)
	require.Equal(t, &Failures{Count: 1}, r.Failures)
}

// At most three reads in a row are immediate, even if the strategy requests more.
func TestImmediateReads(t *testing.T) {
	r := polling()()
	var got []uint8
	for range 6 {
		apply(r, readNow, &defaults)
		got = append(got, r.Now)
	}
	require.Equal(t, []uint8{1, 2, 3, 0, 1, 2}, got)
}

func TestResultOf(t *testing.T) {
	const target = "https://a.test/resource?sig=%zz" // cannot be parsed
	for name, row := range map[string]struct {
		found strategy.Result
		want  Result
	}{
		"none":                          {strategy.Result{}, Result{From: statusURL}},
		"a body":                        {strategy.Result{Body: []byte("1")}, Result{Body: exact("1"), From: statusURL}},
		"a body from elsewhere":         {strategy.Result{Body: []byte("1"), From: checkURL}, Result{Body: exact("1"), From: checkURL}},
		"a URL":                         {strategy.Result{URL: "result"}, Result{URL: resultURL}},
		"a URL and a body":              {strategy.Result{URL: "result", Body: []byte("1")}, Result{URL: resultURL, Body: exact("1"), From: statusURL}},
		"the resource, byte for byte":   {strategy.Result{URL: target}, Result{URL: target}},
		"a URL that cannot be resolved": {strategy.Result{URL: "https://"}, Result{URL: "https://"}},
		"missing":                       {strategy.Result{Err: errors.New("see https://a.test/?sig=secret")}, Result{Err: "see https://a.test/?REDACTED", From: statusURL}},
	} {
		r := Record{Target: target}
		require.Equal(t, &row.want, r.resultOf(&strategy.Answer{URL: statusURL}, &row.found), name)
	}
	r := Record{Target: "/resource"} // New accepts a response whose request has a relative URL
	require.Equal(t, exchange.Link("/resource"), r.resultOf(&strategy.Answer{URL: statusURL}, &strategy.Result{URL: "/resource"}).URL)
}

func TestAdoptStatus(t *testing.T) {
	percent := 50.0
	s := strategy.Status{
		State: "Creating", Word: "w", Name: "n", PercentComplete: &percent, NextPoll: arrived, ReadErr: errors.New("e"),
		Operations: []strategy.Status{{Word: "inner Bearer secret"}}, Detail: &lroerrors.Detail{Message: "m Bearer secret"},
	}
	a := &strategy.Answer{Code: http.StatusAccepted, Header: http.Header{"X-Ms-Request-Id": {"r"}, "X-Ms-Correlation-Request-Id": {"c"}}}
	got := adoptStatus(&s, a)
	require.Equal(t, &strategy.Status{
		State: strategy.InProgress, Word: "w", Name: "n", PercentComplete: &percent, StatusCode: 202, RequestID: "r", CorrelationID: "c",
		Operations: []strategy.Status{{Word: "inner Bearer REDACTED"}}, Detail: &lroerrors.Detail{Message: "m Bearer REDACTED"},
	}, got)
	require.NotSame(t, &percent, got.PercentComplete)
	require.Equal(t, "inner Bearer secret", s.Operations[0].Word, "adoptStatus must not change the status that it is given")

	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		require.Nil(t, adoptStatus(&strategy.Status{PercentComplete: &f}, a).PercentComplete)
	}
}

func TestOperationError(t *testing.T) {
	s := &strategy.Status{
		State: strategy.Failed, Word: "w", Detail: &lroerrors.Detail{Code: "c"}, StatusCode: 200, ID: "i", Name: "n", RequestID: "r", CorrelationID: "o",
	}
	r := &Record{Status: s, Poll: exchange.NewLink("https://a.test/op?sig=secret")}
	got := r.OperationError()
	require.Equal(t, &lroerrors.OperationError{URL: "https://a.test/op", State: "Failed", Word: "w", Detail: s.Detail, StatusCode: 200, ID: "i", Name: "n", RequestID: "r", CorrelationID: "o"}, got)
	require.NotSame(t, s.Detail, got.Detail)
}

// A status ID shares the status URL's memory if the URL contains the ID. An empty ID does not keep
// the URL in memory.
func TestStatusIDSharesURL(t *testing.T) {
	const id = "/operations/op1"
	poll := "https://a.test" + id + "?api-version=1"
	st := adoptStatus(&strategy.Status{ID: string([]byte(id))}, &strategy.Answer{Poll: poll})
	require.Equal(t, id, st.ID)
	require.Same(t, unsafe.StringData(poll[len("https://a.test"):]), unsafe.StringData(st.ID))
	require.NotSame(t, unsafe.StringData(poll), unsafe.StringData(adoptStatus(&strategy.Status{}, &strategy.Answer{Poll: poll}).ID))
	require.Equal(t, "/other", adoptStatus(&strategy.Status{ID: "/other"}, &strategy.Answer{Poll: poll}).ID)
}
