package serve_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

// Every command that lro serve prints works in a shell, for every style and strategy.
func TestPrintedCommands(t *testing.T) {
	needShell(t)
	needLRO(t)
	var all sync.WaitGroup
	for _, flags := range serve.Selections() {
		commands := printed(servetest.Start(t, append(flags, "--polls=0")...).Welcome())
		require.Len(t, commands, 4, flags)
		all.Go(func() { requireCommands(t, commands, flags) })
	}
	all.Wait()
}

// With --tls, the printed commands succeed once the printed variables are set, even if certificate
// variables had other values before.
func TestPrintedCommandsOverHTTPS(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("crypto/x509 reads SSL_CERT_FILE on Linux")
	}
	needShell(t)
	needLRO(t)
	for _, variable := range []string{"SSL_CERT_DIR", "SSL_CERT_FILE", "CURL_CA_BUNDLE"} {
		t.Setenv(variable, t.TempDir())
	}
	flags := []string{"--tls", "--polls=0"}
	commands := printed(servetest.Start(t, flags...).Welcome())
	isExport := func(command string) bool { return strings.HasPrefix(command, "export ") }
	first := slices.IndexFunc(commands, func(command string) bool { return !isExport(command) })
	variables := strings.Join(commands[:first], "\n")
	require.Len(t, commands[first:], 4)
	for _, command := range commands[first:] {
		requireCommands(t, []string{variables + "\n" + command}, flags)
	}
}

// The commands that lro serve prints for the control interface succeed for every style and
// strategy, even if the service has already received another request. They also succeed for a
// replay.
func TestPrintedControlCommands(t *testing.T) {
	needShell(t)
	recording := filepath.Join(t.TempDir(), "x.http")
	require.NoError(t, os.WriteFile(recording, []byte("GET /x HTTP/1.1\n###\nHTTP/1.1 204 No Content\n"), 0o600))
	tests := append(serve.Selections(), []string{"--replay", recording})
	for _, flags := range tests {
		s := servetest.Start(t, append(flags, "--control=127.0.0.1:0")...)
		welcome := s.Welcome()
		start := slices.IndexFunc(welcome, func(line string) bool { return strings.HasPrefix(line, "Control it at ") })
		commands := printed(welcome[start:])
		if strings.HasPrefix(flags[0], "--replay") {
			require.Len(t, commands, 3)
		} else {
			require.Len(t, commands, 8)
			_, _, err := send(t, t.Context(), http.MethodGet, s.URL+"/widgets/item1")
			require.NoError(t, err)
		}
		requireCommands(t, commands, flags)
	}
}

// needLRO builds lro and puts it on the PATH.
func needLRO(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "lro"), "../..").CombinedOutput()
	require.NoError(t, err, string(out))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func needShell(t *testing.T) {
	t.Helper()
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the printed commands need " + program)
		}
	}
}

// printed extracts the commands from the lines that lro serve prints at startup.
func printed(lines []string) (commands []string) {
	for _, line := range lines {
		if command, ok := strings.CutPrefix(line, "  "); ok {
			commands = append(commands, strings.Replace(command, "curl ", "curl --fail ", 1)) // make curl fail on an error status
		}
	}
	return commands
}

// requireCommands runs each command in a shell and requires it to succeed.
func requireCommands(t *testing.T, commands, flags []string) {
	t.Helper()
	for _, command := range commands {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
		require.NoError(t, err, "%q: %s\n%s", flags, command, out)
	}
}
