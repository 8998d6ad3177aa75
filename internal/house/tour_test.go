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

// The code in doc.go must be part of the Example, which is compiled and run. TestDocs checks the
// code in README.md.
func TestDocCode(t *testing.T) {
	source := readFile(t, "example_test.go")
	found := 0
	for _, block := range new(comment.Parser).Parse(docText(t)).Content {
		code, ok := block.(*comment.Code)
		if !ok || strings.Contains(code.Text, "NextPoll") { // this block is the diagram, not code
			continue
		}
		found++
		part := strings.Split(strings.TrimSpace(code.Text), "\n")
		require.NotEqual(t, -1, find(strings.Split(source, "\n"), part), "example_test.go does not contain:\n%s", code.Text)
	}
	require.Equal(t, 1, found)
}

// In the root folder, a newcomer finds only two Go files: the tour (doc.go) and an Example.
func TestRoot(t *testing.T) {
	files, err := fs.Glob(root, "*.go")
	require.NoError(t, err)
	require.Equal(t, []string{"doc.go", "example_test.go"}, files)
	require.LessOrEqual(t, strings.Count(readFile(t, "doc.go"), "\n"), 60)
}

// go doc must show at most 60 lines before the first symbol of a package.
func TestPackageComments(t *testing.T) {
	const frame = 3 // the package clause and two blank lines
	for _, folder := range packages {
		if strings.Contains(folder, "internal/") {
			continue
		}
		files, err := fs.Glob(root, folder+"/*.go")
		require.NoError(t, err)
		opening := ""
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, readFile(t, name), parser.ParseComments|parser.PackageClauseOnly)
			require.NoError(t, err)
			if !strings.HasSuffix(name, "_test.go") {
				opening += file.Doc.Text()
			}
		}
		parsed := new(comment.Parser).Parse(opening)
		text := new(comment.Printer).Text(parsed)
		require.LessOrEqual(t, frame+strings.Count(string(text), "\n"), 60, folder)
	}
}

// published returns the folders of the nested modules that other modules import. The script
// .ci/release publishes these modules and the commands, which nothing imports.
func published(t *testing.T) []string {
	t.Helper()
	var folders []string
	mods, err := fs.Glob(root, "poller/*/go.mod")
	require.NoError(t, err)
	for _, mod := range mods {
		folders = append(folders, path.Dir(mod))
	}
	return folders
}

// The script .ci/apidiff must compare each published module with the last release.
func TestPublishedModulesAreCompared(t *testing.T) {
	script := readFile(t, ".ci/apidiff")
	require.NotEmpty(t, published(t))
	for _, folder := range published(t) {
		require.Contains(t, script, "\ncompare ./"+folder+"\n")
	}
}

// The lists in doc.go and README.md must contain exactly the packages that can be imported, except
// the packages below fakes, which the comment of package fakes lists.
func TestDocMap(t *testing.T) {
	want := published(t)
	for pkg := range arrows {
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

// Every relative link in README.md and CHANGELOG.md has a target.
func TestLinks(t *testing.T) {
	fenced := regexp.MustCompile("(?ms)^```.*?^```$")
	for _, name := range []string{"README.md", "CHANGELOG.md"} {
		text := fenced.ReplaceAllString(readFile(t, name), "")
		for _, m := range regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			_, err := fs.Stat(root, m[1])
			require.NoError(t, err, name)
		}
	}
}

// groups returns the text of the first group in each match.
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
	require.Empty(t, file.Decls, "package lro has no code")
	return file.Doc.Text()
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(root, name)
	require.NoError(t, err)
	return string(b)
}
