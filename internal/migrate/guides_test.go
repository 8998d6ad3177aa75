package migrate

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	ours   = "github.com/lro-go/lro/"
	azcore = "github.com/Azure/azure-sdk-for-go/sdk/azcore"
	hashi  = "github.com/hashicorp/go-azure-sdk/sdk/client"
)

// guides maps the file name of each migration guide to the packages from which the guide migrates
// code.
var guides = map[string][]string{
	"from-azcore.md":       {azcore, azcore + "/runtime", azcore + "/policy", azcore + "/fake"},
	"from-go-azure-sdk.md": {hashi, hashi + "/pollers", hashi + "/resourcemanager"},
}

// TestNames checks that the names in each guide's last table exist. The first column lists names
// from the packages that the guide migrates from, and the second column lists their replacements in
// lro.
func TestNames(t *testing.T) {
	here := documentation(t, ours+"poller", ours+"poller/strategy", ours+"pager", ours+"transport", ours+"errors", ours+"fakes", ours+"poller/lroazcore")
	for page, packages := range guides {
		peer := documentation(t, packages...)
		_, names, found := strings.Cut(read(t, page), "\n## Names\n")
		require.True(t, found, page)
		for _, name := range codeIn(names, 1) {
			requireWords(t, peer, name, page)
		}
		for _, name := range codeIn(names, 2) {
			pkg, rest, qualified := strings.Cut(name, ".")
			if !qualified || strings.ToLower(pkg) != pkg {
				rest = name
			}
			if pkg != "http" {
				requireWords(t, here, rest, page)
			}
		}
	}
}

// TestShown checks that the last column of each guide's table of differences names rows of
// docs/compared.md or tests in differences_test.go.
func TestShown(t *testing.T) {
	rows := read(t, "compared.md")
	tests, err := os.ReadFile("differences_test.go")
	require.NoError(t, err)
	for page := range guides {
		_, differences, _ := strings.Cut(read(t, page), "\n## What changes\n")
		differences, _, _ = strings.Cut(differences, "\n## ")
		names := codeIn(differences, 4)
		require.NotEmpty(t, names, page)
		for _, name := range names {
			if strings.HasPrefix(name, "Test") {
				require.Contains(t, string(tests), "func "+name+"(", page)
			} else {
				require.Contains(t, rows, "| `"+name+"` |", page)
			}
		}
	}
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	require.NoError(t, err)
	return string(text)
}

// documentation returns the output of go doc for the given packages.
func documentation(t *testing.T, packages ...string) string {
	t.Helper()
	var all strings.Builder
	for _, pkg := range packages {
		out, err := exec.CommandContext(t.Context(), "go", "doc", "-all", pkg).Output()
		require.NoError(t, err, pkg)
		all.Write(out)
	}
	return all.String()
}

// requireWords checks that text contains each part of a name, such as Poller and Done for Poller.Done.
func requireWords(t *testing.T, text, name, page string) {
	t.Helper()
	for part := range strings.SplitSeq(name, ".") {
		require.Regexp(t, `\b`+regexp.QuoteMeta(part)+`\b`, text, "%s: %s", page, name)
	}
}

// codeIn returns the code spans in column n of the tables in text. The first column is 1.
func codeIn(text string, n int) (all []string) {
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) <= n+1 {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[n], -1) {
			all = append(all, m[1])
		}
	}
	return all
}
