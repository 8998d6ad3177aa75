package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeReplace runs the README's commands for using a clone of this repository. It runs them
// in a new module that imports the core and a nested module. If the dependencies cannot be
// downloaded, the test is skipped.
func TestReadmeReplace(t *testing.T) {
	replace := regexp.MustCompile(`go mod edit -replace \S+?=PATH[\w/]*`)
	commands := replace.FindAllString(readFile(t, "README.md"), -1)
	require.Len(t, commands, 2, "the README has one command for the core and one for a nested module")

	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("go.mod", "module example.test/clone\n\ngo 1.26.0\n")
	write("main.go", `package main

import (
	_ "github.com/lro-go/lro/poller"
	_ "github.com/lro-go/lro/poller/lrotf"
)

func main() {}
`)
	clone, err := filepath.Abs("../..")
	require.NoError(t, err)
	run := func(dir, command string) error {
		args := strings.Fields(strings.ReplaceAll(command, "PATH", clone))
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GONOSUMDB=*", "GOFLAGS=", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", command, err, out)
		}
		return nil
	}
	err = run(filepath.Join(clone, "poller/lrotf"), "go mod tidy -diff")
	if err != nil {
		t.Skip("the modules that poller/lrotf needs cannot be downloaded: ", err)
	}
	for _, command := range commands {
		require.NoError(t, run(folder, command))
	}
	require.NoError(t, run(folder, "go mod tidy"))
	require.NoError(t, run(folder, "go build -o main ."))
}

// TestNothingIsReleased checks that no page asks readers to install lro@latest before the first
// release.
func TestNothingIsReleased(t *testing.T) {
	if !strings.Contains(readFile(t, "CHANGELOG.md"), "Nothing has been released yet.") {
		t.Skip("applies only before the first release")
	}
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "../../README.md", "../../cmd/lro/README.md", "../../cmd/lro/main.go") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		require.NotContains(t, string(text), "lro@latest", page)
	}
}
