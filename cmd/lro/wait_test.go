package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/fakes"
)

// respond makes the service answer requests to path with the given bodies in turn, and then repeat
// the last body. A body that is a number stands for an empty response with that status code. *reads
// collects the times of the requests.
func (r *rig) respond(path string, bodies ...string) (reads *[]time.Time) {
	reads = new([]time.Time)
	r.Fault(fakes.Fault{Path: path, Do: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			body := bodies[min(len(*reads), len(bodies)-1)]
			*reads = append(*reads, time.Now())
			code := 0
			if _, err := fmt.Sscanf(body, "%d", &code); err == nil {
				w.WriteHeader(code)
				return
			}
			_, _ = fmt.Fprint(w, body)
		})
	}})
	return reads
}

// properties returns the JSON of a resource with the given properties.
func properties(members string) string { return `{"properties":{` + members + `}}` }

// lro wait reads a resource until it meets the --until condition. The --default flag sets the pause
// between reads.
func TestWaitUntil(t *testing.T) {
	ready := properties(`"status":"Ready","provisioningState":"Succeeded","replicas":3,"on":true,"none":null,"a.b":{"c/d":["x"]}`)
	for _, condition := range []string{
		"properties.status=Ready", "properties.status=ready", "/properties/status=Ready", "properties.replicas=3", "properties.on=true",
		"properties.on", "/properties/a.b/c~1d/0=x", "properties.provisioningState=Succeeded",
	} {
		r := newRig(t, &fakes.Service{})
		reads := r.respond("/widgets/w1", `{}`, properties(`"status":"Starting","provisioningState":"Creating"`), ready)
		got := r.run("wait", "/widgets/w1?v=1", "--until", condition, "--default=20s")
		require.Equal(t, output.ExitOK, got.code, "%s: %v", condition, got)
		require.Equal(t, `{"result":`+ready+"}\n", got.out)
		require.Len(t, *reads, 3)
		require.Equal(t, 20*time.Second, (*reads)[1].Sub((*reads)[0]))
		require.Equal(t, 20*time.Second, (*reads)[2].Sub((*reads)[1]))
	}

	for _, condition := range []string{"properties.status=Read", "properties.none", "properties.none=null", "properties.missing", "status=Ready", "properties.status=Succeeded"} {
		r := newRig(t, &fakes.Service{})
		r.respond("/widgets/w1", ready)
		got := r.run("wait", "/widgets/w1", "--until", condition, "--timeout=1h")
		require.Equal(t, output.ExitStopped, got.code, "%s: %v", condition, got)
		require.Equal(t, "Deadline", got.failure(t).Reason)
	}
}

// The status lines show the value at the path in --until, or the provisioningState if there is no
// value yet.
func TestWaitWords(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.respond("/widgets/w1", "{}", properties(`"provisioningState":"Creating"`), properties(`"provisioningState":"Succeeded","status":"Starting"`), properties(`"status":"Ready"`))
	require.Equal(t, []string{"", "Creating", "Starting", "Ready"}, r.run("wait", "/widgets/w1", "--until=properties.status=Ready").words(t))
}

// lro wait honors Retry-After in a 429 and in a 200.
func TestWaitRetryAfter(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	var reads []time.Time
	r.Fault(fakes.Fault{Path: "/widgets/w1", Do: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			reads = append(reads, time.Now())
			w.Header().Set("Retry-After", "95")
			switch len(reads) {
			case 1:
				w.WriteHeader(http.StatusTooManyRequests)
			case 2:
				_, _ = fmt.Fprint(w, "{}")
			default:
				_, _ = fmt.Fprint(w, `{"on":true}`)
			}
		})
	}})
	got := r.run("wait", "/widgets/w1", "--until=on=true")
	require.Equal(t, output.ExitOK, got.code, got)
	require.Equal(t, 95*time.Second, reads[1].Sub(reads[0]))
	require.Equal(t, 95*time.Second, reads[2].Sub(reads[1]))
}

