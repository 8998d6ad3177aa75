package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// quota is an error with everything that a service can tell.
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

const quotaTree = `lro: the operation ended Failed (Aborted)
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
├─ answer: 200
├─ request id: r1
└─ correlation id: c1
`

func TestTree(t *testing.T) {
	var out bytes.Buffer
	s := &screen{err: &out}
	require.Equal(t, exitFailed, s.finish(t.Context(), quota()))
	require.Equal(t, quotaTree, out.String())

	out.Reset()
	s.color = true
	s.finish(t.Context(), quota())
	head, _, _ := strings.Cut(out.String(), "\n")
	require.Equal(t, "\x1b[31mlro: the operation ended Failed (Aborted)\x1b[0m", head)
}

func TestTreeOfAWait(t *testing.T) {
	var out bytes.Buffer
	s := &screen{err: &out}
	status := &lroerrors.StatusError{Method: "GET", URL: "https://a.test/op", StatusCode: 403, RequestID: "r1", Detail: &lroerrors.Detail{Code: "Forbidden"}}
	wait := &lroerrors.WaitError{Reason: lroerrors.ReasonRefused, State: "InProgress", LastErr: status}
	require.Equal(t, exitLost, s.finish(t.Context(), &stopped{error: wait, file: "op.token", command: "lro resume op.token"}))
	require.Equal(t, `lro: the operation was accepted, and can not be followed any further
├─ code: Forbidden
├─ because: `+strings.TrimPrefix(wait.Error(), "lro: ")+`
├─ answer: 403
└─ request id: r1
lro: the token is in op.token; go on with
  lro resume op.token
`, out.String())

	out.Reset()
	s.finish(t.Context(), &stopped{error: wait, unkept: errors.New("disk full")})
	require.Contains(t, out.String(), "lro: the token could not be kept: disk full\n")
}

// Whoever loses the answer to a first request does not know what has been begun;
// that Ctrl-C came meanwhile is not why.
func TestUnanswered(t *testing.T) {
	ctx, interrupt := context.WithCancelCause(t.Context())
	interrupt(errors.New("by a signal"))
	for _, tt := range []struct {
		err  lroerrors.StatusError
		code int
		want string
	}{
		{lroerrors.StatusError{Method: "PUT", Attempts: 4, Err: io.ErrUnexpectedEOF}, exitRefused, "no answer; the service may have begun it"},
		{lroerrors.StatusError{Method: "GET", Attempts: 4, Err: io.ErrUnexpectedEOF}, exitRefused, "the request was refused, or got no answer"},
		{lroerrors.StatusError{Method: "PUT", Err: errors.New("no token")}, exitRefused, "the request was refused, or got no answer"},
		{lroerrors.StatusError{Method: "PUT", Attempts: 1, StatusCode: 503}, exitRefused, "the request was refused, or got no answer"},
		{lroerrors.StatusError{Method: "GET", Attempts: 1, Err: context.Cause(ctx)}, exitStopped, "stopped"},
	} {
		var out bytes.Buffer
		s := &screen{err: &out}
		require.Equal(t, tt.code, s.finish(ctx, &tt.err), tt.err)
		require.True(t, strings.HasPrefix(out.String(), "lro: "+tt.want), out.String())
	}
}

func TestErrorAsJSON(t *testing.T) {
	var out bytes.Buffer
	s := &screen{err: &out, out: &out, outJSON: true, errJSON: true}
	s.finish(t.Context(), quota())
	require.JSONEq(t, `{"error":{"exit":1,"text":`+quoted(t, quota().Error())+`,"state":"Failed","word":"Aborted","statusCode":200,"requestId":"r1",
		"correlationId":"c1","detail":{"code":"QuotaExceeded","message":"Too [2J many: https://a.test/x?REDACTED","target":"size","details":[
		{"code":"SizeLimit","message":"At most 100.","target":"properties.size"},{"message":"And no more."}],
		"innererror":{"code":"Inner","innererror":{"code":"Innermost","retries":3}},
		"additionalInfo":[{"type":"Policy","info":{"name":"p1"}}],"more_info":"https://docs.test/quota"}}}`, out.String())
	require.Equal(t, `"x?REDACTED cut"`, string(withoutSecrets(json.RawMessage(`x?sig=SECRET, cut`))))
}

func quoted(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	require.NoError(t, err)
	return string(b)
}

// The line is drawn anew while nothing is read, and its time goes on.
func TestBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		half := 45.0
		b := newBar(&out)
		b.show(poller.Status{State: poller.InProgress, Word: "Creating", NextPoll: time.Now().Add(10 * time.Second)})
		time.Sleep(2200 * time.Millisecond) // within the bubble
		b.show(poller.Status{State: poller.InProgress, Word: "Cre\x1b[2Jating", PercentComplete: &half, ReadErr: errors.New("x")})
		time.Sleep(time.Second)
		b.end()
		got := out.String()
		for _, want := range []string{
			"●∙∙                    InProgress (Creating)  0s  next read in 10s\n", // no percentage, no bar
			"InProgress (Creating)  2s  next read in 8s\n",
			"[=======>---------]  45%  InProgress (Cre [2Jating)  3s  (the last read failed)\n",
		} {
			require.True(t, strings.Contains(got, want), "%s\n%s", want, got)
		}
	})
}

func TestScreenOfWhat(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer f.Close()
	for _, tt := range []struct {
		output           string
		outJSON, errJSON bool
	}{
		{"", true, true},
		{"json", true, true},
		{"text", false, false},
	} {
		s := newScreen(&command{config: config{output: tt.output}, stdout: f, stderr: f})
		require.Equal(t, []bool{tt.outJSON, tt.errJSON, false, false}, []bool{s.outJSON, s.errJSON, s.terminal, s.color}, tt.output)
	}
}

func TestColored(t *testing.T) {
	require.True(t, colored(nil))
	require.True(t, colored([]string{"NO_COLOR=1", "NO_COLOR=", "TERM=xterm"}), "the last one counts, and an empty one does not")
	require.False(t, colored([]string{"NO_COLOR=1"}))
	require.False(t, colored([]string{"TERM=dumb"}))
}

// On a terminal without the means for a bar, and beside records, lines do.
func TestProgress(t *testing.T) {
	require.IsType(t, nothing{}, (&screen{quiet: true, terminal: true}).progress(false))
	require.IsType(t, nothing{}, (&screen{terminal: true}).progress(true))
	require.IsType(t, &textLines{}, (&screen{terminal: true, plain: true}).progress(false))
	require.IsType(t, &textLines{}, (&screen{}).progress(false))
	require.IsType(t, &jsonLines{}, (&screen{terminal: true, errJSON: true}).progress(false))
	p := (&screen{terminal: true, err: &bytes.Buffer{}}).progress(false)
	require.IsType(t, &bar{}, p)
	p.end()
}

func TestNextRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for pause, want := range map[time.Duration]string{
			-time.Second: "reading", 0: "reading", 314 * time.Millisecond: "next read in 310ms",
			9600 * time.Millisecond: "next read in 10s", time.Hour: "next read in 1h0m0s",
		} {
			require.Equal(t, want, nextRead(time.Now().Add(pause)))
		}
	})
}
