package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	fakeibm "github.com/lro-go/lro/fakes/ibmcloud"
	"github.com/lro-go/lro/poller/ibmcloud"
)

// The command that is printed goes on, as it stands.
func TestGoOn(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Plan(fakes.Plan{Times: 1, Duration: fakes.Forever, RetryAfter: time.Minute})
	got := r.run(t.Context(), "put", "/widgets/w1?v=1", "-d", widget, "--timeout=1s", "--header", "X-Key: SECRET", "--strategy=azure-async-operation")
	require.Equal(t, exitStopped, got.code, got)
	f := got.failure(t)
	require.Equal(t, "Deadline", f.Reason)
	require.Regexp(t, `^lro-\d+\.token$`, f.TokenFile)
	info, err := os.Stat(f.TokenFile)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	require.Equal(t, "lro resume "+f.TokenFile+" --origin "+r.origin+" --strategy azure-async-operation --min 1ms --header 'X-Key: …'", f.Resume)

	// The next read is due in a minute: until then nothing is sent.
	args := strings.Fields(f.Resume)[1:9]
	got = r.exec(t.Context(), append(args, "--timeout=20ms")...)
	require.Equal(t, exitStopped, got.code, got)
	require.Equal(t, f.TokenFile, got.failure(t).TokenFile)
	require.Len(t, r.Requests(), 1)
}

func TestResume(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Default.Duration = fakes.Forever
	got := r.run(t.Context(), "put", "/widgets/w1", "-d", widget, "--timeout=50ms", "--token-file=op.token")
	require.Equal(t, exitStopped, got.code, got)
	require.True(t, r.Finish("/widgets/w1"))

	got = r.run(t.Context(), "resume", "op.token")
	require.Equal(t, exitUsage, got.code, "a file is not asked whom to trust")
	require.Contains(t, got.failure(t).Text, "name it with --origin")

	token, err := os.ReadFile("op.token")
	require.NoError(t, err)
	r.stdin = string(token)
	for _, file := range []string{"op.token", "-"} {
		got = r.run(t.Context(), "resume", file, "--origin", r.origin)
		require.Equal(t, exitOK, got.code, got)
		require.Contains(t, got.out, `"provisioningState":"Succeeded"`)
		require.FileExists(t, "op.token", "it is the user's")
	}
}

// The token is there before the first read, and gone when the operation has ended.
func TestTokenFile(t *testing.T) {
	for ending, code := range map[fakes.Ending]int{fakes.Succeeded: exitOK, fakes.Failed: exitFailed} {
		r := newRig(t, &fakes.Service{Default: fakes.Plan{Ending: ending}})
		seen := 0
		r.Fault(fakes.Fault{Kind: fakes.Poll, Do: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if info, err := os.Stat("op.token"); err == nil && info.Mode() == 0o600 {
					seen++
				}
				next.ServeHTTP(w, req)
			})
		}})
		got := r.run(t.Context(), "put", "/widgets/w1", "-d", widget, "--token-file=op.token")
		require.Equal(t, code, got.code, got)
		require.Equal(t, 3, seen)
		left, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// Where the token cannot be written it goes to the folder for temporary files.
// Where that fails too it is said, and how the wait ended is told all the same.
func TestUnkept(t *testing.T) {
	elsewhere := t.TempDir()
	t.Setenv("TMPDIR", elsewhere)
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever, RetryAfter: time.Minute}})
	got := r.run(t.Context(), "put", "/widgets/w1", "-d", widget, "--timeout=1s", "--token-file=absent/op.token")
	require.Equal(t, exitStopped, got.code, got)
	f := got.failure(t)
	require.Equal(t, elsewhere, filepath.Dir(f.TokenFile))
	require.Contains(t, f.Resume, f.TokenFile)
	require.Empty(t, f.Unkept)

	t.Setenv("TMPDIR", filepath.Join(elsewhere, "absent"))
	got = r.run(t.Context(), "put", "/widgets/w2", "-d", widget, "--timeout=1s", "--token-file=absent/op.token")
	require.Equal(t, exitStopped, got.code, got)
	f = got.failure(t)
	require.Empty(t, f.TokenFile)
	require.Contains(t, f.Unkept, "no such file")
	require.Contains(t, got.err, `"note":"the token could not be written`)
}

