package main

import (
	"bytes"
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
	wait := &lroerrors.WaitError{Reason: lroerrors.Refused, State: "InProgress", LastErr: status}
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
