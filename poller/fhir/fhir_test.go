package fhir_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/fhir"
	"github.com/lro-go/lro/poller/strategy"
)

var (
	_ strategy.Canceler          = fhir.Async{}
	_ strategy.ServerErrorReader = fhir.Async{}
)

const origin = "https://fhir.example.test"

// read returns a response to a poll, that is, to a GET of the status URL.
func read(code int, body string) strategy.Answer {
	return strategy.Answer{Method: http.MethodGet, Code: code, Target: origin + kickOff, URL: origin + status, Poll: origin + status, Header: http.Header{}, Body: []byte(body)}
}

// first returns a response to the request that starts the export.
func first(method string, code int, body string) strategy.Answer {
	a := read(code, body)
	a.First, a.Method, a.URL, a.Poll = true, method, a.Target, ""
	return a
}

// exported sets the answer's X-Export-Status header and returns the answer.
func exported(status string, a strategy.Answer) strategy.Answer {
	a.Header.Set("X-Export-Status", status)
	return a
}

func TestStep(t *testing.T) {
	const manifest = `{"output":[],"error":[{"type":"OperationOutcome","url":"https://files.example.test/e.ndjson"}]}`
	bundle := func(status string) string {
		return `{"resourceType":"Bundle","type":"batch-response","entry":[{"response":{"status":"` + status + `"}},{"response":{"status":"500"}}]}`
	}
	failure := outcome("processing", "broken")
	tests := []struct {
		name  string
		a     strategy.Answer
		state strategy.State
		err   error
	}{
		{"in progress", read(202, ""), strategy.InProgress, nil},
		{"in progress, with a page", read(202, "<html>"), strategy.InProgress, nil},
		{"a manifest that lists errors", read(200, manifest), strategy.Succeeded, nil},
		{"no manifest", read(200, ""), "", strategy.ErrNotJSON},
		{"a gateway's error page", read(200, "<html>"), "", strategy.ErrNotJSON},

		{"a bundle", read(200, bundle("200 OK")), strategy.Succeeded, nil},
		{"a bundle without content", read(200, bundle("204 No Content")), strategy.Succeeded, nil},
		{"a bundle without a code", read(200, bundle("OK")), strategy.Succeeded, nil},
		{"a bundle whose request was refused", read(200, bundle("400 Bad Request")), strategy.Failed, nil},
		{"a bundle whose request failed", read(200, bundle("500")), strategy.Failed, nil},
		{"a bundle at the first read of the status", first("GET", 200, bundle("400")), strategy.Failed, nil},
		{"the response to the caller's own batch", first("POST", 200, bundle("400")), strategy.Succeeded, nil},
		{"a bundle of search results", read(200, `{"type":"searchset","entry":[{"response":{"status":"400"}}]}`), strategy.Succeeded, nil},

		{"an answer at once", first("POST", 201, ""), strategy.Succeeded, nil},
		{"an answer at once, without content", first("DELETE", 204, ""), strategy.Succeeded, nil},
		{"a gateway's error page at once", first("POST", 200, "<html>"), "", strategy.ErrNotJSON},

		{"a failure", read(400, failure), strategy.Failed, nil},
		{"a failure of the server", read(500, failure), strategy.Failed, nil},
		{"a failure that is called an exception", read(500, outcome("exception", "broken")), strategy.Failed, nil},
		{"a poll that failed", read(500, outcome("transient", "later")), "", strategy.ErrNoStatus},
		{"a poll that was refused", read(400, outcome("throttled", "later")), "", strategy.ErrNoStatus},
		{"a job that is gone", read(404, failure), "", strategy.ErrNoStatus},
		{"a job that is gone for good", read(410, failure), "", strategy.ErrNoStatus},
		{"a failure without an OperationOutcome", read(500, `{"issue":[{"code":"processing"}]}`), "", strategy.ErrNoStatus},
		{"an OperationOutcome without an issue", read(500, `{"resourceType":"OperationOutcome"}`), "", strategy.ErrNoStatus},
		{"a gateway's failure", read(500, "<html>"), "", strategy.ErrNotJSON},

		{"an export in progress", exported("202 Accepted", read(200, "")), strategy.InProgress, nil},
		{"an export that failed", exported("500 Internal Server Error", read(200, failure)), strategy.Failed, nil},
		{"an export that is complete", exported("200 OK", read(200, manifest)), strategy.Succeeded, nil},
		{"a header without a code", exported("done", read(202, "")), strategy.InProgress, nil},
	}
	for _, tt := range tests {
		mv, err := fhir.Async{}.Step(tt.a)
		require.ErrorIs(t, err, tt.err, tt.name)
		require.Equal(t, tt.state, mv.Status.State, tt.name)
	}
}

