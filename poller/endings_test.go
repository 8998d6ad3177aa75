package poller_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestTheFiveEndings(t *testing.T) {
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
			require.Len(t, s.requests(), 3, "the result is read once")
		})
	})
	t.Run("OperationError", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {failed}})
			p := begin(t, s, "PUT", nil)
			_, err := p.PollUntilDone(t.Context())
			require.Equal(t, &lroerrors.OperationError{
				State: "Failed", Word: "Failed", StatusCode: 200, Name: "op1",
				Detail: &lroerrors.Detail{Code: "Busy", Message: "try later"},
			}, err)
			require.NotErrorIs(t, err, lroerrors.ErrCanceled)
			_, again := p.Result(t.Context())
			require.Equal(t, err, again, "final")
			st, err := p.Poll(t.Context())
			require.NoError(t, err, "a status of Failed is no error of Poll")
			require.Equal(t, poller.Failed, st.State)
			require.Len(t, s.requests(), 2, "no final GET after a failure")
		})
	})
	t.Run("ResultError", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {"405", "404", "403", widget}})
			p := begin(t, s, "PUT", nil)
			_, err := p.PollUntilDone(t.Context())
			require.IsType(t, &lroerrors.ResultError{}, err)
			var status *lroerrors.StatusError
			require.ErrorAs(t, err, &status)
			require.Equal(t, 405, status.StatusCode)
			require.True(t, p.Done())
			_, err = p.Result(t.Context()) // 404 is borne, 403 is not
			require.IsType(t, &lroerrors.ResultError{}, err)
			v, err := p.Result(t.Context())
			require.NoError(t, err, "never kept: ask again")
			require.JSONEq(t, widget[4:], string(v))
		})
	})
	t.Run("WaitError of a result", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {"503"}})
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			p := begin(t, s, "PUT", nil)
			_, err := p.PollUntilDone(ctx)
			wait := waitOf(t, err, lroerrors.Deadline)
			require.Equal(t, "Succeeded", wait.State)
			require.Contains(t, err.Error(), "Succeeded")
		})
	})
}

func TestTheReadOfTheResultHasPatience(t *testing.T) {
	for _, failure := range []reply{"404", "202", "503", "200 <html>", `200 {"a":`, "drop", "429"} {
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

func TestAskingForTheResultAgainBringsNewPatience(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): append(repeat("503", 9), "503", "503", widget)})
		p := begin(t, s, "PUT", nil)
		_, err := p.PollUntilDone(t.Context())
		require.IsType(t, &lroerrors.ResultError{}, err)
		ended := time.Now()
		_, err = p.Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, 30*time.Second, time.Since(ended), "at once, then 10 and 20 s apart")
	})
}

func TestAResourceIsAJSONObjectWithAWord(t *testing.T) {
	for _, odd := range []reply{"200 null", "200 []", `200 "Succeeded"`, `200 {"properties":{"provisioningState":5}}`, `200 {"provisioningState":""}`, `200 {"properties":{"provisioningState":{}}}`} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {"202"}, get(resource): {odd, widget}})
			p := begin(t, s, "PUT", nil)
			_, err := p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err, odd)
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
		})
	}
	s := serve(map[string][]reply{"PUT " + resource: {`200 {"properties":{"provisioningState":5}}`}})
	require.False(t, begin(t, s, "PUT", nil).Done(), "what a first answer means to say, the resource will tell")
}

func TestATerminalWordBesideA202IsNotReported(t *testing.T) {
	for _, header := range []string{"\nLocation: " + monitor, "\nAzure-AsyncOperation: " + monitor, ""} {
		s := serve(map[string][]reply{
			"PATCH " + resource: {`202 {"properties":{"provisioningState":"Succeeded"}}` + header},
			get(monitor):        {`202 {"status":"Failed"}`},
		})
		p := begin(t, s, "PATCH", nil)
		require.Equal(t, poller.InProgress, p.Status().State)
		require.Empty(t, p.Status().Word)
	}
}