// With --exists, lro wait tolerates any number of 404s.
func TestWaitExists(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	reads := r.respond("/widgets/w1", append(strings.Fields(strings.Repeat("404 ", 100)), properties(`"provisioningState":"Failed"`))...)
	got := r.run("wait", "/widgets/w1", "--exists", "--quiet")
	require.Equal(t, ended{output.ExitOK, `{"result":{"properties":{"provisioningState":"Failed"}}}` + "\n", ""}, got)
	require.Equal(t, 100*time.Minute, (*reads)[100].Sub((*reads)[0]))
}

// With --deleted, lro wait succeeds if the resource does not exist, even if it never existed. az
// and kubectl do the same.
func TestWaitDeleted(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.respond("/widgets/w1", properties(`"provisioningState":"Succeeded"`), properties(`"provisioningState":"Deleting"`), "404")
	got := r.run("wait", "/widgets/w1", "--deleted")
	require.Equal(t, output.ExitOK, got.code, got)
	require.Equal(t, "{\"result\":null}\n", got.out)
	require.Equal(t, []string{"Succeeded", "Deleting", ""}, got.words(t))

	got = r.run("wait", "/widgets/none", "--deleted", "-o=text")
	require.Equal(t, ended{output.ExitOK, "", "Succeeded\nlro: the resource does not exist\n"}, got)
	r.respond("/widgets/w2", "410")
	require.Equal(t, output.ExitOK, r.run("wait", "/widgets/w2", "--deleted").code)
}

// A state that means failure or cancellation ends the wait, unless the resource meets the --until
// condition.
func TestWaitFailure(t *testing.T) {
	failed := properties(`"status":"Starting","provisioningState":"Failed","error":{"code":"Quota","message":"too many"}`)
	for _, tt := range []struct {
		resource, flag string
		code           int
	}{
		{failed, "--until=properties.status=Ready", output.ExitFailed},
		{failed, "--deleted", output.ExitFailed},
		{failed, "--until=properties.provisioningState=Failed", output.ExitOK},
		{failed, "--until=properties.error", output.ExitOK},
		{properties(`"status":"failed"`), "--until=properties.status=Ready", output.ExitFailed},
		{properties(`"status":"failed"`), "--until=properties.status=Failed", output.ExitOK},
		{properties(`"provisioningState":"Canceled"`), "--until=properties.status=Ready", output.ExitCanceled},
	} {
		r := newRig(t, &fakes.Service{})
		r.respond("/widgets/w1", properties(`"provisioningState":"Updating"`), tt.resource)
		got := r.run("wait", "/widgets/w1", "--quiet", "--timeout=10h", tt.flag)
		require.Equal(t, tt.code, got.code, "%v: %v", tt, got)
	}

	r := newRig(t, &fakes.Service{})
	r.respond("/widgets/w1", failed)
	for _, flag := range []string{"--deleted", "--until=properties.status=Ready"} {
		got := r.run("wait", "/widgets/w1", flag, "--quiet", "-o=text")
		require.Equal(t, "lro: the resource ended as Failed\n├─ code: Quota\n└─ message: too many\n", got.err)
	}
}