// X-Progress may contain any text, but only a percentage from 0 to 100 at its start sets
// PercentComplete.
func TestProgress(t *testing.T) {
	for text, want := range map[string]any{
		"45%": 45.0, "12.5% complete": 12.5, "100%": 100.0, "0%": 0.0,
		"": nil, "in progress": nil, "NaN%": nil, "Inf%": nil, "45": nil, "101%": nil, "-1%": nil, "1.5e9%": nil, "step 2 of 5 (40%)": nil,
	} {
		a := read(202, "")
		a.Header.Set("X-Progress", text)
		mv, err := fhir.Async{}.Step(a)
		require.NoError(t, err)
		require.Equal(t, text, mv.Status.Word)
		if want == nil {
			require.Nil(t, mv.Status.PercentComplete, text)
			continue
		}
		require.Equal(t, want, *mv.Status.PercentComplete, text)
	}
}

// The status URL comes from the first 202's Content-Location. Later responses cannot change the
// URL. If the first 202 to a GET has no Content-Location, the poller reads the URL of the GET.
func TestStatusURL(t *testing.T) {
	for _, tt := range []struct {
		name     string
		a        strategy.Answer
		location string
		want     string
	}{
		{"a kick-off", first("GET", 202, ""), origin + status, origin + status},
		{"a kick-off with a POST", first("POST", 202, ""), origin + status, origin + status},
		{"the status URL", first("GET", 202, ""), "", origin + kickOff},
		{"a later read", read(202, ""), origin + "/other", ""},
	} {
		tt.a.Header.Set("Content-Location", tt.location)
		mv, err := fhir.Async{}.Step(tt.a)
		require.NoError(t, err, tt.name)
		require.Equal(t, tt.want, mv.Poll, tt.name)
		require.True(t, mv.Inline, "Inline must be set, because the next response may be a large result")
	}
	_, err := fhir.Async{}.Step(first("POST", 202, ""))
	require.ErrorIs(t, err, lroerrors.ErrNoOperation)
}

// The Detail contains every issue. The message is the issue's text, or its diagnostics if there is
// no text.
func TestIssues(t *testing.T) {
	mv, err := fhir.Async{}.Step(read(500, `{"resourceType":"OperationOutcome","issue":[
		{"code":"processing","details":{"text":"The export stopped."},"diagnostics":"at Export.java:7"},
		{"code":"no-store2","diagnostics":"disk full"},{"code":7}]}`))
	require.NoError(t, err)
	require.Equal(t, &lroerrors.Detail{
		Code: "processing", Message: "The export stopped.",
		Details: []lroerrors.Detail{{Code: "no-store2", Message: "disk full"}, {}},
	}, mv.Status.Detail)
	_ = mv.Status.Detail.Error()
}

func begin(t *testing.T, s *service) *poller.Poller[manifest] {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, origin+kickOff, nil)
	require.NoError(t, err)
	req.Header.Set("Prefer", "respond-async")
	p, err := poller.Begin[manifest](req, fakes.Client(s), &poller.Options{Strategy: fhir.Async{}})
	require.NoError(t, err)
	return p
}

