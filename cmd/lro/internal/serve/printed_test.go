package serve_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

// Every command that lro serve prints succeeds in a shell, with every style and strategy.
func TestPrintedCommands(t *testing.T) {
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("a printed command needs " + program)
		}
	}
	bin := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "lro"), "../..").CombinedOutput()
	require.NoError(t, err, string(out))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))

	var all sync.WaitGroup
	for _, flags := range serve.Selections() {
		s := servetest.Start(t, append(flags, "--polls=0")...)
		var commands []string
		for _, line := range s.Welcome() {
			if command, ok := strings.CutPrefix(line, "  "); ok {
				commands = append(commands, strings.Replace(command, "curl ", "curl --fail ", 1)) // so that curl fails after a 4xx
			}
		}
		require.Len(t, commands, 4, flags)
		all.Go(func() {
			for _, command := range commands {
				out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
				require.NoError(t, err, "%q: %s\n%s", flags, command, out)
			}
		})
	}
	all.Wait()
}
