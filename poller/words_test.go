package poller_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestResourceNeedsProvisioningState(t *testing.T) {
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
	require.False(t, begin(t, s, "PUT", nil).Done(), "a 200 with an odd provisioningState must not end the operation")
}

func TestTerminalWordIn202IsIgnored(t *testing.T) {
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
		{"Successful", nil, poller.Succeeded}, // a word that ARO-HCP uses
		{"Success", nil, poller.Succeeded},
		{"Successfully", nil, poller.InProgress},
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
			require.Equal(t, row.word, st.Word, "Word must be as the service wrote it")
		}
	}
}

// If a status URL responds with an empty 200, the poller uses the state for "" in Options.Words
// (quirk W6). Without an entry for "", the read fails.
func TestEmptyStatusDocumentIsEmptyWord(t *testing.T) {
	empty := map[string]poller.State{"": poller.Succeeded}
	for _, header := range []string{"Azure-AsyncOperation", "Operation-Location"} {
		script := func() map[string][]reply {
			return map[string][]reply{
				"PUT " + resource: {"202\n" + header + ": " + monitor}, get(resource): {widget},
				get(monitor): {`200 {"status":"Running","operations":[{"name":"n1"}]}`, `200 {"status":""}`, "204", "200 \r\n"},
			}
		}
		bubble(t, func(t *testing.T) {
			p := begin(t, serve(script()), "PUT", &poller.Options{Words: empty})
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, poller.InProgress, st.Operations[0].State, "a nested operation without a word must be in progress")
			for range 2 {
				_, err = p.Poll(t.Context())
				require.IsType(t, &lroerrors.StatusError{}, err)
			}
			s := serve(script())
			p = resume(t, tokenOf(t, begin(t, s, "PUT", &poller.Options{Words: empty})), s)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
		})
		bubble(t, func(t *testing.T) {
			_, err := begin(t, serve(script()), "PUT", nil).PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonPatience)
		})
	}
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {"200"}})
		_, err := begin(t, s, "POST", &poller.Options{Words: map[string]poller.State{"": poller.Failed}}).PollUntilDone(t.Context())
		require.IsType(t, &lroerrors.OperationError{}, err)
	})
}

// The entry for "" in Options.Words applies to an empty 200 from a status URL, but not to any other
// response without a status.
func TestAbsentWordIsNotEmptyWord(t *testing.T) {
	named := func(s poller.State) *poller.Options { return &poller.Options{Words: map[string]poller.State{"": s}} }
	for _, body := range []string{`{"properties":{}}`, `{}`} {
		p := begin(t, serve(map[string][]reply{"PUT " + resource: {"201 " + body + "\nAzure-AsyncOperation: " + monitor}}), "PUT", named(poller.Failed))
		require.False(t, p.Done(), body)
	}
	for _, body := range []string{"", ` {"error":{"code":"C"}}`} {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"409" + body}})
		st, err := begin(t, s, "POST", named(poller.Canceled)).Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, poller.Failed, st.State, "a 409 from a Location must mean that the operation failed")
	}
}

func TestStatusMembers(t *testing.T) {
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
	require.Equal(t, "Warn", st.Detail.Code)
	require.Equal(t, 200, st.StatusCode)
	require.Equal(t, "r1", st.RequestID)
	require.Equal(t, p.NextPoll(), st.NextPoll)
	require.Len(t, st.Operations, 2)
	require.Equal(t, poller.Failed, st.Operations[0].State)
	require.Equal(t, "InvalidSku", st.Operations[0].Detail.Code)
	require.Equal(t, "Busy", st.Operations[1].Word)
	require.Equal(t, `InProgress "Running" 42.5%: Warn: w`, st.String())
}

// The poller reads each optional member of a status document even if the others are missing.
func TestStatusMembersAlone(t *testing.T) {
	for name, row := range map[string]struct {
		doc   string
		isSet func(poller.Status) bool
		kept  bool // whether a running operation's resume token contains the member
	}{
		"id":              {`"id":"/ops/op1"`, func(st poller.Status) bool { return st.ID == "/ops/op1" }, false},
		"name":            {`"name":"op1"`, func(st poller.Status) bool { return st.Name == "op1" }, true},
		"percentComplete": {`"percentComplete":0`, func(st poller.Status) bool { return st.PercentComplete != nil && *st.PercentComplete == 0 }, true},
		"startTime":       {`"startTime":"2026-01-01T00:00:00Z"`, func(st poller.Status) bool { return st.StartTime.Year() == 2026 }, false},
		"endTime":         {`"endTime":"2026-01-01T00:00:00Z"`, func(st poller.Status) bool { return st.EndTime.Year() == 2026 }, false},
		"operations":      {`"operations":[{"name":"n1"}]`, func(st poller.Status) bool { return len(st.Operations) == 1 && st.Operations[0].Name == "n1" }, false},
		"error":           {`"error":{"code":"C"}`, func(st poller.Status) bool { return st.Detail != nil && st.Detail.Code == "C" }, false},
	} {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Running",` + row.doc + `}`}})
		p := begin(t, s, "POST", nil)
		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.True(t, row.isSet(st), name)
		require.Equal(t, row.kept, row.isSet(resume(t, tokenOf(t, p), s).Status()), name)
	}
}

func TestInvalidPercentageIsIgnored(t *testing.T) {
	for _, percent := range []string{`"soon"`, `""`, `"NaN"`, `"Inf"`, `1e400`, `true`, `null`, `[50]`} {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Running","percentComplete":` + percent + `}`}})
		st, err := begin(t, s, "POST", nil).Poll(t.Context())
		require.NoError(t, err)
		require.Nil(t, st.PercentComplete, percent)
	}
}

// A document with a null error is an operation document only if its status is a word that operations
// use, such as InProgress.
func TestNullMembersAndOperationDocument(t *testing.T) {
	for body, want := range map[string]poller.State{
		`{"status":"Active","error":null,"name":"w1"}`:     poller.Succeeded,
		`{"status":"InProgress","error":null,"name":"w1"}`: poller.InProgress,
		`{"status":"Active","error":{},"name":"w1"}`:       poller.InProgress,
	} {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"200 " + body}})
		st, err := begin(t, s, "POST", nil).Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, st.State, body)
	}
}