// If lro cannot read a URL, it reports why the last request failed. It suggests no command to
// resume the wait, because there is no operation.
func TestWaitUnreadable(t *testing.T) {
	for _, tt := range []struct {
		answer   string
		reads    int
		headline string
		flags    []string
	}{
		{"404", 6, "the service refused the request", nil}, // lro tolerates 404s for five minutes
		{"404", 1, "the service refused the request", []string{"--patience=0"}},
		{"410", 1, "the service refused the request", nil},
		{"403", 1, "the service refused the request", nil},
		{"400", 1, "the service refused the request", nil},
		{"503", 9, "the service refused the request", nil}, // lro tolerates 503s for 30 minutes
		{"<html>", 9, "the response could not be used\n├─ reason: the body is not JSON", nil},
	} {
		r := newRig(t, &fakes.Service{})
		reads := r.respond("/widgets/w1", tt.answer)
		got := r.run("wait", "/widgets/w1?sig=SECRET", append(tt.flags, "--until=a=b", "-o=text", "-v")...)
		require.Equal(t, output.ExitRefused, got.code, got)
		require.Len(t, *reads, tt.reads, tt)
		require.Contains(t, got.err, "\nlro: "+tt.headline+"\n", tt)
		require.Contains(t, got.err, "─ request: GET https://a.test/widgets/w1\n", tt)
		require.NotContains(t, got.err, "SECRET")
		require.NotContains(t, got.err, "resume")
	}

	r := newRig(t, &fakes.Service{})
	r.Fault(fakes.Fault{Path: "/widgets/w1", Do: fakes.Drop()})
	got := r.run("wait", "/widgets/w1", "--until=a=b", "-o=text", "--quiet")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.Contains(t, got.err, "lro: the request got no response\n")

	r.Fault(fakes.Fault{Path: "/widgets/w2", Do: func(http.Handler) http.Handler {
		return http.RedirectHandler("https://other.test/", http.StatusFound)
	}})
	got = r.run("wait", "/widgets/w2", "--exists")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.Equal(t, "if you trust this origin, add --origin https://other.test", got.failure(t).Advice)
}

// startAndStop starts n operations, on w1, w2 and so on, and stops waiting. Their tokens are in
// w1.token, w2.token and so on.
func (r *rig) startAndStop(n int) {
	r.t.Helper()
	for i := range n {
		name := fmt.Sprintf("w%d", i+1)
		got := r.run("put", "/widgets/"+name, "-d", widget, "--timeout=1s", "--token-file="+name+".token")
		require.Equal(r.t, output.ExitStopped, got.code, got)
	}
}

// An item is the JSON line that lro wait prints for one of several targets.
type item struct {
	Target string
	Result json.RawMessage
	Error  *output.Failure
}

// items returns the items in the output, keyed by target.
func (e ended) items(t *testing.T) map[string]item {
	t.Helper()
	all := map[string]item{}
	for line := range strings.Lines(e.out) {
		var doc struct{ Item *item }
		require.NoError(t, json.Unmarshal([]byte(line), &doc), line)
		if doc.Item != nil {
			all[doc.Item.Target] = *doc.Item
		}
	}
	return all
}

// lro wait waits for several targets at once. As each target finishes, lro prints an item and
// removes the target's token file, if any.
func TestWaitSeveral(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Plan(fakes.Plan{Path: "/widgets/w1", Duration: 10 * time.Minute})
	r.Plan(fakes.Plan{Path: "/widgets/w2", Polls: 1})
	r.startAndStop(2)
	r.respond("/widgets/x", properties(`"status":"Ready"`))
	args := []string{"wait", "w1.token", "w2.token", r.origin + "/widgets/x?sig=SECRET", r.origin + "/widgets/x?sig=SECRET", "--until=properties.status=Ready"}
	got := r.exec(args...)
	require.Equal(t, output.ExitOK, got.code, got)
	require.NotContains(t, got.out+got.err, "SECRET")
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	require.Len(t, lines, 4)
	require.Equal(t, `{"item":{"target":"https://a.test/widgets/x","result":{"properties":{"status":"Ready"}}}}`, lines[0])
	require.Contains(t, lines[1], `{"item":{"target":"w2.token","result":{"id":"/widgets/w2",`)
	require.Contains(t, lines[2], `{"item":{"target":"w1.token","result":{"id":"/widgets/w1",`)
	require.Equal(t, `{"result":{"items":3}}`, lines[3])
	require.Contains(t, got.err, `{"status":{"target":"https://a.test/widgets/x","state":"Succeeded","word":"Ready"}}`)
	require.Contains(t, got.err, `{"status":{"target":"w1.token","state":"InProgress","word":"Accepted",`)
	require.Contains(t, got.err, `{"note":"the operation has ended; removed w1.token"}`)
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, left)

	got = r.exec("wait", r.origin+"/widgets/none", r.origin+"/widgets/x", "--deleted", "-o=text", "--timeout=1s")
	require.Equal(t, "{\n  \"target\": \"https://a.test/widgets/none\",\n  \"result\": null\n}\n", got.out)
}

