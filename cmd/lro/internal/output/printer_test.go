package output

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// quota returns an error with almost every field that a service can set.
func quota() *lroerrors.OperationError {
	return &lroerrors.OperationError{
		State: "Failed", Word: "Aborted", StatusCode: 200, RequestID: "r1", CorrelationID: "c1",
		Detail: &lroerrors.Detail{
			Code: "QuotaExceeded", Message: "Too\x1b[2J many: https://a.test/x?sig=SECRET", Target: "size",
			Details: []lroerrors.Detail{
				{Code: "SizeLimit", Message: "At most 100.", Target: "properties.size"},
				{Message: "And no more."},
			},
			InnerError:     json.RawMessage(`{"code":"Inner","innererror":{"code":"Innermost","retries":3}}`),
			AdditionalInfo: []lroerrors.AdditionalInfo{{Type: "Policy", Info: json.RawMessage(`{"name":"p1"}`)}},
			MoreInfo:       "https://docs.test/quota",
		},
	}
}

const quotaTree = `lro: the operation ended as Failed (Aborted)
├─ code: QuotaExceeded
├─ message: Too [2J many: https://a.test/x?REDACTED
├─ target: size
├─ details
│  ├─ SizeLimit: At most 100.
│  │  └─ target: properties.size
│  └─ And no more.
├─ inner error
│  ├─ code: Inner
│  └─ innererror
│     ├─ code: Innermost
│     └─ retries: 3
├─ additional info Policy
│  └─ name: p1
├─ more: https://docs.test/quota
├─ response: 200 OK
├─ request id: r1
└─ correlation id: c1
`

func TestTree(t *testing.T) {
	var out bytes.Buffer
	require.Equal(t, ExitFailed, New(Options{Stderr: &out}).Finish(t.Context(), quota()))
	require.Equal(t, quotaTree, out.String())

	out.Reset()
	New(Options{Stderr: &out, Color: true}).Finish(t.Context(), quota())
	head, _, _ := strings.Cut(out.String(), "\n")
	require.Equal(t, "\x1b[31mlro: the operation ended as Failed (Aborted)\x1b[0m", head)
}

// If the service refuses a read of the status, the tree shows the service's code and message once,
// and shortens a long URL to fit on one line. Below the tree is the command that resumes the wait,
// or the reason why the token could not be saved.
func TestTreeOfWaitError(t *testing.T) {
	var out bytes.Buffer
	p := New(Options{Stderr: &out})
	const url = "https://management.azure.com/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.Contoso/locations/westeurope/operationsStatuses/op1"
	status := &lroerrors.StatusError{Method: "GET", URL: url, StatusCode: 403, RequestID: "r1", Attempts: 2, Detail: &lroerrors.Detail{Code: "Forbidden", Message: "No access."}}
	wait := &lroerrors.WaitError{Reason: lroerrors.ReasonRefused, State: "InProgress", Word: "Creating", URL: url, LastErr: status}
	require.Equal(t, ExitLost, p.Finish(t.Context(), &ResumableError{Err: wait, TokenFile: "op.token", Command: "lro resume op.token"}))
	require.Equal(t, `lro: the service accepted the operation, but its status cannot be read
├─ code: Forbidden
├─ message: No access.
├─ last known: InProgress (Creating)
├─ request: GET https://management.azure.com/…/westeurope/operationsStatuses/op1
├─ response: 403 Forbidden, after 2 attempts
└─ request id: r1
lro: the resume token is in op.token; to continue:
  lro resume op.token
`, out.String())

	out.Reset()
	p.Finish(t.Context(), &ResumableError{Err: wait, Unsaved: errors.New("disk full")})
	require.Contains(t, out.String(), "lro: the resume token could not be saved: disk full\n")
}

// After an interrupted wait, the tree shows the interruption first, then the error of the last
// read.
func TestTreeOfStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := New(Options{Stderr: &out})
		status := &lroerrors.StatusError{Method: "GET", URL: "https://a.test/op", StatusCode: 503, Attempts: 3, Detail: &lroerrors.Detail{Code: "Busy"}}
		wait := &lroerrors.WaitError{
			Reason: lroerrors.ReasonCanceled, State: "InProgress", LastErr: status, NextPoll: time.Now().Add(time.Millisecond),
			Err: StopError{"stopped by a signal", context.Canceled},
		}
		require.Equal(t, ExitStopped, p.Finish(t.Context(), wait))
		require.Equal(t, `lro: stopped waiting; the operation continues
├─ reason: stopped by a signal
├─ code: Busy
├─ last known: InProgress
├─ next read: due now
├─ request: GET https://a.test/op
└─ response: 503 Service Unavailable, after 3 attempts
`, out.String())
	})
}

