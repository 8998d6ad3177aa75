package poller_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
)

var updateTokens = flag.Bool("update-tokens", false, "write the tokens of this engine into testdata/tokens")

// A goldenToken describes how to create a token, and how the resumed operation ends.
type goldenToken struct {
	method string
	opts   poller.Options
	script map[string][]reply
	polls  int    // the number of polls before ResumeToken
	end    string // how the resumed operation ends, in the format of describeEnding
}

const (
	asyncAt    = "202\nAzure-AsyncOperation: " + monitor
	monitorAt  = "202\nOperation-Location: " + monitor
	creating   = `201 {"id":"w1","properties":{"provisioningState":"Creating"}}`
	failure    = `200 {"status":"Failed","error":{"code":"Broken","message":"no power","details":[{"code":"Fuse"}]}}`
	stopped    = `200 {"status":"Canceled"}`
	document   = `200 {"id":"/operations/op1","name":"op1","status":"Running","startTime":"2000-01-01T00:00:00Z","percentComplete":42.5}`
	widgetMade = `result {"id":"w1","properties":{"provisioningState":"Succeeded"}}`
)

// goldenTokens describes tokens that together cover each phase and each member of a token, and many
// strategies. The keys are the names of the files, without .json.
func goldenTokens() map[string]goldenToken {
	put := func(first reply, status ...reply) map[string][]reply {
		return map[string][]reply{"PUT " + resource: {first}, get(monitor): status, get(resource): {widget}}
	}
	post := func(first reply, status ...reply) map[string][]reply {
		return map[string][]reply{"POST " + resource: {first}, get(monitor): status}
	}
	crossCheck := poller.CrossCheck(nil, poller.Check{})
	return map[string]goldenToken{
		"unfollowed":            {method: "POST", script: post("202\nLocation: https://status.example.test/op?sig=s\nX-Kept: 1"), end: "no result"},
		"polling-first":         {method: "PUT", script: put(asyncAt+"\nRetry-After: 20", succeeded), end: widgetMade},
		"polling-async":         {method: "PUT", script: put(asyncAt, document, succeeded), polls: 1, end: widgetMade},
		"polling-async-post":    {method: "POST", opts: poller.Options{FinalStateVia: poller.FinalStateViaAzureAsyncOp, ResultPointer: "/properties"}, script: post(asyncAt+"\nLocation: /elsewhere", document, `200 {"status":"Succeeded","properties":{"a":1}}`), polls: 1, end: `result {"a":1}`},
		"polling-oploc":         {method: "PUT", script: put(monitorAt, document, succeeded), polls: 1, end: widgetMade},
		"polling-location":      {method: "POST", script: post(acceptedAt, "202\nRetry-After: 30", `200 {"a":1}`), polls: 1, end: `result {"a":1}`},
		"polling-resource":      {method: "PUT", script: map[string][]reply{"PUT " + resource: {creating}, get(resource): {"403", widget}}, polls: 1, end: widgetMade},
		"polling-absent":        {method: "PUT", script: map[string][]reply{"PUT " + resource: {"202"}, get(resource): {"404", widget}}, polls: 1, end: widgetMade},
		"polling-once":          {method: "PUT", script: put("201 {\"id\":\"w1\",\"properties\":{\"provisioningState\":\"Succeeded\"}}\nAzure-AsyncOperation: "+monitor, "404"), end: widgetMade},
		"polling-early":         {method: "PUT", script: map[string][]reply{"PUT " + resource: {asyncAt}, get(monitor): {succeeded}, get(resource): {updating, widget}}, polls: 2, end: widgetMade},
		"polling-overdue-put":   {method: "PUT", script: map[string][]reply{"PUT " + resource: {acceptedAt}, get(monitor): {"202", `200 {"status":"Running"}`}, get(resource): {widget}}, polls: 2, end: widgetMade},
		"polling-words":         {method: "POST", opts: poller.Options{Words: map[string]poller.State{"Ready": poller.Succeeded}}, script: post(asyncAt, document, `200 {"status":"Ready"}`), polls: 1, end: `result {"status":"Ready"}`},
		"polling-failures":      {method: "PUT", script: put(asyncAt, document, "404", "503\nRetry-After: 600", succeeded), polls: 3, end: widgetMade},
		"polling-delete":        {method: "DELETE", script: map[string][]reply{"DELETE " + resource: {asyncAt}, get(monitor): {document, "404"}, get(resource): {"404"}}, polls: 1, end: "no result"},
		"polling-delete-lost":   {method: "DELETE", script: map[string][]reply{"DELETE " + resource: {asyncAt}, get(monitor): {document, "404"}, get(resource): {widget, "404"}}, polls: 3, end: "no result"},
		"polling-crosscheck":    {method: "PUT", opts: poller.Options{Strategy: crossCheck}, script: put(asyncAt, "400"), polls: 1, end: widgetMade},
		"polling-overdue":       {method: "PUT", opts: poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{After: time.Second, Times: 2})}, script: put(asyncAt, document), polls: 3, end: widgetMade},
		"polling-confirm":       {method: "PUT", opts: poller.Options{Strategy: poller.Confirm(nil, poller.Check{Times: 2, Delay: 10 * time.Minute})}, script: put(asyncAt, succeeded), polls: 1, end: widgetMade},
		"polling-confirm-body":  {method: "POST", opts: poller.Options{Strategy: poller.Confirm(crossCheck, poller.Check{URL: "/ready"})}, script: map[string][]reply{"POST " + resource: {`200 {"a":1}`}, get("/ready"): {updating, "200 {}"}}, polls: 1, end: `result {"a":1}`},
		"polling-ibm-operation": {method: "POST", opts: poller.Options{Strategy: ibmcloud.Operation{}}, script: post("202 {\"status\":\"not_started\"}\nLocation: "+monitor, `200 {"status":"in_progress"}`, `200 {"status":"succeeded","a":1}`), polls: 1, end: `result {"status":"succeeded","a":1}`},
		"polling-ibm-resource":  {method: "PUT", opts: poller.Options{Strategy: ibmcloud.ResourceController()}, script: map[string][]reply{"PUT " + resource: {`202 {"last_operation":{"state":"in progress","cancelable":true}}`}, get(resource): {`200 {"last_operation":{"state":"in progress","poll_after":9,"cancelable":true}}`, `200 {"last_operation":{"state":"succeeded"}}`}}, polls: 1, end: `result {"last_operation":{"state":"succeeded"}}`},
		"polling-ibm-deletion":  {method: "DELETE", opts: poller.Options{Strategy: ibmcloud.VPC()}, script: map[string][]reply{"DELETE " + resource: {"202"}, get(resource): {`200 {"status":"deleting"}`, "404"}}, polls: 1, end: "no result"},
		"polling-ibm-task":      {method: "DELETE", opts: poller.Options{Strategy: ibmcloud.Task()}, script: map[string][]reply{"DELETE /v5/ibm/deployments/d": {`202 {"task":{"id":"t","status":"queued"}}`}, get("/v5/ibm/tasks/t"): {`200 {"task":{"id":"t","status":"running"}}`, `200 {"task":{"status":"completed"}}`}}, polls: 1, end: "no result"},
		"reading":               {method: "PUT", script: put(asyncAt, succeeded), polls: 1, end: widgetMade},
		"reading-late":          {method: "PUT", script: map[string][]reply{"PUT " + resource: {asyncAt}, get(monitor): {succeeded}, get(resource): {"404\nRetry-After: 15", widget}}, polls: 2, end: widgetMade},
		"ended-in-hand":         {method: "POST", script: post(acceptedAt, "200 {\"text\":\"\u00e9 \\u2028 <&>\"}"), polls: 1, end: "result {\"text\":\"\u00e9 \\u2028 <&>\"}"},
		"ended-no-utf8":         {method: "POST", script: post(acceptedAt, "200 {\"text\":\"\xe9\"}"), polls: 1, end: "result {\"text\":\"\xe9\"}"},
		"ended-empty":           {method: "POST", script: post(acceptedAt, "204"), polls: 1, end: "no result"},
		"ended-at-once":         {method: "PUT", script: map[string][]reply{"PUT " + resource: {widget}}, end: widgetMade},
		"ended-failed":          {method: "PUT", script: put(asyncAt, failure), polls: 1, end: "OperationError 200 Failed: Broken: no power (Fuse)"},
		"ended-canceled":        {method: "PUT", script: put(asyncAt, stopped), polls: 1, end: "OperationError 200 Canceled"},
	}
}

