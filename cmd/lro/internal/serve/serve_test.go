package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

// fresh opens a new connection for each request, because net/http resends a GET when a reused
// connection is dropped.
var fresh = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// send sends a request and returns the response's status code and headers.
func send(t *testing.T, ctx context.Context, method, url string) (int, http.Header, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader("{}"))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer anything")
	resp, err := fresh.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, resp.Header, nil
}

// requireStop stops the command and fails the test if the command fails. If expected lines are
// given, the remaining output must equal them.
func requireStop(t *testing.T, r *servetest.Server, want ...string) {
	t.Helper()
	got, err := r.Stop()
	require.NoError(t, err)
	if len(want) > 0 {
		require.Equal(t, want, got)
	}
}

func TestLog(t *testing.T) {
	long := "/subscriptions/s1/resourceGroups/g1/providers/Microsoft.Contoso/widgets/w1"
	r := servetest.Start(t, "--polls=1", "--fault=poll:1:throttle=3s", "--fault=4:drop")
	r.Welcome()
	_, header, err := send(t, t.Context(), http.MethodPut, r.URL+long)
	require.NoError(t, err)
	monitor := strings.TrimPrefix(header.Get("Azure-AsyncOperation"), r.URL)
	requests := []struct{ method, target, want string }{
		{"GET", monitor, `   2 GET    /subscri…000-000000000001  429    3s  poll:1   fault throttle=3s`},
		{"GET", monitor, `   3 GET    /subscri…000-000000000001  200    2s  poll:2   Accepted`},
		{"GET", monitor, `   4 GET    /subscri…000-000000000001    -     -  poll:3   fault drop`},
		{"GET", monitor, `   5 GET    /subscri…000-000000000001  200     -  poll:4   Succeeded`},
		{"GET", "/widgets?$skiptoken=2", `   6 GET    /widgets                   200     -  list:1`},
		{"OPTIONS", "/widgets", `   7 OPTIONS /widgets                   405     -           MethodNotAllowed`},
	}
	require.Regexp(t, `^\d\d:\d\d:\d\d    1 PUT    /subscri…ntoso/widgets/w1  201    2s  begin:1  Accepted$`, <-r.Lines)
	for _, tt := range requests {
		_, _, _ = send(t, t.Context(), tt.method, r.URL+tt.target)
		require.Equal(t, tt.want, (<-r.Lines)[len("15:04:05 "):])
	}
	requireStop(t, r, "", "Stopped after 7 requests and 1 operation.")
}

// The first lines of output contain commands to copy, which depend on the style and the strategy.
func TestWelcome(t *testing.T) {
	const arohcp = "/subscriptions/s1/resourceGroups/g1/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters"
	tests := []struct {
		args string
		want []string
	}{
		{"", []string{
			`  curl -i -X PUT "URL/widgets/w1?api-version=1" -d "{}"`,
			`  lro put "URL/widgets/by-lro?api-version=1" -d "{}" --min 1s`,
			`  lro get "URL/widgets?api-version=1"`,
			`  lro delete "URL/widgets/item1?api-version=1" --min 1s`,
		}},
		{"--style arohcp", []string{
			`  curl -i -X PUT "URL` + arohcp + `/c1?api-version=2024-06-10-preview" -H "Content-Type: application/json" -d "{}"`,
			`  lro put "URL` + arohcp + `/by-lro?api-version=2024-06-10-preview" -d "{}" --default 2s`,
			`  lro get "URL` + arohcp + `?api-version=2024-06-10-preview"`,
			`  lro delete "URL` + arohcp + `/item1?api-version=2024-06-10-preview" --default 2s`,
		}},
		{"--style ibmcloud", []string{
			`  curl -i -X PUT "URL/v1/widgets/w1" -d "{}"`,
			`  lro put "URL/v1/widgets/by-lro" -d "{}" --min 1s --strategy ibm-operation`,
			`  lro get "URL/v1/widgets" --next-link /next/href --items /widgets`,
			`  lro delete "URL/v1/widgets/item1" --min 1s --strategy ibm-operation`,
		}},
		{"--style ibmcloud --strategy ibm-resource-controller", []string{
			`  curl -i -X PUT "URL/v2/resource_instances/i1" -d "{}"`,
			`  lro put "URL/v2/resource_instances/by-lro" -d "{}" --min 1s --strategy ibm-resource-controller`,
			`  lro get "URL/v2/resource_instances" --items /resources --next-link /next_url`,
			`  lro delete "URL/v2/resource_instances/item1" --min 1s --strategy ibm-resource-controller`,
		}},
	}
	for _, tt := range tests {
		r := servetest.Start(t, strings.Fields(tt.args)...)
		var got []string
		for _, line := range r.Welcome() {
			if strings.HasPrefix(line, "  ") {
				got = append(got, strings.ReplaceAll(line, r.URL, "URL"))
			}
		}
		require.Equal(t, tt.want, got, tt.args)
		requireStop(t, r)
	}
}