func TestAResultThatDoesNotFitIsNotReadAgain(t *testing.T) {
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

// A context that has ended is no reason to withhold what is known.
func TestAResultInHandNeedsNoContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := begin(t, serve(map[string][]reply{"POST " + resource: {"200 7"}}), "POST", nil)
	v, err := p.PollUntilDone(ctx)
	require.NoError(t, err)
	require.Equal(t, "7", string(v))
}

func TestANilClientIsTheDefault(t *testing.T) {
	var client *http.Client
	_, err := poller.Begin[raw](newRequest(t, "POST", resource), client, &poller.Options{ResultPointer: "bad"})
	require.IsType(t, &lroerrors.StatusError{}, err)
	p, err := poller.New[raw](&http.Response{StatusCode: 200, Request: newRequest(t, "POST", resource)}, client, nil)
	require.NoError(t, err)
	require.True(t, p.Done())
}

func TestAnErrorOfUnknownMembersIsToldAsItIs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Failed","error":{"reason":"quota"}}`}})
		_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
		require.ErrorContains(t, err, `{"reason":"quota"}`)
	})
}

// A DELETE has no result: its T is not decoded from the status of its operation.
func TestADeleteIsNotDecodedFromAStatus(t *testing.T) {
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
	bubble(t, func(t *testing.T) { // the caller knows that the resource is meant
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

func TestWordsOfTheService(t *testing.T) {
	rows := []struct {
		word  string
		words map[string]poller.State
		want  poller.State
	}{
		{"Succeeded", nil, poller.Succeeded},
		{"sUCCEEDED", nil, poller.Succeeded},
		{"completed", nil, poller.Succeeded},
		{"FAILED", nil, poller.Failed},
		{"canceled", nil, poller.Canceled},
		{"Cancelled", nil, poller.Canceled},
		{"Successful", nil, poller.InProgress}, // a slip of the ARO-HCP text
		{"Ready", nil, poller.InProgress},
		{"Deleted", nil, poller.InProgress},
		{"InProgress:step 7", nil, poller.InProgress},
		{"Ready", map[string]poller.State{"READY": poller.Succeeded}, poller.Succeeded},
		{"CreateFailed", map[string]poller.State{"createFailed": poller.Failed}, poller.Failed},
		{"expired", map[string]poller.State{"Expired": poller.Canceled}, poller.Canceled},
	}
	for _, row := range rows {
		for _, script := range []map[string][]reply{
			{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"` + row.word + `"}`}},
			{"POST " + resource: {"202\nOperation-Location: " + monitor}, get(monitor): {`200 {"status":"` + row.word + `"}`}},
			{"PUT " + resource: {`201 {"properties":{"provisioningState":"Creating"}}`}, get(resource): {`200 {"properties":{"provisioningState":"` + row.word + `"}}`}},
			{"PUT " + resource: {"201"}, get(resource): {`200 {"provisioningState":"` + row.word + `"}`}},
		} {
			s := serve(script)
			method := "POST"
			if _, put := script["PUT "+resource]; put {
				method = "PUT"
			}
			st, err := begin(t, s, method, &poller.Options{Words: row.words}).Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, row.want, st.State, row.word)
			require.Equal(t, row.word, st.Word, "as the service wrote it")
		}
	}
}

func TestStatusTellsWhatTheServiceTells(t *testing.T) {
	doc := `200
x-ms-request-id: r1
Retry-After: 30 `
	doc = strings.TrimSpace(doc)
	head, headers, _ := strings.Cut(doc, "\n")
	s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {head + ` {"id":"/ops/op1","name":"op1","status":"Running",` +
		`"startTime":"2023-08-11 01:58:30 +0000","endTime":"soon","percentComplete":"42.5",` +
		`"operations":[{"name":"n1","status":"Failed","error":{"code":"InvalidSku","message":"no"}},{"name":"n2","status":"Busy"}],` +
		`"error":{"code":"Warn","message":"w"}}` + "\n" + headers}})
	p := begin(t, s, "POST", nil)
	st, err := p.Poll(t.Context())
	require.NoError(t, err)
	require.Equal(t, poller.InProgress, st.State)
	require.Equal(t, "Running", st.Word)
	require.Equal(t, "/ops/op1", st.ID)
	require.Equal(t, "op1", st.Name)
	require.InDelta(t, 42.5, *st.PercentComplete, 0)
	require.Equal(t, time.Date(2023, 8, 11, 1, 58, 30, 0, time.UTC), st.StartTime.UTC())
	require.Zero(t, st.EndTime)
	require.Equal(t, "Warn", st.Error.Code)
	require.Equal(t, 200, st.StatusCode)
	require.Equal(t, "r1", st.RequestID)
	require.Equal(t, p.NextPoll(), st.NextPoll)
	require.Len(t, st.Operations, 2)
	require.Equal(t, poller.Failed, st.Operations[0].State)
	require.Equal(t, "InvalidSku", st.Operations[0].Error.Code)
	require.Equal(t, "Busy", st.Operations[1].Word)
	require.Equal(t, `InProgress "Running" 42.5%: Warn: w`, st.String())
}

func TestNewLeavesTheBodyReadable(t *testing.T) {
	cut := errors.New("cut")
	rows := []struct {
		name  string
		code  int
		body  io.Reader
		opts  *poller.Options
		reads string
		fails error
	}{
		{"accepted", 202, strings.NewReader(`{"a":1}`), nil, `{"a":1}`, nil},
		{"refused", 409, strings.NewReader(`{"error":{"code":"C"}}`), nil, `{"error":{"code":"C"}}`, nil},
		{"with a BOM", 200, strings.NewReader("\xef\xbb\xbf{}"), nil, "\xef\xbb\xbf{}", nil},
		{"cut", 200, io.MultiReader(strings.NewReader("{"), errReader{cut}), nil, "{", cut},
		{"larger than allowed", 200, strings.NewReader(`"0123456789"`), &poller.Options{MaxResultBytes: 3}, `"0123456789"`, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			resp := &http.Response{
				StatusCode: row.code, Header: http.Header{"Location": {"/op"}},
				Body: io.NopCloser(row.body), Request: newRequest(t, "POST", resource),
			}
			_, _ = poller.New[raw](resp, http.DefaultClient, row.opts)
			body, err := io.ReadAll(resp.Body)
			require.Equal(t, row.fails, err)
			require.Equal(t, row.reads, string(body))
			require.NoError(t, resp.Body.Close())
		})
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func TestNewRefusesWhatBeganNothing(t *testing.T) {
	_, err := poller.New[raw](nil, nil, nil)
	require.IsType(t, &lroerrors.StatusError{}, err)
	_, err = poller.Begin[raw](nil, nil, nil)
	require.IsType(t, &lroerrors.StatusError{}, err)
	for _, code := range []int{100, 203, 206, 301, 304, 400, 404, 429, 500, 503} {
		resp := &http.Response{StatusCode: code, Header: http.Header{"Azure-Asyncoperation": {"/op"}}, Request: newRequest(t, "PUT", resource), Body: io.NopCloser(strings.NewReader("why not"))}
		_, err := poller.New[raw](resp, nil, nil)
		require.IsType(t, &lroerrors.StatusError{}, err, code)
		require.Contains(t, err.Error(), "PUT "+origin+resource)
	}
}

// A response may be all that a caller has, without request, header or body.
func TestNewOfABareResponse(t *testing.T) {
	for _, code := range []int{200, 201, 204} {
		p, err := poller.New[raw](&http.Response{StatusCode: code}, nil, nil)
		require.NoError(t, err)
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Empty(t, v)
	}
	_, err := poller.New[raw](&http.Response{StatusCode: 202}, nil, nil)
	requireWait(t, err, lroerrors.Unfollowable)
	require.ErrorIs(t, err, lroerrors.ErrNoOperation)

	resp := &http.Response{StatusCode: 202, Header: http.Header{"Location": {origin + monitor}}}
	s := serve(map[string][]reply{get(monitor): {"200 {}"}})
	_, err = poller.New[raw](resp, s.client(), nil)
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
	p, err := poller.New[raw](resp, s.client(), trusted)
	require.NoError(t, err)
	st, err := p.Poll(t.Context())
	require.NoError(t, err)
	require.Equal(t, poller.Succeeded, st.State)
}

func TestBadOptionsSendNothing(t *testing.T) {
	for _, opts := range []*poller.Options{
		{Origins: []string{"management.example.test"}},
		{Origins: []string{origin + "/subscriptions"}},
		{Origins: []string{"https://user:pw@management.example.test"}},
		{ResultPointer: "properties"},
		{FinalStateVia: "somewhere"},
	} {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}})
		_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), opts)
		require.Error(t, err)
		require.Empty(t, s.requests())

		resp, err := s.client().Do(newRequest(t, "POST", resource))
		require.NoError(t, err)
		_, err = poller.New[raw](resp, s.client(), opts)
		wait := waitOf(t, err, lroerrors.Unfollowable)
		_, err = resume(t, tokenOf(t, wait), s).Poll(t.Context())
		require.Error(t, err, "asked, and the scripted service has no answer")
		require.NoError(t, resp.Body.Close())
	}
}

func TestBeginTellsThatThereWasNoAnswer(t *testing.T) {
	s := serve(map[string][]reply{"PUT " + resource: {"drop"}})
	req := newRequest(t, "PUT", resource+"?sig=SECRET")
	_, err := poller.Begin[raw](req, s.client(), nil)
	require.IsType(t, &lroerrors.StatusError{}, err)
	require.Zero(t, err.(*lroerrors.StatusError).StatusCode) //nolint:errorlint // checked right above
	require.NotContains(t, err.Error(), "SECRET")

	_, err = poller.Begin[raw](req, nothing{}, nil)
	require.IsType(t, &lroerrors.StatusError{}, err)
}

// nothing is a broken Doer.
type nothing struct{}

func (nothing) Do(*http.Request) (*http.Response, error) { return nil, nil } //nolint:nilnil // that is what is broken

func TestLimits(t *testing.T) {
	large := `200 {"status":"Succeeded","x":"` + strings.Repeat("x", 2000) + `"}`
	opts := &poller.Options{MaxStatusBytes: 1000, MaxResultBytes: 1500, Patience: poller.Patience{Failures: 1}}
	t.Run("of a status", func(t *testing.T) {
		for _, method := range []string{"PUT", "PATCH", "POST", "DELETE"} {
			for _, header := range []string{"Azure-AsyncOperation", "Operation-Location"} {
				bubble(t, func(t *testing.T) {
					s := serve(map[string][]reply{method + " " + resource: {"202\n" + header + ": " + monitor}, get(monitor): {large}})
					_, err := begin(t, s, method, opts).PollUntilDone(t.Context())
					requireWait(t, err, lroerrors.Patience)
					require.Contains(t, err.Error(), "1000 bytes, the limit of MaxStatusBytes")
				})
			}
		}
	})
	t.Run("of a result", func(t *testing.T) {
		for _, script := range []map[string][]reply{
			{"POST " + resource: {acceptedAt}, get(monitor): {large}},
			{"POST " + resource: {accepted + "\nLocation: /result"}, get(monitor): {succeeded}, get("/result"): {large}},
		} {
			bubble(t, func(t *testing.T) {
				_, err := begin(t, serve(script), "POST", opts).PollUntilDone(t.Context())
				require.Error(t, err)
				require.Contains(t, err.Error(), "1500 bytes, the limit of MaxResultBytes")
			})
		}
	})
	t.Run("a Location may hold a result larger than a status", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			body := `"` + strings.Repeat("x", 1200) + `"`
			s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"200 " + body}})
			v, err := begin(t, s, "POST", opts).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, body, string(v))
		})
	})
	t.Run("a body that never ends", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			doer := roundTrip(func(req *http.Request) (*http.Response, error) {
				resp := &http.Response{StatusCode: 202, Header: http.Header{"Location": {"/op"}}, Request: req, Body: http.NoBody}
				if req.Method == http.MethodGet {
					resp.StatusCode, resp.Body = 200, io.NopCloser(endless{})
				}
				return resp, nil
			})
			p, err := poller.Begin[raw](newRequest(t, "POST", resource), &http.Client{Transport: doer}, opts)
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.Patience)
		})
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte{' '}, len(p)))
	return len(p), nil
}
