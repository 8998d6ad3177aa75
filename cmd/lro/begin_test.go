package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/flags"
	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/fakes"
)

const widget = `{"properties":{"size":1}}`

func TestPut(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Polls: 1, Percent: true}})
	require.NoError(t, os.WriteFile("body.json", []byte(widget), 0o600))
	for _, data := range []string{widget, "@body.json", "@-"} {
		r.stdin = widget
		got := r.run("put", "/widgets/w1?v=1", "-d", data, "--header", "X-Team: blue")
		require.Equal(t, output.ExitOK, got.code, got)
		require.JSONEq(t, `{"result":{"id":"/widgets/w1","name":"w1","type":"widgets","properties":{"provisioningState":"Succeeded","size":1}}}`, got.out)
		require.Equal(t, []string{"Accepted", "Accepted", "Succeeded"}, got.words(t))
	}
	for _, req := range r.Requests() {
		require.Equal(t, "blue", req.Header.Get("X-Team"), req.URL)
	}
	require.Equal(t, "application/json", r.Requests()[0].Header.Get("Content-Type"))
	require.JSONEq(t, widget, string(r.Requests()[0].Body))
}

func TestPutAsText(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Polls: 1, Percent: true}})
	got := r.run("put", "/widgets/w1", "-d", widget, "-o", "text")
	require.Equal(t, "{\n  \"id\": \"/widgets/w1\",\n  \"name\": \"w1\",\n  \"properties\": {\n    \"provisioningState\": \"Succeeded\",\n    \"size\": 1\n  },\n  \"type\": \"widgets\"\n}\n", got.out)
	require.Equal(t, "InProgress \"Accepted\", next read in 1m0s\nInProgress \"Accepted\" 50%, next read in 1m0s\nSucceeded 100%, reading the result\n", got.err)

	got = r.run("put", "/widgets/w1", "-d", widget, "-o", "text", "--quiet")
	require.Empty(t, got.err)
}

func TestOtherVerbs(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Put("/widgets/w1", map[string]any{"properties": map[string]int{"size": 1}})
	r.Plan(fakes.Plan{Method: http.MethodPost, Result: map[string]string{"key": "k"}})

	got := r.run("patch", "/widgets/w1", "-d", `{"properties":{"size":2}}`)
	require.Equal(t, output.ExitOK, got.code, got)
	require.Contains(t, got.out, `"size":2`)
	got = r.run("post", "/widgets/w1/listKeys")
	require.Equal(t, ended{output.ExitOK, "{\"result\":{\"key\":\"k\"}}\n", got.err}, got)
	got = r.run("delete", "/widgets/w1")
	require.Equal(t, ended{output.ExitOK, "{\"result\":null}\n", got.err}, got)
	_, found := r.Resource("/widgets/w1")
	require.False(t, found)
}

func TestExitCodes(t *testing.T) {
	for name, tt := range map[string]struct {
		want  int
		rig   func(*rig)
		flags []string
	}{
		"failed":       {output.ExitFailed, func(r *rig) { r.Default.Ending = fakes.Failed }, nil},
		"canceled":     {output.ExitCanceled, func(r *rig) { r.Default.Ending = fakes.Canceled }, nil},
		"no result":    {output.ExitResult, func(r *rig) { r.Fault(fakes.Fault{Kind: fakes.Read, Do: fakes.Status(400)}) }, nil},
		"stopped":      {output.ExitStopped, func(r *rig) { r.Default.Duration = fakes.Forever }, []string{"--timeout=90s"}},
		"refused":      {output.ExitRefused, func(r *rig) { r.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Status(403)}) }, nil},
		"no response":  {output.ExitRefused, func(r *rig) { r.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Drop()}) }, nil},
		"status lost":  {output.ExitLost, func(r *rig) { r.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(403)}) }, nil},
		"no patience":  {output.ExitLost, func(r *rig) { r.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.HTML(200)}) }, []string{"--patience=0"}},
		"unfollowable": {output.ExitLost, func(r *rig) { r.returnForeignURL() }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, &fakes.Service{})
			tt.rig(r)
			got := r.run("put", "/widgets/w1", append(tt.flags, "-d", widget)...)
			require.Equal(t, tt.want, got.code, got)
			f := got.failure(t)
			require.Equal(t, tt.want, f.Exit)
			require.Equal(t, tt.want == output.ExitResult || tt.want == output.ExitStopped || tt.want == output.ExitLost, f.TokenFile != "", f)
			require.NotContains(t, got.err, `"error"`, "lro has to print the error only once")
		})
	}
}

