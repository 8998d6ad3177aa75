package serve_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

// writeRecording writes a recording to a temporary file and returns the file's name.
func writeRecording(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "recorded.http")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// A poller gets the same outcome from lro serve --replay as from the recorded service, with the
// same requests at the same times.
func TestReplayOfWait(t *testing.T) {
	var recorded bytes.Buffer
	want := wait(t, func() http.Handler {
		h, err := serve.Handler(io.Discard, &recorded, "--duration=2m", "--retry-after=30s", "--fault=poll:2:503=10s", "--fault=poll:3:slow=20s", "--fault=poll:4:drop")
		require.NoError(t, err)
		return h
	})
	file := writeRecording(t, recorded.String())
	var again bytes.Buffer
	got := wait(t, func() http.Handler {
		h, err := serve.Handler(io.Discard, &again, "--replay", file)
		require.NoError(t, err)
		return h
	})
	require.Equal(t, want, got)
	require.Equal(t, strings.Replace(recorded.String(), "# wait 20s\n", "", 1), again.String(), "a recording of the replay has to be the same, except for the delay")
}

// A recording can be replayed on another port, and replayed again after a reset.
func TestReplayOverSockets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.http")
	r := servetest.Start(t, "--record="+file, "--polls=1", "--page-size=2")
	script := []string{"GET /widgets", "PUT /widgets/w1?api-version=1", "GET /operationsStatuses/" + id(1) + "?api-version=1", "DELETE /widgets/none", "GET /widgets/w1"}
	play := func(base string) (got []string) {
		for _, step := range script {
			method, path, _ := strings.Cut(step, " ")
			code, header, err := send(t, t.Context(), method, base+path)
			require.NoError(t, err)
			header.Del("Date")
			for name, values := range header {
				for _, value := range values {
					got = append(got, name+": "+strings.ReplaceAll(value, base, "BASE"))
				}
			}
			got = append(got, step, http.StatusText(code))
		}
		return got
	}
	want := play(r.URL)
	requireStop(t, r)

	replay := servetest.Start(t, "--replay="+file, "--control=127.0.0.1:0")
	require.NotEqual(t, r.URL, replay.URL)
	replay.Welcome()
	require.ElementsMatch(t, want, play(replay.URL))
	code, _, err := send(t, t.Context(), http.MethodGet, replay.URL+"/widgets")
	require.NoError(t, err)
	require.Equal(t, 417, code, "no further request is in the recording")
	code, _, err = send(t, t.Context(), http.MethodPost, replay.Control+"/reset")
	require.NoError(t, err)
	require.Equal(t, 204, code)
	require.ElementsMatch(t, want, play(replay.URL))
}

const twoReads = "GET https://management.example.test/a?x=1 HTTP/1.1\n###\nHTTP/1.1 200 OK\nLocation: {{base}}/b\n###\nGET https://management.example.test/b HTTP/1.1\n###\nHTTP/1.1 204 No Content\n"

// A request that is not next in the recording gets a 417 that describes the difference, and does
// not advance the replay.
func TestReplayOfOtherRequests(t *testing.T) {
	r := servetest.Start(t, "--replay="+writeRecording(t, twoReads))
	welcome := strings.Join(r.Welcome(), "\n")
	require.Contains(t, welcome, "Send the 2 requests of the recording in the same order. Any other request gets a\n417 that says how it differs, and does not count.")
	require.NotContains(t, welcome, "Commands to try")
	get := func(path string, wantCode int, wantLine string) {
		code, _, err := send(t, t.Context(), http.MethodGet, r.URL+path)
		require.NoError(t, err)
		require.Equal(t, wantCode, code)
		require.Regexp(t, "^.{8} "+wantLine+"$", <-r.Lines)
	}
	get("/b", 417, `   1 GET    /b                         417     -           fakes: got GET /b, want GET /a\?x=1 \(line 1\)`)
	get("/a?x=1", 200, `   2 GET    /a                         200     -`)
	get("/a?x=1", 417, `   3 GET    /a                         417     -           fakes: got GET /a\?x=1, want GET /b \(line 5\)`)
	requireStop(t, r, "", "Stopped after 3 requests; 1 request of the recording did not arrive.")
}

// For a replay, the control interface lists the requests, but no operations and no faults.
func TestReplayWithControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(t, "--replay="+writeRecording(t, twoReads))
		c.require(c.do, "GET /a?x=1", 200, nil)
		c.require(c.control, "GET /operations", 200, members{"operations.#": 0})
		c.require(c.control, "GET /faults", 200, members{"faults.#": 0})
		c.require(c.control, "POST /operations/"+id(1)+"/fail", 404, members{"error.code": "OperationNotFound"})
		c.require(c.control, `POST /faults {"fault": "503"}`, 400, members{"error.message": "fault 503: lro serve cannot add faults to a recording that it replays"})
		c.require(c.control, "DELETE /faults/1", 404, nil)
		c.require(c.control, "GET /requests", 200, members{"requests.0.url": "/a?x=1", "requests.0.statusCode": 200.0, "requests.0.kind": nil})
		c.require(c.control, "POST /reset", 204, nil)
		c.require(c.control, "GET /requests", 200, members{"requests.#": 0})
		c.require(c.do, "GET /a?x=1", 200, nil)
	})
}

func TestReplayErrors(t *testing.T) {
	recording := writeRecording(t, twoReads)
	empty := writeRecording(t, "# nothing\n")
	half := writeRecording(t, "GET /a HTTP/1.1\n")
	tests := map[string]string{
		"--replay none.http":                                   "--replay: open none.http: no such file or directory",
		"--replay " + empty:                                    "--replay " + empty + ": the file has no requests",
		"--replay " + half:                                     "--replay " + half + ": fakes: transcript, request in line 1: no response follows",
		"--replay " + recording + " --style=arm":               "--style has no effect on a recording; leave out this flag or --replay",
		"--replay " + recording + " --fault=503":               "--fault has no effect on a recording; leave out this flag or --replay",
		"--replay " + recording + " --duration=1s --quirk=W18": "--duration has no effect on a recording; leave out this flag or --replay\n--quirk has no effect on a recording; leave out this flag or --replay",
	}
	for args, want := range tests {
		cmd := serve.Command()
		cmd.SetArgs(append([]string{"--addr=127.0.0.1:0"}, strings.Fields(args)...))
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		err := cmd.ExecuteContext(t.Context())
		require.EqualError(t, err, want)
		require.NotErrorAs(t, err, new(serve.Error), "the command line is wrong")
	}
}
