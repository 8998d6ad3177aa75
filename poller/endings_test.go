package poller_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestEndings(t *testing.T) {
	failed := `200 {"status":"Failed","name":"op1","error":{"code":"Busy","message":"try later"}}`
	t.Run("result", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {widget}})
			p := begin(t, s, "PUT", nil)
			_, err := p.Result(t.Context())
			require.Equal(t, lroerrors.ErrNotDone, err)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			for range 2 {
				again, err := p.Result(t.Context())
				require.NoError(t, err)
				require.Equal(t, v, again)
			}
			require.Len(t, s.requests(), 3, "the result must be read only once")
		})
	})
	t.Run("OperationError", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {failed}})
			p := begin(t, s, "PUT", nil)
			_, err := p.PollUntilDone(t.Context())
			require.Equal(t, &lroerrors.OperationError{
				URL: origin + monitor, State: "Failed", Word: "Failed", StatusCode: 200, Name: "op1",
				Detail: &lroerrors.Detail{Code: "Busy", Message: "try later"},
			}, err)
			require.NotErrorIs(t, err, lroerrors.ErrCanceled)
			_, again := p.Result(t.Context())
			require.Equal(t, err, again, "final")
			st, err := p.Poll(t.Context())
			require.NoError(t, err, "Poll must not return an error for the status Failed")
			require.Equal(t, poller.Failed, st.State)
			require.Len(t, s.requests(), 2, "nothing must be read after a failure")
		})
	})
	t.Run("ResultError", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {"405", "404", "403", widget}})
			p := begin(t, s, "PUT", nil)
			_, err := p.PollUntilDone(t.Context())
			var unread *lroerrors.ResultError
			require.ErrorAs(t, err, &unread)
			var status *lroerrors.StatusError
			require.ErrorAs(t, unread.Err, &status)
			require.Equal(t, 405, status.StatusCode)
			require.True(t, p.Done())
			require.Equal(t, time.Now(), p.NextPoll(), "after a ResultError, the next attempt is due at once")
			_, err = p.Result(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err, "a 404 must be retried, because the result may still appear")
			require.Equal(t, time.Now().Add(10*time.Second), p.NextPoll())
			_, err = p.Result(t.Context())
			require.IsType(t, &lroerrors.ResultError{}, err, "a 403 must end the attempts, because a retry cannot help")
			require.Equal(t, time.Minute, time.Since(s.began), "no call of Result may wait")
			v, err := p.Result(t.Context())
			require.NoError(t, err, "Result must try again after a ResultError")
			require.JSONEq(t, widget[4:], string(v))
			require.Zero(t, p.NextPoll())
			require.Len(t, s.requests(), 2+4)
		})
	})
	t.Run("WaitError of a result", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {"503"}})
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			p := begin(t, s, "PUT", nil)
			_, err := p.PollUntilDone(ctx)
			wait := waitOf(t, err, lroerrors.ReasonDeadline)
			require.Equal(t, poller.Succeeded, wait.State)
			require.Contains(t, err.Error(), "Succeeded")
		})
	})
}

func TestResultPatience(t *testing.T) {
	for _, failure := range []reply{"404", "202", "503", "200 <html>", `200 {"a":`, "drop"} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {failure, failure, widget}})
			v, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
			require.NoError(t, err, failure)
			require.JSONEq(t, widget[4:], string(v))
			require.Equal(t, 90*time.Second, time.Since(s.began))
		})
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {failure}})
			_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
			require.IsType(t, &lroerrors.ResultError{}, err, failure)
			require.Equal(t, time.Minute+1830*time.Second, time.Since(s.began))
		})
	}
}

func TestResultPatienceStartsOver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): append(repeat("503", 9), "503", "503", widget)})
		p := begin(t, s, "PUT", nil)
		_, err := p.PollUntilDone(t.Context())
		require.IsType(t, &lroerrors.ResultError{}, err)
		ended := time.Now()
		_, err = p.Result(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err, "after a ResultError, the count of failures must start over")
		require.Zero(t, time.Since(ended))
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 30*time.Second, time.Since(ended), "the reads must be at once, after 10 s and after another 20 s")
	})
}

func TestUndecodableResultIsNotReadAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {`200 {"id":1}`}})
		p, err := poller.Begin[struct{ ID string }](newRequest(t, "PUT", resource), s.client(), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.IsType(t, &lroerrors.ResultError{}, err)
		require.Equal(t, time.Minute, time.Since(s.began))
	})
}

func TestResultPointer(t *testing.T) {
	body := `200 {"status":"Succeeded","properties":{"out put":[1,{"a/b":"x"}]}}`
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {body}})
		p, err := poller.Begin[string](newRequest(t, "POST", resource), s.client(), &poller.Options{ResultPointer: "/properties/out put/1/a~1b"})
		require.NoError(t, err)
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "x", v)
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {body}})
		_, err := begin(t, s, "POST", &poller.Options{ResultPointer: "/nothing"}).PollUntilDone(t.Context())
		require.IsType(t, &lroerrors.ResultError{}, err)
		require.Contains(t, err.Error(), "/nothing")
	})
}

