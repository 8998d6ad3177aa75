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

	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/fakes"
)

// TestProcess runs the tests that need lro in a separate process, because they send it signals or
// kill it.
func TestProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lro")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	t.Run("signals", func(t *testing.T) { testSignals(t, file) })
	t.Run("second signal", func(t *testing.T) { testSecondSignal(t, file) })
	t.Run("kill", func(t *testing.T) { testKill(t, file) })
}

// A process is an lro command that runs outside the test process.
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

// waitFor reads the process's standard error until a line contains the given text.
func (p *process) waitFor(text string) {
	p.t.Helper()
	for {
		line, err := p.stderr.ReadString('\n')
		require.NoError(p.t, err, text)
		if strings.Contains(line, text) {
			return
		}
	}
}

// ended waits for the process to end and returns its outcome. The exit code of a killed process is
// -1.
func (p *process) ended() ended {
	p.t.Helper()
	rest, err := io.ReadAll(p.stderr)
	require.NoError(p.t, err)
	_ = p.Wait() // the exit code below says how the process ended
	return ended{p.ProcessState.ExitCode(), p.out.String(), string(rest)}
}

func testSignals(t *testing.T, file string) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	r.serve()
	r.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", "10")})
	for i, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		path := "/widgets/w" + string(rune('1'+i))
		p := r.start(file, "put", r.origin+path, "-d", widget, "--min=10ms")
		p.waitFor(`"status"`)
		require.NoError(t, p.Process.Signal(sig))
		got := p.ended()
		require.Equal(t, output.ExitStopped, got.code, got)
		f := got.failure(t)
		require.Contains(t, f.Text, "by a signal: "+sig.String())

		require.True(t, r.Finish(path))
		p = r.start(file, strings.Fields(f.Resume)[1:]...)
		got = p.ended()
		require.Equal(t, output.ExitOK, got.code, got)
		require.Contains(t, got.out, `"provisioningState":"Succeeded"`)
	}
}

// After a second Ctrl-C, lro exits at once, without waiting for the response.
func testSecondSignal(t *testing.T, file string) {
	r := newRig(t, &fakes.Service{})
	r.serve()
	received := make(chan struct{})
	r.Fault(fakes.Fault{Times: 1, Do: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			close(received)
			<-req.Context().Done()
		})
	}})
	p := r.start(file, "delete", r.origin+"/widgets/w1")
	<-received
	require.NoError(t, p.Process.Signal(os.Interrupt))
	p.waitFor("waiting for the response, because")
	require.NoError(t, p.Process.Signal(os.Interrupt))
	require.Equal(t, output.ExitNow, p.ended().code)
}

// With --token-file, lro stores the token as soon as the first response arrives, so the operation
// can be resumed even after kill -9.
func testKill(t *testing.T, file string) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
	r.serve()
	r.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", "10")})
	p := r.start(file, "put", r.origin+"/widgets/w1", "-d", widget, "--min=10ms", "--token-file=op.token")
	p.waitFor(`"status"`)
	require.NoError(t, p.Process.Kill())
	require.Equal(t, -1, p.ended().code)

	require.True(t, r.Finish("/widgets/w1"))
	got := r.start(file, "resume", "op.token", "--origin", r.origin, "--min=10ms").ended()
	require.Equal(t, output.ExitOK, got.code, got)
	puts := 0
	for _, req := range r.Requests() {
		if req.Method == http.MethodPut {
			puts++
		}
	}
	require.Equal(t, 1, puts)
}