// On Ctrl-C, lro serve aborts any request that is still waiting for its response. The recording
// contains such a request too.
func TestStop(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hang.http")
	r := servetest.Start(t, "--fault=1:hang", "--record="+file)
	r.Welcome()
	failed := make(chan error)
	go func() {
		_, _, err := send(t, context.WithoutCancel(t.Context()), http.MethodGet, r.URL+"/widgets/item1")
		failed <- err
	}()
	require.Regexp(t, `    1 GET    /widgets/item1               -     -  read:1   fault hang$`, <-r.Lines)
	code, _, err := send(t, t.Context(), http.MethodGet, r.URL+"/widgets/item2")
	require.NoError(t, err)
	require.Equal(t, 200, code)
	require.Regexp(t, `    2 GET    /widgets/item2             200     -  read:2   Succeeded$`, <-r.Lines)
	requireStop(t, r, "", "Stopped after 2 requests and 0 operations.")
	require.ErrorIs(t, <-failed, io.EOF)

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, []string{"item1", "item2"}, regexp.MustCompile(`item\d`).FindAllString(string(text), 2))
	transcript, err := fakes.ReadTranscript(bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, 2, transcript.Remaining())
}

func TestAddressInUse(t *testing.T) {
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	file := filepath.Join(t.TempDir(), "other.http")
	require.NoError(t, os.WriteFile(file, []byte("of the other process"), 0o600))
	cmd := serve.Command()
	cmd.SetArgs([]string{"--addr", ln.Addr().String(), "--record", file})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	err = cmd.ExecuteContext(t.Context())
	require.ErrorAs(t, err, new(serve.Error))
	if runtime.GOOS != "windows" { // Windows reports a port in use with another errno
		require.EqualError(t, err, "--addr "+ln.Addr().String()+": another program uses this port; choose another one, or let the system choose with --addr 127.0.0.1:0")
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "of the other process", string(text))
}

// The log replaces control characters from a client and shortens long text, so that a hostile
// client cannot control or flood the user's terminal.
func TestLogOfAHostileClient(t *testing.T) {
	r := servetest.Start(t, "--items=0")
	r.Welcome()
	for _, state := range []string{`\u001b[2J\n\u009b`, strings.Repeat("x", 1000)} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, r.URL+"/widgets/"+state[:1], strings.NewReader(`{"status":"`+state+`"}`))
		require.NoError(t, err)
		resp, err := fresh.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		line := <-r.Lines
		require.Regexp(t, `begin:\d  [^\pC]+$`, line)
		require.Less(t, len(line), 200)
	}
	requireStop(t, r, "", "Stopped after 2 requests and 2 operations.")
}

// A recorded response has no body if its status code forbids one.
func TestRecordWithoutBody(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.http")
	r := servetest.Start(t, "--record="+file, "--fault=html=204")
	r.Welcome()
	code, _, err := send(t, t.Context(), http.MethodGet, r.URL+"/widgets/item1")
	require.NoError(t, err)
	require.Equal(t, 204, code)
	requireStop(t, r)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	_, err = fakes.ReadTranscript(bytes.NewReader(text))
	require.NoError(t, err)
}

// While Ctrl-S pauses the terminal, clients still get their responses. Once the terminal continues,
// it shows all lines.
func TestPausedTerminal(t *testing.T) {
	terminal, out := io.Pipe()
	cmd := serve.Command()
	cmd.SetArgs([]string{"--addr", "127.0.0.1:0"})
	cmd.SetOut(out)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.ExecuteContext(ctx)
		out.Close()
	}()
	lines := bufio.NewScanner(terminal)
	var url string
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "TIME") {
		if _, rest, ok := strings.Cut(lines.Text(), " at "); ok {
			url, _, _ = strings.Cut(rest, " ")
		}
	}
	for range 3 {
		code, _, err := send(t, t.Context(), http.MethodGet, url+"/widgets/item1")
		require.NoError(t, err)
		require.Equal(t, 200, code)
	}
	for n := range 3 {
		require.True(t, lines.Scan())
		require.Contains(t, lines.Text(), fmt.Sprintf("read:%d ", n+1))
	}
	stop()
	for lines.Scan() {
	}
	require.NoError(t, <-ended)
}