func TestShortenURLs(t *testing.T) {
	for text, want := range map[string]string{
		"GET https://a.test/x: no":                                                              "GET https://a.test/x: no",
		"GET https://a.test/" + strings.Repeat("long/", 20) + "end: no":                         "GET https://a.test/…/long/long/long/long/long/long/long/long/end: no",
		"https://a.test/" + strings.Repeat("x", 100):                                            "https://a.test/…" + strings.Repeat("x", 48),
		"http://127.0.0.1:18108/operationsStatuses/00000000-0000-4000-8000-000000000009":        "http://127.0.0.1:18108/…/00000000-0000-4000-8000-000000000009",
		"https://" + strings.Repeat("host", 20) + "/" + strings.Repeat("a", 20) + "/operations": "https://" + strings.Repeat("host", 20) + "/…/operations",
	} {
		require.Equal(t, want, shortenURLs(text))
	}
}

func TestErrorAsJSON(t *testing.T) {
	var out bytes.Buffer
	p := New(Options{Stderr: &out, Stdout: &out, StdoutJSON: true, StderrJSON: true})
	p.Finish(t.Context(), quota())
	require.JSONEq(t, `{"error":{"exit":1,"text":`+quoted(t, quota().Error())+`,"state":"Failed","word":"Aborted","statusCode":200,"requestId":"r1",
		"correlationId":"c1","detail":{"code":"QuotaExceeded","message":"Too [2J many: https://a.test/x?REDACTED","target":"size","details":[
		{"code":"SizeLimit","message":"At most 100.","target":"properties.size"},{"message":"And no more."}],
		"innererror":{"code":"Inner","innererror":{"code":"Innermost","retries":3}},
		"additionalInfo":[{"type":"Policy","info":{"name":"p1"}}],"more_info":"https://docs.test/quota"}}}`, out.String())
	require.Equal(t, `"x?REDACTED cut"`, string(redacted(json.RawMessage(`x?sig=SECRET, cut`))))
}

func quoted(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	require.NoError(t, err)
	return string(b)
}

// Before the first status, the bar shows the text from Start. The times on the bar advance even
// between reads.
func TestBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		half := 45.0
		p := New(Options{Stderr: &out, Bar: true})
		p.Start("waiting for the response to PUT")
		time.Sleep(1200 * time.Millisecond)
		p.Note("a note")
		p.Status(poller.Status{State: poller.InProgress, Word: "Creating", NextPoll: time.Now().Add(10 * time.Second)})
		time.Sleep(2 * time.Second)
		p.Status(poller.Status{State: poller.InProgress, Word: "Cre\x1b[2Jating", PercentComplete: &half, ReadErr: errors.New("x")})
		time.Sleep(time.Second)
		p.Stop()
		got := out.String()
		for _, want := range []string{
			"●∙∙ waiting for the response to PUT  0s\n",
			"waiting for the response to PUT  1s\n",
			"\rlro: a note\n",
			"InProgress (Creating)  1s  next read in 10s\n",
			"InProgress (Creating)  3s  next read in 8s\n",
			"[=====>-------]  45%  InProgress (Cre [2Jating)  4s  (the last read failed)\n",
		} {
			require.True(t, strings.Contains(got, want), "%s\n%s", want, got)
		}
		require.Nil(t, p.bar)
	})
}

func TestDetect(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer f.Close()
	for _, tt := range []struct {
		format                 string
		stdoutJSON, stderrJSON bool
	}{
		{"", true, true},
		{"json", true, true},
		{"text", false, false},
	} {
		got := Detect(f, f, tt.format, os.Getenv)
		require.Equal(t, Options{Stdout: f, Stderr: f, StdoutJSON: tt.stdoutJSON, StderrJSON: tt.stderrJSON}, got, tt.format)
	}
}

func TestColored(t *testing.T) {
	for env, want := range map[[2]string]bool{
		{"", ""}:      true,
		{"", "xterm"}: true,
		{"1", ""}:     false,
		{"", "dumb"}:  false,
	} {
		getenv := func(name string) string { return map[string]string{"NO_COLOR": env[0], "TERM": env[1]}[name] }
		require.Equal(t, want, colored(getenv), env)
	}
}

// lro draws a bar only on a terminal, and never with --quiet or if it writes JSON to standard
// error.
func TestBarOnlyOnTerminal(t *testing.T) {
	for name, opts := range map[string]Options{
		"quiet":       {Quiet: true, Bar: true},
		"no terminal": {},
		"JSON":        {Bar: true, StderrJSON: true},
	} {
		opts.Stderr = &bytes.Buffer{}
		p := New(opts)
		p.Start("x")
		require.False(t, p.HasBar(), name)
	}
	p := New(Options{Stderr: &bytes.Buffer{}, Bar: true})
	p.Start("x")
	require.True(t, p.HasBar())
	p.Stop()
}

func TestNextRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for pause, want := range map[time.Duration]string{
			-time.Second: "reading", 314 * time.Millisecond: "next read in 310ms",
			9600 * time.Millisecond: "next read in 10s", time.Hour: "next read in 1h0m0s",
		} {
			require.Equal(t, want, nextRead(poller.Status{State: poller.InProgress, NextPoll: time.Now().Add(pause)}))
		}
		require.Empty(t, nextRead(poller.Status{State: poller.Failed}))
		require.Equal(t, "reading the result", nextRead(poller.Status{State: poller.Succeeded, NextPoll: time.Now().Add(time.Second)}))
	})
}