// returnForeignURL makes the service return a status URL at another origin.
func (r *rig) returnForeignURL() {
	r.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Header("Azure-AsyncOperation", "https://other.test/op?sig=SECRET")})
}

// Error messages name lro's flags, not the options of the underlying packages.
func TestErrorsNameFlags(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.returnForeignURL()
	got := r.run("put", "/widgets/w1", "-d", widget)
	require.Equal(t, "if you trust this origin, add --origin https://other.test", got.failure(t).Advice)
	require.NotContains(t, got.out, "Options.")
	got = r.run("put", "/widgets/w2", "-d", widget, "-o=text")
	require.Contains(t, got.err, "├─ reason: foreign origin: https://other.test is not an allowed origin\n├─ advice: if you trust this origin, add --origin https://other.test\n")
	require.NotContains(t, got.err, "SECRET")

	got = r.run("put", "/widgets/w3", "-d", widget, "--strategy=operation-location")
	require.Equal(t, output.ExitLost, got.code, got)
	require.Contains(t, got.failure(t).Advice, "--strategy")
	require.NotContains(t, got.out, "Options.")
}

func TestUsage(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	require.NoError(t, os.WriteFile("there", []byte("x"), 0o600))
	for _, tt := range []struct {
		want string
		args []string
	}{
		{`unknown command \"frobnicate\"`, []string{"frobnicate"}},
		{`unknown command \"putt\" for \"lro\"; did you mean put or post?`, []string{"putt"}},
		{`unknown command \"frobnicate\"`, []string{"help", "frobnicate"}},
		{`unknown command \"x\" for \"lro demo\"`, []string{"demo", "x"}},
		{"lro put URL takes one argument, not 0; see lro help put", []string{"put"}},
		{"lro get URL takes one argument, not 2; see lro help get", []string{"get", "https://a.test", "https://b.test"}},
		{"unknown flag: --bogus; see lro help get", []string{"get", "https://a.test", "--bogus"}},
		{"unknown shorthand flag: 'd'", []string{"get", "https://a.test", "-d", "{}"}},
		{"unknown flag: --with", []string{"resume", "there", "--with=DELETE x"}},
		{"--output xml: the value must be one of text, json", []string{"get", "https://a.test", "-o=xml"}},
		{"--final-state-via x: the value must be one of azure-async-operation,", []string{"get", "https://a.test", "--final-state-via=x"}},
		{"--min 5: a duration needs a unit, such as 5s or 2m; see lro help get", []string{"get", "https://a.test", "--min", "5"}},
		{"--min -1s: a duration cannot be negative", []string{"get", "https://a.test", "--min=-1s"}},
		{"starts with https:// or http://", []string{"get", "widgets/w1"}},
		{"--strategy aws: unknown strategy; see lro help strategies\"", []string{"watch", "https://a.test", "--strategy", "aws"}},
		{"takes no words", []string{"watch", "https://a.test", "--strategy", "location:done"}},
		{"needs the response that started the operation", []string{"watch", "https://a.test", "--strategy", "arm"}},
		{"every process on this machine can read arguments", []string{"get", "https://a.test", "--header", "authorization: Bearer SECRET"}},
		{"'Name: value'", []string{"get", "https://a.test", "--header", "SECRET"}},
		{"--origin: ", []string{"get", "https://a.test", "--origin", "https://u:SECRET@a.test/?sig=SECRET"}},
		{"lro get URL: the URL cannot be parsed", []string{"get", "https://a.test/%SECRET"}},
		{"the body is not valid JSON", []string{"put", "https://a.test", "-d", "{"}},
		{"no such file", []string{"put", "https://a.test", "-d", "@absent.json"}},
		{"no such file", []string{"resume", "absent"}},
		{"no such file", []string{"put", "https://a.test", "--timeline", "absent/wait.svg"}},
		{"bad resume token", []string{"resume", "there", "--origin", "https://a.test"}},
		{"already exists and may contain the token of another operation", []string{"put", "https://a.test", "--token-file=there"}},
		{"a request has the form 'METHOD URL'", []string{"cancel", "there", "--with", "DELETE"}},
		{"--items: ", []string{"get", "https://a.test", "--items", "value"}},
	} {
		got := r.exec(tt.args...)
		require.Equal(t, output.ExitUsage, got.code, "%q: %+v", tt.args, got)
		require.Contains(t, got.out+got.err, tt.want, "%q", tt.args)
		require.NotContains(t, got.out+got.err, "SECRET", "%q", tt.args)
	}
	require.Empty(t, r.Requests())
}

