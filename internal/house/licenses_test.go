package house

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// advice says how to handle a dependency that docs/licenses.md does not list correctly.
const advice = `docs/licenses.md does not list the modules that go.mod requires.
If a module is new, consider whether we need it, because all our users get it. If a version is new, read what changed. If a
license is new, check that it suits us and everyone who imports us. Then replace the rows under %q by:

%s
`

func TestDependenciesAreListed(t *testing.T) {
	t.Run("linked", func(t *testing.T) { requireListed(t, "Linked", linked(t, ".")) })
	t.Run("in tests", func(t *testing.T) { requireListed(t, "In tests only", tested(t)) })
	t.Run("named", func(t *testing.T) { requireListed(t, "Named, never built", named(t)) })
}

// docs/licenses.md must have a section for each nested module that users import or install, because
// such a module links more modules than the core does.
func TestNestedDependenciesAreListed(t *testing.T) {
	core := linked(t, ".")
	var mods []string
	for _, pattern := range []string{"cmd/*/go.mod", "poller/*/go.mod"} {
		found, err := fs.Glob(root, pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found)
		mods = append(mods, found...)
	}
	for _, mod := range mods {
		dir := path.Dir(mod)
		t.Run(dir, func(t *testing.T) {
			readFile(t, dir+"/go.mod")
			readFile(t, dir+"/go.sum")
			more := slices.DeleteFunc(linked(t, dir), func(d dependency) bool { return strings.HasPrefix(d.path, module) })
			requireListed(t, "Linked by "+dir, without(more, core))
		})
	}
}

func requireListed(t *testing.T, section string, all []dependency) {
	t.Helper()
	readFile(t, "go.mod") // so that a change to go.mod invalidates go test's cached result
	readFile(t, "go.sum")
	want := make([]string, len(all))
	for i, d := range all {
		want[i] = row(t, d)
	}
	require.Equal(t, want, listed(t, section), advice, "## "+section, strings.Join(want, "\n"))
}

// row returns the line of docs/licenses.md for a dependency. The line names no license if no build
// needs the dependency's code.
func row(t *testing.T, d dependency) string {
	t.Helper()
	if d.dir == "" {
		return fmt.Sprintf("| %s | %s |", d.path, d.version)
	}
	names, text := legalFiles(t, d.dir)
	return fmt.Sprintf("| %s | %s | %s | %s |", d.path, d.version, licenseOf(text), strings.Join(names, ", "))
}

// listed returns the rows of the table in one section of docs/licenses.md.
func listed(t *testing.T, section string) []string {
	t.Helper()
	_, rest, found := strings.Cut(readFile(t, "docs/licenses.md"), "\n## "+section+"\n")
	require.True(t, found, "docs/licenses.md has no section %q", section)
	rest, _, _ = strings.Cut(rest, "\n## ")
	_, table, _ := strings.Cut(rest, "|---|")
	var rows []string
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "| ") {
			rows = append(rows, line)
		}
	}
	return rows
}
