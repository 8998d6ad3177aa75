package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/flags"
	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/fakes"
	fakeibm "github.com/lro-go/lro/fakes/ibmcloud"
)

// The command that lro prints resumes the wait once the user fills in the header values.
func TestResumeCommand(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Plan(fakes.Plan{Duration: fakes.Forever, RetryAfter: time.Minute})
	got := r.run("put", "/widgets/w1?v=1", "-d", widget, "--timeout=1s", "--header", "X-Key: SECRET", "--strategy=azure-async-operation", "--min=5s")
	require.Equal(t, output.ExitStopped, got.code, got)
	f := got.failure(t)
	require.Equal(t, "Deadline", f.Reason)
	require.Regexp(t, `^lro-\d+\.token$`, f.TokenFile)
	info, err := os.Stat(f.TokenFile)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	require.Equal(t, "lro resume "+f.TokenFile+" --origin https://a.test --strategy azure-async-operation --min 5s --header 'X-Key: …'", f.Resume)

	// The next read is due in a minute. A resumed wait sends nothing until then.
	args := append(strings.Fields(f.Resume)[1:9], "--header", "X-Key: SECRET")
	got = r.exec(append(args, "--timeout=20s")...)
	require.Equal(t, output.ExitStopped, got.code, got)
	require.Equal(t, f.TokenFile, got.failure(t).TokenFile)
	require.Len(t, r.Requests(), 1)

	r.Finish("/widgets/w1")
	got = r.exec(args...)
	require.Equal(t, output.ExitOK, got.code, got)
	require.Contains(t, got.out, `"provisioningState":"Succeeded"`)
	require.Equal(t, []string{"PUT /widgets/w1", "GET /operationsStatuses/00000000-0000-4000-8000-000000000001", "GET /widgets/w1"}, r.sent())
	require.Contains(t, got.err, `{"note":"the operation has ended; removed `+f.TokenFile+`"}`)
	require.NoFileExists(t, f.TokenFile)
}

func TestResumeNeedsOrigin(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Default.Duration = fakes.Forever
	got := r.run("put", "/widgets/w1", "-d", widget, "--timeout=1s", "--token-file=op.token")
	require.Equal(t, output.ExitStopped, got.code, got)
	require.True(t, r.Finish("/widgets/w1"))
	before := len(r.Requests())

	got = r.run("resume", "op.token")
	require.Equal(t, output.ExitUsage, got.code, "a token does not decide which origins are trusted")
	require.Equal(t, "if you trust this origin, add --origin https://a.test", got.failure(t).Advice)
	got = r.run("resume", "op.token", "-o=text")
	require.Equal(t, "lro: foreign origin: https://a.test is not an allowed origin\n└─ advice: if you trust this origin, add --origin https://a.test\n", got.err)
	require.FileExists(t, "op.token")
	require.Len(t, r.Requests(), before)

	token, err := os.ReadFile("op.token")
	require.NoError(t, err)
	r.stdin = string(token)
	got = r.run("resume", "-", "--origin=https://a.test")
	require.Equal(t, output.ExitOK, got.code, got)
	require.FileExists(t, "op.token", "lro must not remove a file that it did not read")
}

