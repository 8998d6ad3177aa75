package serve_test

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

var serveCommand = regexp.MustCompile(`(?m)^ *lro serve( .*)?$`)

// Every lro serve command in the help and in docs/simulator.md has valid flags.
func TestDocumentedCommands(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/simulator.md")
	require.NoError(t, err)
	commands := serveCommand.FindAllStringSubmatch(serve.Command().Example+"\n"+string(page), -1)
	require.Greater(t, len(commands), 10)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("widget.http", []byte(twoReads), 0o600))
	seed := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(page)
	require.NoError(t, os.WriteFile("widgets.json", seed[1], 0o600))
	for _, command := range commands {
		args, _, _ := strings.Cut(command[1], "#")
		args = strings.ReplaceAll(args, `"No more widgets."`, "text")
		_, err := serve.Handler(io.Discard, nil, strings.Fields(args)...)
		require.NoError(t, err, command[0])
	}
}

// docs/simulator.md shows the commands that lro serve prints for the control interface.
func TestDocumentedControl(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/simulator.md")
	require.NoError(t, err)
	r := servetest.Start(t, "--control=127.0.0.1:0")
	welcome := strings.Join(r.Welcome(), "\n")
	start := strings.Index(welcome, "Control it at ")
	shown := strings.NewReplacer(r.URL, "http://127.0.0.1:8089", r.Control, "http://127.0.0.1:8090").Replace(strings.TrimSpace(welcome[start:]))
	require.Contains(t, string(page), "```text\n"+shown+"\n```\n")
}

// docs/simulator.md shows the lines that lro serve prints before the log.
func TestDocumentedWelcome(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/simulator.md")
	require.NoError(t, err)
	r := servetest.Start(t)
	first := "Simulating Azure Resource Manager at " + r.URL + " until Ctrl-C."
	welcome := strings.Join(append([]string{first}, r.Welcome()...), "\n")
	require.Contains(t, string(page), "```text\n"+strings.ReplaceAll(welcome, r.URL, "http://127.0.0.1:8089")+"\nTIME ")
	requireStop(t, r)
}

// docs/simulator.md names every flag.
func TestDocumentedFlags(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/simulator.md")
	require.NoError(t, err)
	serve.Command().Flags().VisitAll(func(f *pflag.Flag) {
		require.Contains(t, string(page), "--"+f.Name)
	})
}