// If the host in --addr is missing or localhost, lro serve listens only on loopback.
func TestAddressWithoutHost(t *testing.T) {
	servetest.Start(t, "--addr=:0")
	servetest.Start(t, "--addr=localhost:0")
}

// With many concurrent clients, every request appears in the log and in the recording.
func TestManyClients(t *testing.T) {
	const clients = 20
	file := filepath.Join(t.TempDir(), "many.http")
	r := servetest.Start(t, "--record="+file, "--fault=1:slow=100ms")
	r.Welcome()
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			_, _, err := send(t, t.Context(), http.MethodGet, r.URL+"/widgets/item1")
			require.NoError(t, err)
		})
	}
	lines := map[string]bool{}
	for range clients {
		lines[strings.Fields(<-r.Lines)[1]] = true
	}
	all.Wait()
	require.Len(t, lines, clients)
	requireStop(t, r)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	ids := regexp.MustCompile(`X-Ms-Request-Id: .*`).FindAllString(string(text), -1)
	require.Len(t, ids, clients)
	require.Len(t, regexp.MustCompile(`# wait \d`).FindAllString(string(text), -1), 1)
	transcript, err := fakes.ReadTranscript(bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, clients, transcript.Remaining())
}

// If recording a request fails, the log shows the error right away, and the command returns it at
// the end.
func TestRecordFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.http")
	r := servetest.Start(t, "--record="+file)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, r.URL+"/widgets/w1", strings.NewReader("{\n### \n}"))
	require.NoError(t, err)
	resp, err := fresh.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	const want = "--record: a body of request 1 has a line that starts with ###, which a transcript cannot contain"
	r.Welcome()
	require.Contains(t, <-r.Lines, "begin:1")
	require.Equal(t, want+"; the recording is incomplete", <-r.Lines)
	_, err = r.Stop()
	require.EqualError(t, err, want)
	require.ErrorAs(t, err, new(serve.Error))
}

// The first lines of output name the enabled quirks.
func TestWelcomeNamesQuirks(t *testing.T) {
	r := servetest.Start(t, "--quirk=W24", "--quirk=W18")
	welcome := r.Welcome()
	require.Equal(t, "Quirk W24: "+quirks.Quirk("W24").About()+".", welcome[0])
	require.Equal(t, "Quirk W18: "+quirks.Quirk("W18").About()+".", welcome[1])
	requireStop(t, r)
}

// The help, the first lines of output and the log fit in 80 columns, except for lines with a
// command to copy.
func TestEightyColumns(t *testing.T) {
	r := servetest.Start(t, "--style=ibmcloud", "--fault=2:503=9s")
	cmd := serve.Command()
	for _, line := range append(strings.Split(cmd.Long+"\n"+cmd.Example, "\n"), r.Welcome()...) {
		if !strings.Contains(line, "://127.0.0.1") {
			require.LessOrEqual(t, len([]rune(line)), 80, line)
		}
	}
	for range 2 {
		_, _, err := send(t, t.Context(), http.MethodPost, r.URL+"/v1/widgets/item1/actions")
		require.NoError(t, err)
		line := <-r.Lines
		require.LessOrEqual(t, len([]rune(line)), 80, line)
	}
	requireStop(t, r)
}

func TestQuirks(t *testing.T) {
	var out bytes.Buffer
	cmd := serve.Command()
	cmd.SetArgs([]string{"quirks"})
	cmd.SetOut(&out)
	require.NoError(t, cmd.ExecuteContext(t.Context()))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, len(quirks.All()))
	require.Less(t, slices.IndexFunc(lines, starts("W2 ")), slices.IndexFunc(lines, starts("W10 ")))
	for _, line := range lines {
		require.Regexp(t, `^\S+ +\S.*$`, line)
	}
}

func starts(prefix string) func(string) bool {
	return func(s string) bool { return strings.HasPrefix(s, prefix) }
}

// A request that starts no operation does not increase the operation count in the last line.
func TestCountOperations(t *testing.T) {
	r := servetest.Start(t, "--fault=PUT:2:503")
	r.Welcome()
	for request, want := range map[string]int{"PUT /widgets/w1": 201, "DELETE /widgets/none": 204, "POST /widgets/none/start": 404} {
		method, path, _ := strings.Cut(request, " ")
		code, _, err := send(t, t.Context(), method, r.URL+path)
		require.NoError(t, err)
		require.Equal(t, want, code, request)
		<-r.Lines
	}
	code, _, err := send(t, t.Context(), http.MethodPut, r.URL+"/widgets/w2")
	require.NoError(t, err)
	require.Equal(t, 503, code)
	<-r.Lines
	requireStop(t, r, "", "Stopped after 4 requests and 1 operation.")
}