// The token file exists before the first read and is removed once the operation has ended.
func TestTokenFile(t *testing.T) {
	for ending, code := range map[fakes.Ending]int{fakes.Succeeded: output.ExitOK, fakes.Failed: output.ExitFailed} {
		r := newRig(t, &fakes.Service{Default: fakes.Plan{Ending: ending}})
		seen := 0
		r.onRequest(fakes.Poll, func(*http.Request) {
			if info, err := os.Stat("op.token"); err == nil && info.Mode() == 0o600 {
				seen++
			}
		})
		got := r.run("put", "/widgets/w1", "-d", widget, "--token-file=op.token")
		require.Equal(t, code, got.code, got)
		require.Equal(t, 3, seen)
		require.Contains(t, got.err, "the operation has ended; removed op.token")
		left, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// If the token file cannot be written, lro falls back to the folder for temporary files. If that
// fails too, lro reports the failure in addition to how the wait ended.
func TestUnsavedToken(t *testing.T) {
	elsewhere := t.TempDir()
	t.Setenv("TMPDIR", elsewhere)
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	got := r.run("put", "/widgets/w1", "-d", widget, "--timeout=1s", "--token-file=absent/op.token")
	require.Equal(t, output.ExitStopped, got.code, got)
	f := got.failure(t)
	require.Equal(t, elsewhere, filepath.Dir(f.TokenFile))
	require.Contains(t, f.Resume, f.TokenFile)
	require.Empty(t, f.Unsaved)

	t.Setenv("TMPDIR", filepath.Join(elsewhere, "absent"))
	got = r.run("put", "/widgets/w2", "-d", widget, "--timeout=1s", "--token-file=absent/op.token")
	require.Equal(t, output.ExitStopped, got.code, got)
	f = got.failure(t)
	require.Empty(t, f.TokenFile)
	require.Contains(t, f.Unsaved, "no such file")
	require.Contains(t, got.err, `"note":"the resume token could not be written`)
	got = r.run("put", "/widgets/w3", "-d", widget, "--timeout=1s", "-o=text")
	require.Equal(t, output.ExitStopped, got.code, got)
}

// If the operation succeeded but its result could not be read, resuming from the token reads the
// result again.
func TestResultAgain(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Fault(fakes.Fault{Kind: fakes.Read, Times: 1, Do: fakes.Status(http.StatusBadRequest)})
	got := r.run("put", "/widgets/w1", "-d", widget, "--token-file=op.token")
	require.Equal(t, output.ExitResult, got.code, got)
	require.FileExists(t, "op.token")
	got = r.run("resume", "op.token", "--origin", r.origin)
	require.Equal(t, output.ExitOK, got.code, got)
	require.NoFileExists(t, "op.token")
}

func TestCancel(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	got := r.run("put", "/widgets/w1", "-d", widget, "--timeout=1s", "--token-file=op.token")
	require.Equal(t, output.ExitStopped, got.code, got)

	got = r.run("cancel", "op.token", "--origin", r.origin)
	require.Equal(t, output.ExitUsage, got.code, got)
	require.Contains(t, got.failure(t).Advice, "--with 'DELETE URL'")

	got = r.run("cancel", "op.token", "--origin", r.origin, "--with", "POST https://other.test/cancel")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.FileExists(t, "op.token")

	r.Fault(fakes.Fault{Kind: fakes.Cancel, Times: 4, Do: fakes.Status(http.StatusInternalServerError)})
	got = r.run("cancel", "op.token", "--origin", r.origin, "--with", "DELETE /operationsStatuses/00000000-0000-4000-8000-000000000001")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.False(t, got.failure(t).MayHaveStarted, "a cancellation starts nothing")

	got = r.run("cancel", "op.token", "--origin", r.origin, "--with", "DELETE /operationsStatuses/00000000-0000-4000-8000-000000000001")
	require.Equal(t, output.ExitCanceled, got.code, got)
	require.Contains(t, got.err, "the service accepted the cancellation")
	require.Contains(t, r.sent(), "DELETE /operationsStatuses/00000000-0000-4000-8000-000000000001")
	require.NoFileExists(t, "op.token")
}

// IBM Cloud defines a request that cancels an operation. The strategy builds this request, so lro
// cancel does not need --with.
func TestCancelIBM(t *testing.T) {
	svc := fakeibm.New(nil)
	svc.Default.Duration = fakes.Forever
	r := newRig(t, svc)
	flags := []string{"--strategy=ibm-operation", "--origin", r.origin}
	got := r.run("post", "/v1/widgets", append(flags, "-d", `{}`, "--timeout=1s", "--token-file=op.token")...)
	require.Equal(t, output.ExitStopped, got.code, got)
	got = r.run("cancel", "op.token", flags...)
	require.Equal(t, output.ExitCanceled, got.code, got)
}

func TestWatch(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Default.Duration = fakes.Forever
	got := r.run("put", "/widgets/w1", "-d", widget, "--timeout=90s")
	require.Equal(t, output.ExitStopped, got.code, got)
	requests := r.Requests()
	url := requests[len(requests)-1].URL // the status URL
	got = r.run("watch", url, "--timeout=1s")
	require.Equal(t, output.ExitStopped, got.code, got)
	resume := strings.Fields(got.failure(t).Resume)[1:]
	r.Finish("/widgets/w1")
	for _, args := range [][]string{{"watch", url}, {"watch", url, "--strategy=operation-location"}, resume} {
		got = r.exec(args...)
		require.Equal(t, output.ExitOK, got.code, got)
		require.Contains(t, got.out, `"status":"Succeeded"`)
	}
}

// If the resource is being deleted, lro watch succeeds once the resource is gone, even if the wait
// was interrupted and resumed. After lro put, a deletion is not a success.
func TestWatchDeletion(t *testing.T) {
	const strategy = "--strategy=provisioning-state"
	r := newRig(t, &fakes.Service{})
	reads := 0
	r.Fault(fakes.Fault{Path: "/widgets/w1", Do: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			reads++
			if reads%4 == 0 {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			_, _ = fmt.Fprint(w, `{"properties":{"provisioningState":"Deleting"}}`)
		})
	}})
	got := r.run("watch", "/widgets/w1", strategy, "--min=1m")
	require.Equal(t, ended{output.ExitOK, "{\"result\":null}\n", got.err}, got)
	require.Equal(t, 4, reads)

	got = r.run("watch", "/widgets/w1", strategy, "--min=1m", "--timeout=90s")
	require.Equal(t, output.ExitStopped, got.code, got)
	got = r.exec(strings.Fields(got.failure(t).Resume)[1:]...)
	require.Equal(t, output.ExitOK, got.code, got)
	require.Equal(t, 8, reads)

	got = r.run("put", "/widgets/w1", strategy, "--min=1m", "-d", widget, "--timeout=90s")
	require.Equal(t, output.ExitStopped, got.code, got)
	got = r.exec(strings.Fields(got.failure(t).Resume + " --patience=0")[1:]...)
	require.Equal(t, output.ExitLost, got.code, "the deletion of the resource is no success of its creation: %v", got)
}