// With the ARM strategy, lro retries a POST whose response is lost. With an IBM Cloud strategy, it
// does not.
func TestLostResponse(t *testing.T) {
	for strategy, want := range map[string]int{"arm": 4, "ibm-operation": 1} {
		r := newRig(t, &fakes.Service{})
		r.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Drop()})
		got := r.run("post", "/widgets/w1/start", "--strategy", strategy)
		require.Equal(t, output.ExitRefused, got.code, got)
		require.True(t, got.failure(t).MayHaveStarted)
		require.Len(t, r.Requests(), want, strategy)
	}
}

// If lro is interrupted before the response to the first request arrives, it keeps waiting, because
// only that response says how to resume.
func TestInterruptedWhileStarting(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.onRequest(fakes.Begin, func(*http.Request) {
		time.Sleep(time.Second) // takes no real time, because the test runs in a synctest bubble
		r.interrupt(errors.New("SIGINT"))
		time.Sleep(5 * time.Second)
	})
	got := r.run("put", "/widgets/w1", "-d", widget)
	require.Equal(t, output.ExitStopped, got.code, got)
	require.FileExists(t, got.failure(t).TokenFile)
	require.Equal(t, `{"note":"waiting for the response, because it says how to resume; press Ctrl-C again to exit now"}
{"note":"waiting for the response to PUT"}
`, strings.Join(strings.SplitAfter(got.err, "\n")[:2], ""))
	require.Len(t, r.Requests(), 1)
}

// The progress bar appears while lro waits for the first response, so the terminal is not blank.
func TestBarWhileStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Slow(5 * time.Second)})
		var out, stderr bytes.Buffer
		c := &command{name: "delete", flags: &flags.Flags{Target: "https://a.test/widgets/w1"}, stdout: &out, stderr: &stderr, base: &fakes.Transport{Handler: svc}}
		c.printer = output.New(output.Options{Stdout: &out, Stderr: &stderr, Bar: true})
		svc.Put("/widgets/w1", struct{}{})
		require.NoError(t, c.do(t.Context(), c.begin))
		for _, want := range []string{"waiting for the response to DELETE  0s\n", "waiting for the response to DELETE  4s\n", "InProgress  10s  next read in 55s\n"} {
			require.Contains(t, stderr.String(), want)
		}
		require.Empty(t, out.String())
		require.Contains(t, stderr.String(), "lro: the operation succeeded and has no result\n")
	})
}