// If a target fails, lro wait continues with the others. Its exit code is the smallest code of the
// targets that did not succeed. The code 5 (stopped) is ignored if there is another.
func TestWaitSeveralFail(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Plan(fakes.Plan{Path: "/widgets/w1", Polls: 1, Ending: fakes.Failed, Error: fakes.Error{Code: "Quota", Message: "too many"}})
	r.Plan(fakes.Plan{Path: "/widgets/w2", Polls: 5})
	r.Plan(fakes.Plan{Path: "/widgets/w3", Duration: fakes.Forever})
	r.startAndStop(3)
	r.respond("/widgets/x", "403")
	run := func(targets string, flags ...string) ended {
		return r.exec(append(append([]string{"wait"}, strings.Fields(targets)...), append(flags, "--origin=https://a.test", "--timeout=20m")...)...)
	}

	got := run("w3.token w1.token w2.token https://a.test/widgets/x", "--exists")
	require.Equal(t, output.ExitFailed, got.code, got)
	require.Equal(t, "3 of 4 did not succeed", got.failure(t).Text)
	items := got.items(t)
	require.Len(t, items, 4)
	require.Equal(t, output.ExitFailed, items["w1.token"].Error.Exit)
	require.Contains(t, string(items["w2.token"].Result), `"Succeeded"`)
	require.Equal(t, output.ExitStopped, items["w3.token"].Error.Exit)
	require.Equal(t, "lro resume w3.token --origin https://a.test", items["w3.token"].Error.Resume)
	require.Equal(t, output.ExitRefused, items["https://a.test/widgets/x"].Error.Exit)
	require.NoFileExists(t, "w1.token")
	require.FileExists(t, "w3.token")

	got = run("w3.token https://a.test/widgets/x", "--exists", "-o=text", "--quiet")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.Contains(t, got.err, "lro: https://a.test/widgets/x: the service refused the request\n├─ request: GET https://a.test/widgets/x\n")
	require.Contains(t, got.err, "lro: w3.token: stopped waiting; the operation continues\n├─ reason: the next read is due after --timeout\n")
	require.True(t, strings.HasSuffix(got.err, "\nlro: 2 of 2 did not succeed\n"), got.err)

	got = run("w3.token https://a.test/widgets/w3", "--until=a", "-o=text", "--quiet")
	require.Equal(t, output.ExitStopped, got.code, got)
	require.Contains(t, got.err, "lro: https://a.test/widgets/w3: stopped waiting\n├─ reason: ")
	require.True(t, strings.HasSuffix(got.err, "\nlro: stopped waiting for 2 of 2\n"), got.err)
}

// lro wait accepts a token from lro watch, and ends once the resource is deleted.
func TestWaitForWatch(t *testing.T) {
	const strategy = "--strategy=provisioning-state"
	r := newRig(t, &fakes.Service{})
	r.respond("/widgets/w1", properties(`"provisioningState":"Deleting"`), "404")
	got := r.run("watch", "/widgets/w1", strategy, "--timeout=1s", "--token-file=w1.token")
	require.Equal(t, output.ExitStopped, got.code, got)
	got = r.exec("wait", "w1.token", "--origin=https://a.test", strategy)
	require.Equal(t, output.ExitOK, got.code, got)
	require.Equal(t, "{\"result\":null}\n", got.out)
}