type manifest struct {
	Output []struct{ Type, URL string }
}

// A 500 with an OperationOutcome ends the export. A gateway's error and a transient issue, even in
// a 400, do not.
func TestServerErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{polls: []poll{
			{500, "<html>"},
			{503, outcome("processing", "the database is restarting")},
			{400, outcome("transient", "try again")},
			{504, outcome("processing", "the database is restarting")},
			{502, outcome("processing", "the database is restarting")},
			{500, outcome("processing", "An internal timeout has occurred")},
		}}
		start := time.Now()
		_, err := begin(t, s).PollUntilDone(t.Context())
		require.EqualError(t, err, "lro: operation Failed: processing: An internal timeout has occurred")
		require.Equal(t, time.Minute+(10+20+40+80+160)*time.Second, time.Since(start), "the wait must consist of the first pause and the back-off after each failed read")
		ask := "GET " + status
		require.Equal(t, []string{"GET " + kickOff, ask, ask, ask, ask, ask, ask}, s.asked)
	})
}

// If every read fails with a transient issue, the wait lasts until Patience runs out.
func TestTransientUntilPatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{polls: make([]poll, 100)}
		for i := range s.polls {
			s.polls[i] = poll{400, outcome("transient", "try again")}
		}
		start := time.Now()
		_, err := begin(t, s).PollUntilDone(t.Context())
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, lroerrors.ReasonPatience, wait.Reason)
		require.GreaterOrEqual(t, time.Since(start), 30*time.Minute)
	})
}

// After a transient issue, the Move still allows a large response, because the next read may return
// the result.
func TestTransientKeepsTheLimit(t *testing.T) {
	mv, err := fhir.Async{}.Step(read(400, outcome("lock-error", "try again")))
	require.ErrorIs(t, err, strategy.ErrNoStatus)
	require.Equal(t, strategy.Move{Poll: origin + status, Inline: true}, mv)
}

// Cancel sends a DELETE to the status URL, which then returns 404 ("Bulk Data Delete Request").
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{}
		p := begin(t, s)
		require.NoError(t, p.Cancel(t.Context()))
		require.NoError(t, p.Cancel(t.Context()), "Cancel must accept a 404, which means that the request has ended")
		require.False(t, p.Done())
		_, err := p.PollUntilDone(t.Context())
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, lroerrors.ReasonGone, wait.Reason)
		require.Equal(t, []string{"GET " + kickOff, "DELETE " + status, "DELETE " + status, "GET " + status}, s.asked[:4])
	})
}

// Cancel must not delete a resource, so it sends no DELETE to a URL that may belong to one.
func TestCancelOnlyRequests(t *testing.T) {
	for url, want := range map[string]bool{
		"/fhir/$export-poll-status?_jobId=1": true,
		"/fhir/Group/1/$export-status":       true,
		"/fhir/R4/job/1/status":              true,
		"/fhir/__async-status/DAB":           true,
		"/bulkstatus/6b1b":                   true,
		"/fhir/Patient/1":                    false,
		"/fhir/Patient/1/_history":           false,
		"/fhir/Patient":                      false,
		"/fhir?_type=Patient":                false,
		"/fhir/job?_id=1":                    false,
		"/fhir/%50atient/1":                  false,
		"/fhir/$x/../Patient/1":              false,
		"/fhir/$x/Patient/1":                 false,
		"/fhir/Patient/$x%2F..%2F1":          false,
		"/fhir/Patient?_id=/$x":              false,
		`/fhir\Patient\1`:                    false,
	} {
		req, err := fhir.Async{}.Cancel(strategy.Answer{Poll: origin + url})
		require.NoError(t, err)
		require.Equal(t, want, req != nil, url)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &service{status: "/fhir/Patient/1"}
		p := begin(t, s)
		require.ErrorIs(t, p.Cancel(t.Context()), errors.ErrUnsupported)
		require.Equal(t, []string{"GET " + kickOff}, s.asked)
	})
}
