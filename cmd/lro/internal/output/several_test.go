package output

import (
	"bytes"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// lro exits with the smallest exit code of the targets that did not succeed, regardless of the
// order in which they end. It exits with ExitStopped only if there is no other code.
func TestSeveralExitCode(t *testing.T) {
	stopped := &lroerrors.WaitError{Reason: lroerrors.ReasonCanceled}
	failed := FailedError{Err: errors.New("failed")}
	refused := errors.New("refused")
	for _, tt := range []struct {
		errs []error
		want int
		text string
	}{
		{[]error{stopped, stopped}, ExitStopped, "stopped waiting for 2 of 3"},
		{[]error{stopped, refused}, ExitRefused, "2 of 3 did not succeed"},
		{[]error{refused, stopped}, ExitRefused, "2 of 3 did not succeed"},
		{[]error{refused, stopped, failed}, ExitFailed, "3 of 3 did not succeed"},
		{[]error{failed, refused, stopped}, ExitFailed, "3 of 3 did not succeed"},
	} {
		var out, stderr bytes.Buffer
		p := New(Options{Stdout: &out, Stderr: &stderr})
		s := p.Several(3)
		for _, err := range tt.errs {
			s.Failure(t.Context(), "w1", err)
		}
		stderr.Reset()
		require.Equal(t, tt.want, p.Finish(t.Context(), s.End()))
		require.Equal(t, "lro: "+tt.text+"\n", stderr.String())
	}
}

// The error of a target appears in every combination of text and JSON.
func TestSeveralFailure(t *testing.T) {
	text := "lro: w1: refused\n"
	item := `{"item":{"target":"w1","error":{"exit":6,"text":"refused"}}}` + "\n"
	for _, tt := range []struct {
		stdoutJSON, stderrJSON bool
		stdout, stderr         string
	}{
		{false, false, "", text},
		{true, false, item, text},
		{true, true, item, ""},
		{false, true, "", item},
	} {
		var stdout, stderr bytes.Buffer
		p := New(Options{Stdout: &stdout, Stderr: &stderr, StdoutJSON: tt.stdoutJSON, StderrJSON: tt.stderrJSON})
		p.Several(2).Failure(t.Context(), "w1", errors.New("refused"))
		require.Equal(t, tt.stdout, stdout.String())
		require.Equal(t, tt.stderr, stderr.String())
	}
}

// Lines that several goroutines print at the same time do not mix.
func TestStatusesAtOnce(t *testing.T) {
	var stderr bytes.Buffer
	p := New(Options{Stderr: &stderr, StderrJSON: true})
	var reads sync.WaitGroup
	for range 8 {
		reads.Go(func() {
			for range 100 {
				p.StatusOf("w1", poller.Status{State: poller.InProgress})
				p.Note("removed w1")
			}
		})
	}
	reads.Wait()
	require.Equal(t, 800, bytes.Count(stderr.Bytes(), []byte(`{"status":{"target":"w1","state":"InProgress"}}`+"\n")))
	require.Equal(t, 800, bytes.Count(stderr.Bytes(), []byte(`{"note":"removed w1"}`+"\n")))
}