// make returns the token and the operation's service. The token is the same in every run, because
// each bubble's clock starts at the same time.
func (g goldenToken) make(t *testing.T) (token string, s *service) {
	t.Helper()
	s = serve(maps.Clone(g.script))
	path := resource
	for what := range g.script {
		if at, ok := strings.CutPrefix(what, g.method+" "); ok {
			path = at
		}
	}
	req := newRequest(t, g.method, path+"?api-version=1")
	req.Header.Set("Accept-Language", "de")
	p, err := poller.Begin[raw](req, s.client(), &g.opts)
	if wait, ok := err.(*lroerrors.WaitError); ok { //nolint:errorlint // the outermost one
		token, err = wait.ResumeToken()
		require.NoError(t, err)
		return token, s
	}
	require.NoError(t, err)
	for range g.polls {
		time.Sleep(time.Until(p.NextPoll()))
		if p.Done() {
			_, _ = p.Result(t.Context())
		} else {
			_, _ = p.Poll(t.Context())
		}
	}
	return tokenOf(t, p), s
}

// The package writes exactly the tokens in testdata/tokens and can resume each of them. If a later
// version writes different tokens, add files for them and keep the old files.
func TestGoldenTokens(t *testing.T) {
	rows := goldenTokens()
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				file := filepath.Join("testdata", "tokens", name+".json")
				token, s := row.make(t)
				if *updateTokens {
					require.NoError(t, os.WriteFile(file, []byte(token+"\n"), 0o644))
				}
				golden, err := os.ReadFile(file)
				require.NoError(t, err)
				require.Equal(t, strings.TrimSuffix(string(golden), "\n"), token)

				row.opts.Origins = []string{origin, "https://status.example.test"}
				s.replies[get("/op")] = []reply{"204"}
				p, err := poller.Resume[raw](string(golden), s.client(), &row.opts)
				require.NoError(t, err)
				require.Equal(t, strings.HasPrefix(name, "reading") || strings.HasPrefix(name, "ended"), p.Done())
				require.Contains(t, string(golden), `"phase":"`+name[:strings.IndexAny(name+"-", "-")]+`"`)
				require.Equal(t, strings.HasPrefix(name, "ended"), p.NextPoll().IsZero())
				v, err := p.PollUntilDone(t.Context())
				require.Equal(t, row.end, describeEnding(v, err))
			})
		})
	}
	files, err := filepath.Glob(filepath.Join("testdata", "tokens", "*.json"))
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(rows)), names, "there must be a row for every file")
}

// Every member that a token can have occurs in at least one golden token.
func TestGoldenTokensAreComplete(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "tokens", "*.json"))
	require.NoError(t, err)
	found := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &members))
		for name := range members {
			found[name] = true
		}
	}
	require.Equal(t, []string{
		"absent", "asked", "began", "created", "else", "failures", "finalStateVia", "first", "header", "held", "inline", "interpretResult", "lastRead", "lro", "memo",
		"method", "monitor", "now", "once", "pause", "phase", "poll", "result", "resultPointer", "retryAfter", "status", "target", "words",
	}, slices.Sorted(maps.Keys(found)))
}
