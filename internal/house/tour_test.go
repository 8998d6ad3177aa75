package house

import (
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The code in doc.go must appear in the Example, which is compiled and run.
func TestDocCode(t *testing.T) {
	source := readFile(t, "example_test.go")
	found := 0
	for _, block := range new(comment.Parser).Parse(docText(t)).Content {
		code, ok := block.(*comment.Code)
		if !ok || strings.Contains(code.Text, "NextPoll") { // the diagram, not code
			continue
		}
		found++
		part := strings.Split(strings.TrimSpace(code.Text), "\n")
		require.NotEqual(t, -1, find(strings.Split(source, "\n"), part), "example_test.go does not contain:\n%s", code.Text)
	}
	require.Equal(t, 1, found)
}

// doc.go and README.md must each list exactly the packages that users can import, except the ones
// below fakes.
func TestDocMap(t *testing.T) {
	nested, err := fs.Glob(root, "poller/*/go.mod")
	require.NoError(t, err)
	var want []string
	for _, mod := range nested {
		want = append(want, path.Dir(mod))
	}
	for pkg := range allowedImports {
		_, err := fs.Stat(root, pkg)
		if err == nil && pkg != "." && pkg != "examples" && !strings.HasPrefix(pkg, "internal/") && !strings.HasPrefix(pkg, "fakes/") {
			want = append(want, pkg)
		}
	}
	items := regexp.MustCompile(`(?m)^\s*- (.*\]):`).FindAllString(docText(t), -1)
	linked := regexp.MustCompile(`\[`+module+`/([\w/]+)\]`).FindAllStringSubmatch(strings.Join(items, "\n"), -1)
	require.ElementsMatch(t, want, groups(linked), "doc.go")
	rows := regexp.MustCompile("(?m)^\\| \\[`[\\w/]+`\\]\\([\\w/]+\\).*? \\|").FindAllString(readFile(t, "README.md"), -1)
	linked = regexp.MustCompile("\\[`([\\w/]+)`\\]").FindAllStringSubmatch(strings.Join(rows, "\n"), -1)
	linked = slices.DeleteFunc(linked, func(m []string) bool { return strings.HasPrefix(m[1], "examples/") || strings.HasPrefix(m[1], "cmd/") })
	require.ElementsMatch(t, want, groups(linked), "README.md")
}

// If CONTRIBUTING.md gives the name of a function next to a link to a file, the file must declare
// the function.
func TestNamedFunctions(t *testing.T) {
	named := regexp.MustCompile("\\]\\(([\\w/]+\\.go)\\), `(\\w+)`").FindAllStringSubmatch(readFile(t, "CONTRIBUTING.md"), -1)
	require.NotEmpty(t, named)
	for _, m := range named {
		require.Regexp(t, `(?m)^func (\(.*\) )?`+m[2]+`\b`, readFile(t, m[1]))
	}
}

// groups returns the text of each match's first group.
func groups(matches [][]string) []string {
	var all []string
	for _, m := range matches {
		all = append(all, m[1])
	}
	return all
}

func docText(t *testing.T) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", readFile(t, "doc.go"), parser.ParseComments)
	require.NoError(t, err)
	require.Empty(t, file.Decls, "package lro must not declare anything")
	return file.Doc.Text()
}
