package security

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// root is the repository's root folder.
var root = os.DirFS("../..")

// testName matches a test's name in SECURITY.md. The test's folder comes first, as in
// internal/wire.TestSend.
var testName = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)\\w*)`")

// TestSecurityNamesItsTests checks that each claim in SECURITY.md names tests that exist.
func TestSecurityNamesItsTests(t *testing.T) {
	text, err := fs.ReadFile(root, "SECURITY.md")
	require.NoError(t, err)
	require.Empty(t, missingTests(t, root, string(text)))
}

func TestMissingTests(t *testing.T) {
	fsys := fstest.MapFS{"a/b/x_test.go": {Data: []byte("package a\n\nfunc TestOne(t *testing.T) {}\n\nfunc (x) TestTwo() {}\n\nfunc help() {}\n")}}
	for _, tt := range []struct{ text, want string }{
		{"| said | `a/b.TestOne` |", ""},
		{"| said | `a/b.TestOne`, `a/b.TestTwo` |", "there is no a/b.TestTwo"},
		{"tested by `a/b.TestThree`", "there is no a/b.TestThree"},
		{"tested by `c.TestOne`", "there is no c.TestOne"},
		{"| said | tests |", "| said | tests |: no test is named"},
		{"| It cannot | Tested by |\n|---|---|", ""},
	} {
		require.Equal(t, tt.want, strings.Join(missingTests(t, fsys, tt.text), "\n"), tt.text)
	}
}

// missingTests returns a line for each nonexistent test that a text names, and for each table row
// that names no test.
func missingTests(t *testing.T, fsys fs.FS, text string) []string {
	t.Helper()
	var wrong []string
	folders := map[string]map[string]bool{}
	for line := range strings.Lines(text) {
		names := testName.FindAllStringSubmatch(line, -1)
		for _, n := range names {
			if folders[n[1]] == nil {
				folders[n[1]] = testsOf(t, fsys, n[1])
			}
			if !folders[n[1]][n[2]] {
				wrong = append(wrong, "there is no "+n[1]+"."+n[2])
			}
		}
		isRow := strings.HasPrefix(line, "| ") && !strings.HasSuffix(strings.TrimSpace(line), "| Tested by |")
		if isRow && len(names) == 0 {
			wrong = append(wrong, strings.TrimSpace(line)+": no test is named")
		}
	}
	return wrong
}

// testsOf returns the names of the functions in a folder's test files.
func testsOf(t *testing.T, fsys fs.FS, dir string) map[string]bool {
	t.Helper()
	files, err := fs.Glob(fsys, path.Join(dir, "*_test.go"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, name := range files {
		src, err := fs.ReadFile(fsys, name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
