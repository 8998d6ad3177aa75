package house

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// These tests limit the length of the texts that a newcomer sees first.

func TestReadmeIsShort(t *testing.T) {
	require.LessOrEqual(t, strings.Count(readFile(t, "README.md"), "\n"), 150)
}

// What go doc shows of the packages that most callers import can be read in one sitting.
func TestGoDocIsShort(t *testing.T) {
	lines := 0
	for _, folder := range []string{"poller", "poller/arm"} {
		cmd := exec.CommandContext(t.Context(), "go", "doc", "-all", ".")
		cmd.Dir = filepath.Join("../..", folder)
		out, err := cmd.Output()
		require.NoError(t, err)
		lines += strings.Count(string(out), "\n")
	}
	require.Positive(t, lines)
	require.LessOrEqual(t, lines, 750)
}

// The table below the drawing of the rooms answers a few questions; the drawing answers the others.
// Each function that the table names behind a link is in that file.
func TestFewQuestions(t *testing.T) {
	_, table, found := strings.Cut(readFile(t, "CONTRIBUTING.md"), "\n| You look for | Open |\n|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	require.LessOrEqual(t, strings.Count(table, "\n")+1, 10)

	named := regexp.MustCompile("\\]\\(([\\w/]+\\.go)\\), `(\\w+)`").FindAllStringSubmatch(table, -1)
	require.NotEmpty(t, named)
	for _, m := range named {
		require.Regexp(t, `(?m)^func (\(.*\) )?`+m[2]+`\b`, readFile(t, m[1]))
	}
}

func TestFakesExports(t *testing.T) {
	p := parse(t, "../../fakes")
	var names []string
	value := func(v *doc.Value) { names = append(names, v.Names...) }
	each(p.Consts, value)
	each(p.Vars, value)
	each(p.Funcs, func(f *doc.Func) { names = append(names, f.Name) })
	for _, typ := range p.Types {
		names = append(names, typ.Name)
		each(typ.Consts, value)
		each(typ.Vars, value)
		each(typ.Funcs, func(f *doc.Func) { names = append(names, f.Name) })
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !token.IsExported(n) })
	require.LessOrEqual(t, len(names), 65, "exported names of fakes: %q", names)
}

// TestExamples limits how much Go code an example may have, not counting its tests.
func TestExamples(t *testing.T) {
	folders, err := os.ReadDir("../../examples")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, entry := range folders {
		folder := filepath.Join("../../examples", entry.Name())
		most := 300
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			most = 700
		}
		lines := 0
		err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := os.ReadFile(name)
			lines += strings.Count(string(text), "\n")
			return err
		})
		require.NoError(t, err)
		require.LessOrEqual(t, lines, most, "lines of %s", folder)
	}
}

// TestPlotIsSmall checks that the plot has only a few bars, and a number next to each bar.
func TestPlotIsSmall(t *testing.T) {
	text, err := os.ReadFile("../../internal/bench/plot.svg")
	require.NoError(t, err)
	bars := strings.Count(string(text), `class="bar"`)
	require.NotZero(t, bars)
	require.LessOrEqual(t, bars, 10)
	require.Equal(t, bars, strings.Count(string(text), `class="number"`))
}

// TestChangelog rejects release headings, because there is no release yet. Remove this test with
// the first tag.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	require.Equal(t, []string{"## [Unreleased]"}, regexp.MustCompile(`(?m)^## .*$`).FindAllString(string(text), -1))
}

// parse reads the package in a folder, without its tests.
func parse(t *testing.T, folder string) *doc.Package {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file)
	}
	require.NotEmpty(t, files, folder)
	p, err := doc.NewFromFiles(set, files, path.Join("github.com/lro-go/lro", filepath.ToSlash(folder)))
	require.NoError(t, err)
	return p
}

func each[T any](of []T, do func(T)) {
	for _, v := range of {
		do(v)
	}
}
