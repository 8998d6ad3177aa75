package main

import (
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

func save(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// lro list shows the last known state of each operation and sends no requests.
func TestList(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	got := r.run("put", "/widgets/w1?sig=SECRET", "-d", widget, "--timeout=1s", "--token-file=w1.token")
	require.Equal(t, output.ExitStopped, got.code, got)
	got = r.run("delete", "/widgets/w1?sig=SECRET", "--timeout=10m", "--token-file=w2.token")
	require.Equal(t, output.ExitStopped, got.code, got)
	sent := len(r.Requests())

	text := "w1.token  InProgress (Accepted)  read just now  PUT https://a.test/widgets/w1\n" +
		"w2.token  InProgress (Deleting)  read just now  DELETE https://a.test/widgets/w1\n"
	require.Equal(t, ended{output.ExitOK, text, ""}, r.exec("list", "-o=text"))
	require.Equal(t, ended{output.ExitOK, text, ""}, r.exec("list", "w1.token", "w2.token", "-o=text"))
	json := `{"item":{"file":"w1.token","operation":"PUT https://a.test/widgets/w1","status":{"state":"InProgress","word":"Accepted","nextPoll":"2000-01-01T00:01:00Z"},"lastRead":"2000-01-01T00:00:00Z"}}` + "\n" +
		`{"item":{"file":"w2.token","operation":"DELETE https://a.test/widgets/w1","status":{"state":"InProgress","word":"Deleting","nextPoll":"2000-01-01T00:01:00Z"},"lastRead":"2000-01-01T00:09:54Z"}}` + "\n" +
		`{"result":{"items":2}}` + "\n"
	require.Equal(t, ended{output.ExitOK, json, ""}, r.exec("list"))
	require.Len(t, r.Requests(), sent)
}

// lro list shows every kind of token, including tokens of non-default strategies.
func TestListStates(t *testing.T) {
	tokens, err := filepath.Glob("../../poller/testdata/tokens/*.json")
	require.NoError(t, err)
	if len(tokens) == 0 {
		t.Skip("poller/testdata is not part of this module")
	}
	r := &rig{Service: &fakes.Service{}, t: t}
	got := r.exec(append([]string{"list", "-o=text"}, tokens...)...)
	require.Equal(t, output.ExitOK, got.code, got)
	require.Equal(t, len(tokens), strings.Count(got.out, "\n"))
	for file, want := range map[string]string{
		"ended-failed.json":  `Failed +read just now +PUT https://management\.example\.test/widgets/w1`,
		"ended-at-once.json": `Succeeded +read just now +PUT https://management\.example\.test/widgets/w1`,
		"polling-async.json": `InProgress \(Running\) +read just now +PUT https://management\.example\.test/widgets/w1`,
		"unfollowed.json":    `InProgress +read just now +POST https://management\.example\.test/widgets/w1$`,
	} {
		require.Regexp(t, `(?m)^\S*/`+file+" +"+want, got.out)
	}
	require.NotContains(t, got.out, "?")
	require.Empty(t, r.Requests())
}

// If a file is broken, is not a token or was written by a later release, lro list says so and
// continues with the other files. It never prints the content of such a file.
func TestListBroken(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	got := r.run("put", "/widgets/w1", "-d", widget, "--timeout=1s", "--token-file=good.token")
	require.Equal(t, output.ExitStopped, got.code, got)
	good, err := os.ReadFile("good.token")
	require.NoError(t, err)
	r.Fault(fakes.Fault{Path: "/widgets/w1/restart", Do: fakes.Status(http.StatusAccepted)})
	got = r.run("post", "/widgets/w1/restart?sig=SECRET", "--token-file=lost.token")
	require.Equal(t, output.ExitLost, got.code, got)
	save(t, "broken.token", string(good[:len(good)/2]))
	save(t, "empty.token", "")
	save(t, "foreign.token", "eyJhbGciOi.SECRET")
	save(t, "json.token", `{"access_token":"SECRET"}`)
	save(t, "large.token", strings.Repeat("SECRET", 20_000))
	save(t, "newer.token", `{"lro":2,"poll":{"url":"https://a.test/SECRET"}}`)
	save(t, "url.token", strings.Replace(string(good), "https://a.test/widgets/w1", "https://user:SECRET@a.test/widgets/w1?SECRET#SECRET", 1))
	save(t, ".lro-1.token", "an interrupted write")
	save(t, "notes.txt", "not a token")
	require.NoError(t, os.Mkdir("folder.token", 0o700))
	require.NoError(t, os.Symlink("absent", "gone.token"))

	got = r.exec("list", "-o=text")
	require.Equal(t, output.ExitOK, got.code, got)
	require.Equal(t, `broken.token   bad resume token: invalid JSON: unexpected end of JSON input
empty.token    bad resume token: invalid JSON: unexpected end of JSON input
foreign.token  bad resume token: invalid JSON: invalid character 'e' looking for beginning of value
gone.token     no such file or directory
good.token     InProgress (Accepted)  read just now  PUT https://a.test/widgets/w1
json.token     bad resume token: its version is 0, but the first one was 1
large.token    large.token is too large for a resume token
lost.token     InProgress  read just now  POST https://a.test/widgets/w1/restart  lro cannot follow it: no usable URL to poll in the response: 202 to POST without a header that names an operation
newer.token    the resume token is from a later release: its version is 2, but this release supports only version 1
url.token      foreign origin: URL of host "a.test" contains user-info
`, got.out)

	json := r.exec("list")
	require.NotContains(t, json.out, "SECRET")
	require.Contains(t, json.out, `{"item":{"file":"gone.token","problem":"no such file or directory"}}`)
	require.Contains(t, json.out, `{"result":{"items":10}}`)
}

// lro list accepts a folder without tokens, but rejects a name that does not exist.
func TestListNone(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	require.Equal(t, ended{output.ExitOK, "", "lro: there is no token file\n"}, r.exec("list", "-o=text"))
	require.Equal(t, ended{output.ExitOK, `{"result":{"items":0}}` + "\n", ""}, r.exec("list", "."))
	got := r.exec("list", "absent")
	require.Equal(t, output.ExitUsage, got.code, got)
	require.Equal(t, "stat absent: no such file or directory", got.failure(t).Text)
}

// lro list shows tokens with URLs of several origins, and tokens from azcore.
func TestListOrigins(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	read := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	save(t, "two.token", `{"lro":1,"phase":"polling","method":"PUT","target":"https://a.test/w?k=SECRET","poll":"https://b.test/op?k=SECRET","memo":{"strategy":"azure-async-operation"},"status":{"state":"InProgress","word":"Running"},"began":"`+read+`","lastRead":"`+read+`","pause":"1m0s"}`)
	save(t, "azcore.token", `{"type":"Widget","token":{"type":"async","asyncURL":"https://c.test/op?k=SECRET","locURL":"","origURL":"https://a.test/w?k=SECRET","method":"PUT","finalState":"","state":"InProgress"}}`)
	got := r.exec("list")
	require.Equal(t, output.ExitOK, got.code, got)
	require.NotContains(t, got.out, "SECRET")
	require.Contains(t, got.out, `{"item":{"file":"azcore.token","operation":"https://c.test/op","status":{"state":"InProgress"`)
	require.Contains(t, got.out, `{"item":{"file":"two.token","operation":"PUT https://a.test/w","status":{"state":"InProgress","word":"Running"`)
}

// lro list strips control sequences from its output, so that a hostile file cannot control the
// terminal.
func TestListCleansOperation(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	const azcore = `{"type":"x","token":{"asyncURL":"https://a.test/op","origURL":"https://a.test/w","method":"PUT","state":"InProgress"},"Method":"\u001b[31mEVIL\u0007"}`
	save(t, "azcore.token", azcore)
	for _, format := range []string{"text", "json"} {
		got := r.exec("list", "-o="+format)
		require.Equal(t, output.ExitOK, got.code, got)
		require.Contains(t, got.out, "EVIL", "lro has to accept the file as a token of azcore")
		require.NotContains(t, got.out, "\x1b")
		require.NotContains(t, got.out, `\u001b`)
		require.NotContains(t, got.out, "\a")
	}
}