// PollUntilDone returns a result that it already has, even if the context has ended.
func TestKnownResultNeedsNoContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := begin(t, serve(map[string][]reply{"POST " + resource: {"200 7"}}), "POST", nil)
	v, err := p.PollUntilDone(ctx)
	require.NoError(t, err)
	require.Equal(t, "7", string(v))
}

// If the caller's context interrupts a read of the result, that is not a failed read.
func TestContextEndsResultRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {widget}})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(slowly(s, time.Minute)), nil)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
		defer cancel()
		_, err = p.PollUntilDone(ctx)
		require.Nil(t, waitOf(t, err, lroerrors.ReasonDeadline).LastErr)
		_, err = p.Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, 150*time.Second+time.Minute, time.Since(s.began), "the next call must read the result at once")
	})
}

func TestEmptyErrorDoesNotHideOthers(t *testing.T) {
	for _, body := range []string{
		`{"status":"Failed","error":{},"operations":[{"name":"a","status":"Failed","error":{"code":"InvalidSku"}}]}`,
		`{"status":"Failed","error":{},"properties":{"error":{"code":"InvalidSku"}}}`,
		`{"status":"Failed","error":"","code":"InvalidSku"}`,
		`{"status":"Failed","operations":[{"name":"a","status":"Failed","error":{"code":"InvalidSku"}}]}`,
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {"200 " + body}})
			_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
			require.ErrorContains(t, err, "InvalidSku", body)
		})
	}
}

func TestAPIVersionErrorInDetails(t *testing.T) { // quirk W15
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {`400 {"error":{"code":"Bad","details":[{"code":"MissingApiVersionParameter"}]}}`}})
		_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonRefused)
	})
}

func TestResultURL(t *testing.T) {
	rows := []struct{ method, header, document, want string }{
		{"PUT", "Azure-AsyncOperation", `{"status":"Succeeded"}`, resource},
		{"POST", "Azure-AsyncOperation", `{"status":"Succeeded"}`, monitor},
		{"POST", "Operation-Location", `{"status":"Succeeded","resourceLocation":"/list?page=1"}`, "/list?page=1"},
		{"POST", "Location", `{"value":[],"nextLink":"?page=2"}`, monitor},
	}
	for _, row := range rows {
		s := serve(map[string][]reply{row.method + " " + resource: {"202\n" + row.header + ": " + monitor}, get(monitor): {"200 " + row.document}})
		p := begin(t, s, row.method, nil)
		require.Empty(t, p.ResultURL())
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, origin+row.want, p.ResultURL())
		require.Equal(t, origin+row.want, resume(t, tokenOf(t, p), s).ResultURL())
	}
}

func TestCallerMayModifyResult(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {`200 {"a":1}`}})
	p := begin(t, s, "POST", nil)
	v, err := p.Result(t.Context())
	require.NoError(t, err)
	v[0] = 'X'
	again, err := resume(t, tokenOf(t, p), s).Result(t.Context())
	require.NoError(t, err)
	require.JSONEq(t, `{"a":1}`, string(again))
}

func TestDeleteNeedsNoBody(t *testing.T) {
	s := serve(map[string][]reply{"DELETE " + resource: {"200 deleted"}})
	require.True(t, begin(t, s, "DELETE", nil).Done())
}

func TestUnknownErrorMembersAreReported(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Failed","error":{"reason":"quota"}}`}})
		_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
		require.ErrorContains(t, err, `{"reason":"quota"}`)
	})
}

// A DELETE has no result, so the poller does not decode the status document into T.
func TestDeleteIsNotDecodedFromStatus(t *testing.T) {
	document := `200 {"name":"op1","status":"Succeeded","id":5}`
	for _, header := range []string{"Location", "Azure-AsyncOperation", "Operation-Location"} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"DELETE " + resource: {"202\n" + header + ": " + monitor}, get(monitor): {document}})
			p, err := poller.Begin[struct{ ID, Name string }](newRequest(t, "DELETE", resource), s.client(), nil)
			require.NoError(t, err)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Zero(t, v)
		})
	}
	bubble(t, func(t *testing.T) { // a PUT's result is the resource, not the status document
		s := serve(map[string][]reply{"PUT " + resource: {acceptedAt}, get(monitor): {document}, get(resource): {widget}})
		p := begin(t, s, "PUT", &poller.Options{FinalStateVia: poller.FinalStateViaOriginalURI})
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
	})
}

func TestNoResultType(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"DELETE " + resource: {acceptedAt}, get(monitor): {`200 "deleted"`}})
		p, err := poller.Begin[struct{}](newRequest(t, "DELETE", resource), s.client(), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}
