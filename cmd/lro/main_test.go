package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// TestProcess is about what only a process of its own can show.
func TestProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lro")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	t.Run("signals", func(t *testing.T) { testSignals(t, file) })
	t.Run("second signal", func(t *testing.T) { testSecondSignal(t, file) })
	t.Run("kill", func(t *testing.T) { testKill(t, file) })
}

// A process is the built command at work.
type process struct {
	*exec.Cmd
	t      *testing.T
	out    strings.Builder
	stderr *bufio.Reader
}

func (r *rig) start(file string, args ...string) *process {
	r.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	r.t.Cleanup(stop)
	p := &process{Cmd: exec.CommandContext(ctx, file, args...), t: r.t}
	p.Stdout = &p.out
	pipe, err := p.StderrPipe()
	require.NoError(r.t, err)
	p.stderr = bufio.NewReader(pipe)
	require.NoError(r.t, p.Start())
	return p
}

// saw reads on until there is a line with a text.
func (p *process) saw(text string) {
	p.t.Helper()
	for {
		line, err := p.stderr.ReadString('\n')
		require.NoError(p.t, err, text)
		if strings.Contains(line, text) {
			return
		}
	}
}

// ended waits for the end, and returns the exit code, -1 after a kill.
func (p *process) ended() ended {
	p.t.Helper()
	rest, err := io.ReadAll(p.stderr)
	require.NoError(p.t, err)
	_ = p.Wait() // the code tells
	return ended{p.ProcessState.ExitCode(), p.out.String(), string(rest)}
}

func testSignals(t *testing.T, file string) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	for i, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		path := "/widgets/w" + string(rune('1'+i))
		p := r.start(file, "put", r.origin+path, "-d", widget, "--min=1ms")
		p.saw(`"status"`)
		require.NoError(t, p.Process.Signal(sig))
		got := p.ended()
		require.Equal(t, exitStopped, got.code, got)
		f := got.failure(t)
		require.Contains(t, f.Text, "by a signal: "+sig.String())

		require.True(t, r.Finish(path))
		p = r.start(file, strings.Fields(f.Resume)[1:]...)
		got = p.ended()
		require.Equal(t, exitOK, got.code, got)
		require.Contains(t, got.out, `"provisioningState":"Succeeded"`)
	}
}

// A second Ctrl-C does not wait for an answer that does not come.
func testSecondSignal(t *testing.T, file string) {
	r := newRig(t, &fakes.Service{})
	asked := make(chan struct{})
	r.Fault(fakes.Fault{Times: 1, Do: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			close(asked)
			<-req.Context().Done()
		})
	}})
	p := r.start(file, "delete", r.origin+"/widgets/w1")
	<-asked
	require.NoError(t, p.Process.Signal(os.Interrupt))
	p.saw("the request is under way")
	require.NoError(t, p.Process.Signal(os.Interrupt))
	require.Equal(t, exitNow, p.ended().code)
}

// With --token-file not even kill -9 loses an operation that has been answered.
func testKill(t *testing.T, file string) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	p := r.start(file, "put", r.origin+"/widgets/w1", "-d", widget, "--min=1ms", "--token-file=op.token")
	p.saw(`"status"`)
	require.NoError(t, p.Process.Kill())
	require.Equal(t, -1, p.ended().code)

	require.True(t, r.Finish("/widgets/w1"))
	got := r.run(t.Context(), "resume", "op.token", "--origin", r.origin)
	require.Equal(t, exitOK, got.code, got)
	begun := 0
	for _, req := range r.Requests() {
		if req.Method == http.MethodPut {
			begun++
		}
	}
	require.Equal(t, 1, begun)
}