// A result that could not be read can be asked for again.
func TestResultAgain(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Fault(fakes.Fault{Kind: fakes.Read, Times: 1, Do: fakes.Status(http.StatusBadRequest)})
	got := r.run(t.Context(), "put", "/widgets/w1", "-d", widget, "--token-file=op.token")
	require.Equal(t, exitResult, got.code, got)
	got = r.run(t.Context(), "resume", "op.token", "--origin", r.origin, "--token-file=op.token")
	require.Equal(t, exitOK, got.code, got)
	require.NoFileExists(t, "op.token", "the flag names it")
}

func TestCancel(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	got := r.run(t.Context(), "put", "/widgets/w1", "-d", widget, "--timeout=50ms", "--token-file=op.token")
	require.Equal(t, exitStopped, got.code, got)

	got = r.run(t.Context(), "cancel", "op.token", "--origin", r.origin)
	require.Equal(t, exitUsage, got.code, got)
	require.Contains(t, got.failure(t).Text, "name one, such as --with")

	got = r.run(t.Context(), "cancel", "op.token", "--origin", r.origin, "--with", "POST https://other.test/cancel")
	require.Equal(t, exitRefused, got.code, got)

	got = r.run(t.Context(), "cancel", "op.token", "--origin", r.origin, "--with", "DELETE /operationsStatuses/00000000-0000-4000-8000-000000000001")
	require.Equal(t, exitCanceled, got.code, got)
	require.Contains(t, got.err, "has accepted to cancel it")
}

// IBM Cloud has a request that cancels, and the strategy knows it.
func TestCancelIBM(t *testing.T) {
	svc := fakeibm.New(nil)
	svc.Default.Duration = fakes.Forever
	r := newRig(t, svc)
	flags := []string{"--strategy=ibm-operation", "--origin", r.origin}
	got := r.run(t.Context(), "post", "/v1/widgets", append(flags, "-d", `{}`, "--timeout=50ms", "--token-file=op.token")...)
	require.Equal(t, exitStopped, got.code, got)
	got = r.run(t.Context(), "cancel", "op.token", flags...)
	require.Equal(t, exitCanceled, got.code, got)
}

func TestWatch(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Default.Duration = fakes.Forever
	got := r.run(t.Context(), "put", "/widgets/w1", "-d", widget, "--timeout=50ms")
	require.Equal(t, exitStopped, got.code, got)
	requests := r.Requests()
	url := requests[len(requests)-1].URL // of the operation; nothing else is known
	got = r.run(t.Context(), "watch", url, "--timeout=50ms")
	require.Equal(t, exitStopped, got.code, got)
	goOn := strings.Fields(got.failure(t).Resume)[1:]
	r.Finish("/widgets/w1")
	for _, args := range [][]string{{"watch", url}, {"watch", url, "--strategy=operation-location"}, goOn} {
		got = r.exec(t.Context(), args...)
		require.Equal(t, exitOK, got.code, got)
		require.Contains(t, got.out, `"status":"Succeeded"`)
	}
}

// Any strategy that can be named can be begun with.
func TestStrategies(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	for _, s := range strategies {
		got := r.run(t.Context(), "watch", "/widgets/w1", "--strategy", s.name)
		require.NotContains(t, got.failure(t).Text, "no such strategy")
		require.Equal(t, s.name == "arm", got.code == exitUsage, got)
	}
	var f strategyFlag
	require.NoError(t, f.Set("ibm-vpc:stopped,off"))
	require.Equal(t, ibmcloud.VPC("stopped", "off"), f.Strategy)
}

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"":                "''",
		"https://a.test":  "https://a.test",
		"https://[::1]:8": "'https://[::1]:8'",
		"a b":             "'a b'",
		"it's; rm":        `'it'\''s; rm'`,
		"$(x)":            "'$(x)'",
	} {
		require.Equal(t, want, quote(word))
	}
}