// Ctrl-C stops the wait for all targets. lro then saves the latest state of each to its token file.
func TestWaitInterrupted(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	r.startAndStop(2)
	before, err := os.ReadFile("w1.token")
	require.NoError(t, err)
	polls := 0
	r.onRequest(fakes.Poll, func(*http.Request) {
		polls++
		if polls == 5 {
			r.interrupt(output.StopError{Text: "stopped by a signal: interrupt", Err: context.Canceled})
		}
	})
	got := r.exec("wait", "w1.token", "w2.token", "--origin=https://a.test")
	require.Equal(t, output.ExitStopped, got.code, got)
	require.Equal(t, "stopped waiting for 2 of 2", got.failure(t).Text)
	require.Equal(t, "Canceled", got.items(t)["w1.token"].Error.Reason)
	after, err := os.ReadFile("w1.token")
	require.NoError(t, err)
	require.NotEqual(t, string(before), string(after))

	r.Finish("/widgets/w1")
	r.Finish("/widgets/w2")
	require.Equal(t, output.ExitOK, r.exec("wait", "w1.token", "w2.token", "--origin=https://a.test").code)
}

// lro wait reports invalid arguments before it sends any request.
func TestWaitUsage(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	r.startAndStop(1)
	require.NoError(t, os.WriteFile("bad.token", []byte("SECRET"), 0o600))
	sent := len(r.Requests())
	for args, want := range map[string]string{
		"":                                     "lro wait URL|FILE… takes one argument or more, not 0; see lro help wait",
		"https://a.test/x":                     "say what to wait for at the URL: --until, --exists or --deleted",
		"https://a.test/x --exists --deleted":  "give only one of --until, --exists and --deleted",
		"w1.token --exists":                    "--until, --exists and --deleted are for URLs, but there is no URL",
		"w1.token":                             "w1.token: foreign origin: https://a.test is not an allowed origin",
		"absent.token":                         "open absent.token: no such file or directory",
		"bad.token":                            "bad.token: bad resume token: invalid JSON: invalid character 'S' looking for beginning of value",
		"http:// --exists":                     "lro wait URL: URL without a host",
		"https://a.test/x --until a --until b": "--until b: this flag can be given only once; see lro help wait",
		"https://a.test/x --until a==b":        "--until a==b: a condition has the form PATH=VALUE or PATH; see lro help wait",
		"https://a.test/x --until a!=b":        "--until a!=b: a condition has the form PATH=VALUE or PATH; see lro help wait",
		"https://a.test/x --until a=":          "--until a=: a condition has the form PATH=VALUE or PATH; see lro help wait",
		"https://a.test/x --until {.a}=b":      "--until {.a}=b: a path has dots between its names, such as properties.status, or is a JSON pointer, such as /properties/status; see lro help wait",
		"https://a.test/x --until a..b":        "--until a..b: a path has dots between its names, such as properties.status, or is a JSON pointer, such as /properties/status; see lro help wait",
	} {
		got := r.exec(append([]string{"wait", "-o=text"}, strings.Fields(args)...)...)
		require.Equal(t, output.ExitUsage, got.code, "%s: %v", args, got)
		require.NotContains(t, got.err, "SECRET")
		require.Contains(t, got.err, "lro: "+want, args)
	}
	require.Len(t, r.Requests(), sent)
}

// If a token comes from standard input and the wait stops, lro wait saves the latest token to a new
// file.
func TestWaitForStandardInput(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	got := r.run("put", "/widgets/w1", "-d", widget, "--timeout=1s", "--token-file=w1.token")
	require.Equal(t, output.ExitStopped, got.code, got)
	token, err := os.ReadFile("w1.token")
	require.NoError(t, err)
	require.NoError(t, os.Remove("w1.token"))

	r.stdin = string(token)
	got = r.exec("wait", "-", "--timeout=1s", "--origin=https://a.test")
	require.Equal(t, output.ExitStopped, got.code, got)
	require.NoFileExists(t, "-")
	require.NotContains(t, got.out, "lro resume -")
	saved, err := filepath.Glob("lro-*.token")
	require.NoError(t, err)
	require.Len(t, saved, 1)
}