// Until the service accepts the request, lro shows why each attempt failed.
func TestRetriesWhileStarting(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Fault(fakes.Fault{Kind: fakes.Begin, Nth: 1, Do: fakes.Drop()})
	r.Fault(fakes.Fault{Kind: fakes.Begin, Nth: 2, Do: fakes.Status(http.StatusServiceUnavailable)})
	r.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Status(http.StatusServiceUnavailable)})
	got := r.run("put", "/widgets/w1", "-d", widget, "-o=text")
	require.Equal(t, output.ExitOK, got.code, got)
	require.Regexp(t, `^lro: PUT got no response: .*EOF; trying again
(?:lro: waiting for the response to PUT
)?lro: PUT was answered 503 Service Unavailable; trying again
(?:lro: waiting for the response to PUT
)?InProgress `, got.err)
	require.Equal(t, 2, strings.Count(got.err, "trying again"), got.err)

	synctest.Test(t, func(t *testing.T) {
		var stderr bytes.Buffer
		c := &command{name: "put", flags: &flags.Flags{Target: "https://a.test/widgets/w1"}, stderr: &stderr, base: &fakes.Transport{Handler: fakes.Drop()(r.Service)}}
		c.printer = output.New(output.Options{Stderr: &stderr, Bar: true})
		require.Error(t, c.do(t.Context(), c.begin))
		require.Contains(t, stderr.String(), "PUT got no response: ")
	})
}

// If lro is interrupted before it sends the first request, it sends nothing.
func TestInterruptedBeforeStarting(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.interrupted = true
	got := r.run("put", "/widgets/w1", "-d", widget, "-o=text")
	require.Equal(t, ended{output.ExitStopped, "", "lro: stopped by a signal\n"}, got)
	require.Empty(t, r.Requests())
}

// If a write gets no response, lro reports that the service may have started an operation.
func TestUnanswered(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Drop()})
	got := r.run("put", "/widgets/w1", "-d", widget)
	require.True(t, got.failure(t).MayHaveStarted, got)
	got = r.run("post", "/widgets/w1/restart", "-o=text")
	require.Contains(t, got.err, "lro: the service may have started the operation, but did not confirm it\n")
	require.Contains(t, got.err, "─ advice: read the resource before you send the request again\n")

	r.Put("/widgets/w1", struct{}{})
	r.Fault(fakes.Fault{Method: http.MethodGet, Do: fakes.Drop()})
	got = r.run("get", "/widgets/w1")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.False(t, got.failure(t).MayHaveStarted, "a GET changes nothing")
}

// A service that returns 500 may still have started the operation. lro says so even if it sent the
// request only once.
func TestServerError(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Status(http.StatusInternalServerError)})
	got := r.run("post", "/widgets/w1/start", "--strategy=ibm-operation")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.True(t, got.failure(t).MayHaveStarted, got)
	require.Contains(t, got.failure(t).Advice, "read the resource")
}

// If lro cannot follow the response to a GET, it saves a token only when the reason is that the
// origin of the status URL is not allowed.
func TestUnfollowableGet(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Put("/widgets/w1", struct{}{})
	r.Fault(fakes.Fault{Kind: fakes.Read, Do: fakes.Status(http.StatusAccepted)})
	got := r.run("get", "/widgets/w1")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.Empty(t, got.failure(t).TokenFile)
	got = r.run("get", "/widgets/w1", "-o=text")
	require.Contains(t, got.err, "lro: the response could not be used\n")

	r = newRig(t, &fakes.Service{})
	r.Put("/widgets/w1", struct{}{})
	r.Fault(fakes.Fault{Kind: fakes.Read, Do: fakes.Edit(func(a *fakes.Answer) {
		a.StatusCode = http.StatusAccepted
		a.Header.Set("Location", "https://other.test/op")
	})})
	got = r.run("get", "/widgets/w1")
	require.Equal(t, output.ExitLost, got.code, "with another --origin, lro could follow the response: %v", got)
	require.NotEmpty(t, got.failure(t).TokenFile)
}