// If the last known state is not Deleting, a 404 may come from a replica that lags behind, so lro
// watch keeps polling. The wait fails after five minutes of 404s, or at the first 410.
func TestWatchVanished(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	var answers []int
	reads := 0
	r.Fault(fakes.Fault{Path: "/widgets/w1", Do: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			code := answers[min(reads, len(answers)-1)]
			reads++
			if code != http.StatusOK {
				w.WriteHeader(code)
				return
			}
			state := "Updating"
			if reads == len(answers) {
				state = "Succeeded"
			}
			_, _ = fmt.Fprintf(w, `{"properties":{"provisioningState":%q}}`, state)
		})
	}})
	flags := []string{"--strategy=provisioning-state", "--quiet"}

	answers = []int{200, 404, 404, 404}
	got := r.run("watch", "/widgets/w1", append(flags, "-o=text")...)
	require.Equal(t, output.ExitLost, got.code, got)
	require.Equal(t, 7, reads)
	require.Contains(t, got.err, "lro: the resource is gone, although its last known state was not Deleting\n")
	require.Contains(t, got.err, "─ advice: to wait until a resource is deleted, use lro wait --deleted\n├─ last known: InProgress (Updating)\n")

	reads = 0
	answers = []int{200, 410}
	got = r.run("watch", "/widgets/w1", flags...)
	require.Equal(t, output.ExitLost, got.code, got)
	require.Equal(t, 2, reads, "a 410 is final")
	require.Equal(t, "Gone", got.failure(t).Reason)

	reads = 0
	answers = []int{200, 404, 404, 200}
	got = r.run("watch", "/widgets/w1", flags...)
	require.Equal(t, ended{output.ExitOK, `{"result":{"properties":{"provisioningState":"Succeeded"}}}` + "\n", ""}, got)
}

func TestStrategies(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	for _, s := range flags.Strategies() {
		got := r.run("watch", "/widgets/w1", "--strategy", s.Name, "--timeout=1h")
		require.NotContains(t, got.failure(t).Text, "no such strategy")
		require.Equal(t, s.Name == "arm", got.code == output.ExitUsage, got)
	}
}

// Every verb with the flag --timeline draws the wait, no matter how the wait ends.
func TestTimeline(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever, RetryAfter: time.Minute}})
	drawn := func(code int, summary string, args ...string) {
		t.Helper()
		got := r.exec(append(args, "--timeline=wait.svg", "--origin=https://a.test")...)
		require.Equal(t, code, got.code, got)
		svg, err := os.ReadFile("wait.svg")
		require.NoError(t, err)
		require.Contains(t, string(svg), summary)
		require.NoError(t, os.Remove("wait.svg"))
	}
	for i, verb := range []string{"put", "patch", "post", "delete"} {
		path := "/widgets/w" + string(rune('1'+i))
		r.Put(path, map[string]any{})
		token := verb + ".token"
		drawn(output.ExitStopped, strings.ToUpper(verb)+" "+path+": Still in progress after 1 min, 1 status read", verb, r.origin+path, "--token-file="+token, "--timeout=90s")
		if verb == "put" {
			drawn(output.ExitCanceled, "DELETE "+path+": Canceled after 0, 1 status read", "cancel", token, "--with=DELETE "+path)
			continue
		}
		r.Finish(path)
		drawn(output.ExitOK, "Succeeded after ", "resume", token)
	}
	r.Fault(fakes.Fault{Kind: fakes.Begin, Method: http.MethodPut, Do: fakes.Status(http.StatusForbidden)})
	drawn(output.ExitRefused, "PUT /widgets/w9: Not started after 0, 1 attempt", "put", r.origin+"/widgets/w9")
	drawn(output.ExitRefused, "GET /widgets/none: Not started after 0, 1 attempt", "get", r.origin+"/widgets/none")
	const status = "/operationsStatuses/00000000-0000-4000-8000-000000000001"
	drawn(output.ExitCanceled, "GET "+status+": Canceled after 0, 0 status reads", "watch", r.origin+status)
}
