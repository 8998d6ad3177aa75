package house

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the drawing and the table into CONTRIBUTING.md")

// root is the folder of the repository.
var root = os.DirFS("../..")

// packages lists the packages that users import, and the internal packages that these use.
var packages = []string{
	"poller", "poller/strategy", "poller/arm", "poller/check", "poller/resource", "poller/ibmcloud", "poller/aip151", "poller/redfish", "poller/fhir", "poller/lroazcore", "poller/lrotel", "poller/lrotf", "pager", "transport", "errors",
	"fakes", "fakes/quirks", "fakes/ibmcloud", "fakes/arohcp", "fakes/internal/engine", "fakes/internal/patch", "fakes/internal/stream", "fakes/internal/tree",
	"internal/record", "internal/engine", "internal/document", "internal/wire", "internal/jsonread", "internal/redact", "internal/exchange", "internal/scheduler", "internal/pace",
}

// TestHouse checks that the packages comply with the limits, and that the table in CONTRIBUTING.md
// has a row for each package.
func TestHouse(t *testing.T) {
	var rows []string
	var all counted
	for _, folder := range packages {
		c, err := count(root, folder)
		require.NoError(t, err)
		require.Empty(t, c.bare, "exported names without a comment")
		require.Empty(t, c.long, "files of more than %d lines, functions of more than %d", maxFile, maxFunc)
		rows = append(rows, c.row())
		all.sum(c)
	}
	rows = append(rows, all.row())
	section(t, "house", "\n"+header+strings.Join(rows, "\n")+"\n\n", withoutDigits)
}

// Only packages of tests and tools, and the examples, may be missing from the list.
func TestPackagesAreListed(t *testing.T) {
	for folder := range arrows {
		if folder != "examples" && !slices.Contains(outside, folder) {
			require.Contains(t, packages, folder)
		}
	}
}

// section compares a section of CONTRIBUTING.md with text, or writes it if the flag update is set.
// It passes both to of, and compares the results.
func section(t *testing.T, name, text string, of func(string) string) {
	t.Helper()
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	require.NoError(t, err)
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(string(page), begin)
	was, after, ended := strings.Cut(rest, end)
	require.True(t, found && ended, "CONTRIBUTING.md has no section %s", name)
	if *update {
		require.NoError(t, os.WriteFile("../../CONTRIBUTING.md", []byte(before+begin+text+end+after), 0o644))
		return
	}
	require.Equal(t, of(text), of(was), "go test ./internal/house -update")
}

func (c *counted) sum(of counted) {
	c.folder = "all"
	c.source, c.tests = c.source+of.source, c.tests+of.tests
	c.files, c.funcs = append(c.files, of.files...), append(c.funcs, of.funcs...)
	c.exported, c.documented = c.exported+of.exported, c.documented+of.documented
	c.examples, c.fuzzed = c.examples+of.examples, c.fuzzed+of.fuzzed
}

const header = `| Package | source lines | test ÷ source | file median / max | longest func | documented | Examples | Fuzz |
|---|---|---|---|---|---|---|---|
`

func (c *counted) row() string {
	return fmt.Sprintf("| `%s` | %d | %.1f | %d / %d | %d | %d of %d | %d | %d |",
		c.folder, c.source, float64(c.tests)/float64(c.source), at(c.files, 0.5), at(c.files, 1), at(c.funcs, 1),
		c.documented, c.exported, c.examples, c.fuzzed)
}

// withoutDigits returns a table without its digits, because the numbers change every day.
func withoutDigits(table string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, table)
}

// at returns a quantile of the values. The median, for example, is at 0.5.
func at(of []int, part float64) int {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

func TestCount(t *testing.T) {
	fsys := fstest.MapFS{
		"a/a.go":      {Data: []byte("// Package a.\npackage a\n\nfunc Bare() {}\n\n// F.\nfunc F() {\n\tf()\n}\n\nfunc f() {}\n\n// T.\ntype T int\n\nfunc (T) M() {}\n\nconst (\n\tA = 1 // A.\n\tB = 2\n)\n")},
		"a/a_test.go": {Data: []byte("package a\n\nfunc ExampleF() {}\n\nfunc FuzzF(f *testing.F) {}\n\nfunc TestF(t *testing.T){}\n")},
		"a/long.go":   {Data: []byte("package a\n\nfunc long() {\n" + strings.Repeat("\n", maxFunc) + "}\n" + strings.Repeat("\n", maxFile))},
	}
	c, err := count(fs.FS(fsys), "a")
	require.NoError(t, err)
	require.Equal(t, []string{"a: B", "a: Bare", "a: T.M"}, slices.Sorted(slices.Values(c.bare)))
	require.Equal(t, []string{"a/long.go", "a/long.go: long"}, c.long)
	require.Equal(t, []int{1, 1, 1, 3, 82}, slices.Sorted(slices.Values(c.funcs)))
	require.Equal(t, []int{6, 3, 1, 1}, []int{c.exported, c.documented, c.examples, c.fuzzed})
}
