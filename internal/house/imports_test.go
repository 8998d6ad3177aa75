package house

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const (
	module  = "github.com/lro-go/lro"
	testify = "github.com/stretchr/testify"
)

// allowedImports lists what each package may import besides the standard library: packages of this
// module (ours) and other modules (others). Tests may also import testify and any package of this
// module. All examples share a row.
var allowedImports = map[string]struct{ ours, others []string }{
	".":                     {},
	"errors":                {ours: []string{"internal/redact", "internal/jsonread"}},
	"fakes":                 {ours: []string{"fakes/internal/engine", "fakes/internal/stream"}}, // a fake that shared code with the module would share its bugs
	"fakes/internal/engine": {ours: []string{"fakes/internal/etag", "fakes/internal/patch", "fakes/internal/tree"}},
	"fakes/internal/etag":   {},
	"fakes/internal/patch":  {},
	"fakes/internal/tree":   {},
	"fakes/internal/stream": {},
	"fakes/arohcp":          {ours: []string{"fakes", "fakes/internal/engine", "fakes/internal/patch"}},
	"fakes/ibmcloud":        {ours: []string{"fakes", "fakes/internal/engine", "fakes/internal/patch"}},
	"fakes/quirks":          {ours: []string{"fakes", "fakes/internal/engine"}},
	"transport": {
		ours: []string{"errors", "internal/exchange", "internal/pace", "internal/redact"},
		others: []string{
			"github.com/cenkalti/backoff/v4",
			"github.com/hashicorp/go-retryablehttp",
			"golang.org/x/sync",
		},
	},
	"internal/redact":      {},
	"internal/pace":        {},
	"internal/jsonread":    {},
	"internal/exchange":    {ours: []string{"errors", "internal/redact"}, others: []string{"golang.org/x/sync"}},
	"internal/scheduler":   {}, // only schedules reads, so it needs no other package
	"internal/wire":        {ours: []string{"errors", "transport", "internal/exchange", "internal/redact", "internal/jsonread"}},
	"internal/document":    {ours: []string{"errors", "poller/strategy", "internal/exchange", "internal/jsonread"}},
	"poller/strategy":      {ours: []string{"errors", "internal/exchange", "internal/jsonread", "internal/redact"}},
	"poller/check":         {ours: []string{"errors", "poller/strategy", "internal/document", "internal/exchange", "internal/jsonread", "internal/redact"}},
	"poller/arm":           {ours: []string{"errors", "poller/strategy", "poller/check", "internal/document", "internal/jsonread"}},
	"poller/resource":      {ours: []string{"errors", "poller/strategy", "poller/check"}}, // imports only what a strategy in another module can import
	"poller/ibmcloud":      {ours: []string{"errors", "poller/strategy", "poller/check", "poller/resource"}},
	"poller/aip151":        {ours: []string{"errors", "poller/strategy"}},
	"poller/redfish":       {ours: []string{"errors", "poller/strategy"}},
	"poller/fhir":          {ours: []string{"errors", "poller/strategy"}},
	"internal/record":      {ours: []string{"errors", "poller/strategy", "internal/exchange", "internal/jsonread", "internal/redact"}},
	"internal/engine":      {ours: []string{"errors", "poller/strategy", "internal/record", "internal/exchange", "internal/jsonread", "internal/redact", "internal/wire"}}, // not internal/scheduler: package poller connects the two
	"poller":               {ours: []string{"errors", "transport", "poller/strategy", "poller/check", "poller/arm", "internal/engine", "internal/record", "internal/scheduler", "internal/exchange", "internal/jsonread", "internal/redact", "internal/wire"}},
	"pager":                {ours: []string{"errors", "transport", "internal/exchange", "internal/redact", "internal/wire", "internal/jsonread"}},
	"internal/conformance": {},
	"internal/chaos":       {},
	"internal/house":       {},
	"internal/security":    {},
	"examples":             {ours: []string{"errors", "fakes", "fakes/arohcp", "fakes/ibmcloud", "fakes/quirks", "transport", "poller", "poller/arm", "poller/aip151", "poller/fhir", "poller/ibmcloud", "poller/redfish", "poller/resource", "poller/strategy", "pager"}},
}

func TestImports(t *testing.T) {
	broken, err := brokenImports(root)
	require.NoError(t, err)
	require.Empty(t, broken)
}

func TestBrokenImports(t *testing.T) {
	const own = module + "/"
	tests := []struct {
		file, imports string
		want          []string
	}{
		{"poller/a.go", own + "transport", nil},
		{"poller/a.go", "net/http", nil},
		{"transport/a.go", "golang.org/x/sync/singleflight", nil},
		{"fakes/a_test.go", own + "poller", nil},
		{"fakes/a_test.go", testify + "/require", nil},
		{"transport/a_test.go", "github.com/cenkalti/backoff/v4", nil},
		{"examples/a/main.go", own + "poller/ibmcloud", nil},

		{"errors/a.go", own + "transport", []string{"errors/a.go: errors may not import " + own + "transport"}},
		{"transport/a.go", own + "poller", []string{"transport/a.go: transport may not import " + own + "poller"}},
		{"pager/a.go", own + "poller", []string{"pager/a.go: pager may not import " + own + "poller"}},
		{"fakes/a.go", own + "errors", []string{"fakes/a.go: fakes may not import " + own + "errors"}},
		{"poller/a.go", own + "fakes", []string{"poller/a.go: poller may not import " + own + "fakes"}},
		{"poller/ibmcloud/a.go", own + "internal/wire", []string{"poller/ibmcloud/a.go: poller/ibmcloud may not import " + own + "internal/wire"}},
		{"examples/a/main.go", own + "internal/wire", []string{"examples/a/main.go: examples may not import " + own + "internal/wire"}},
		{"a.go", own + "poller", []string{"a.go: . may not import " + own + "poller"}},
		{"a.go", module, []string{"a.go: . may not import " + module}},

		{"poller/a.go", "golang.org/x/sync/errgroup", []string{"poller/a.go: poller may not import golang.org/x/sync/errgroup"}},
		{"transport/a.go", "golang.org/x/synchronous", []string{"transport/a.go: transport may not import golang.org/x/synchronous"}},
		{"transport/a.go", testify + "/require", []string{"transport/a.go: transport may not import " + testify + "/require"}},
		{"errors/a_test.go", "golang.org/x/sync", []string{"errors/a_test.go: errors may not import golang.org/x/sync"}},

		{"brandnew/a.go", "net/http", []string{"brandnew/a.go: brandnew has no row in allowedImports"}},
		{"brandnew/a_test.go", "net/http", []string{"brandnew/a_test.go: brandnew has no row in allowedImports"}},
		{"errors/deep/a.go", "net/http", []string{"errors/deep/a.go: errors/deep has no row in allowedImports"}},

		{"nested/a.go", "example.com/peer", nil}, // nested is a separate module
		{"errors/testdata/a.go", "example.com/peer", nil},
		{"node_modules/a.go", "example.com/peer", nil},
		{".hidden/a.go", "example.com/peer", nil},
	}
	for _, tt := range tests {
		fsys := fstest.MapFS{
			"go.mod":        {},
			"nested/go.mod": {},
			tt.file:         {Data: fmt.Appendf(nil, "package a\n\nimport _ %q\n", tt.imports)},
		}
		got, err := brokenImports(fsys)
		require.NoError(t, err)
		require.Equal(t, tt.want, got, "%s imports %s", tt.file, tt.imports)
	}
}

// A nested module must not import the root module's internal packages, so that it still compiles if
// it moves to another repository. Modules under internal are exempt.
func TestNestedImports(t *testing.T) {
	broken, err := brokenNestedImports(root)
	require.NoError(t, err)
	require.Empty(t, broken)

	source := func(imports string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("package a\n\nimport _ " + strconv.Quote(imports) + "\n")}
	}
	broken, err = brokenNestedImports(fstest.MapFS{
		"go.mod":                 {},
		"poller/a.go":            source(module + "/internal/wire"),
		"poller/m/go.mod":        {},
		"poller/m/a.go":          source(module + "/internal/wire"),
		"poller/m/b/a.go":        source(module + "/poller"),
		"poller/m/b/a_test.go":   source(module + "/internal/redact"),
		"poller/m/internal/a.go": source(module + "/poller/m/internal/b"),
		"internal/m/go.mod":      {},
		"internal/m/a.go":        source(module + "/internal/wire"),
	})
	require.NoError(t, err)
	require.Equal(t, []string{
		"poller/m/a.go: a nested module may not import " + module + "/internal/wire",
		"poller/m/b/a_test.go: a nested module may not import " + module + "/internal/redact",
	}, broken)
}

// brokenNestedImports returns one line for each import of an internal package by a nested module.
// It ignores modules under internal.
func brokenNestedImports(fsys fs.FS) ([]string, error) {
	var broken, nested []string // nested lists the folders of nested modules, with trailing slashes
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if base := path.Base(name); name == "internal" || base == "node_modules" || base != "." && strings.HasPrefix(base, ".") {
				return fs.SkipDir
			}
			if _, none := fs.Stat(fsys, path.Join(name, "go.mod")); none == nil && name != "." {
				nested = append(nested, name+"/")
			}
			return err
		}
		if path.Ext(name) != ".go" || !slices.ContainsFunc(nested, func(m string) bool { return strings.HasPrefix(name, m) }) {
			return nil
		}
		imports, err := importsOf(fsys, name)
		for _, p := range imports {
			if strings.HasPrefix(p, module+"/internal/") {
				broken = append(broken, fmt.Sprintf("%s: a nested module may not import %s", name, p))
			}
		}
		return err
	})
	return broken, err
}

// brokenImports returns one line for each import in fsys that allowedImports forbids. It parses
// every file, so it also finds imports in files that build tags exclude.
func brokenImports(fsys fs.FS) ([]string, error) {
	var broken []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if ignored(fsys, name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		imports, err := importsOf(fsys, name)
		if err != nil {
			return err
		}
		broken = append(broken, check(name, imports)...)
		return nil
	})
	return broken, err
}

// ignored reports whether dir is node_modules or the go command excludes it from the module.
func ignored(fsys fs.FS, dir string) bool {
	if dir == "." {
		return false
	}
	base := path.Base(dir)
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return err == nil || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") ||
		base == "testdata" || base == "vendor" || base == "node_modules"
}

func importsOf(fsys fs.FS, name string) ([]string, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		imports = append(imports, p)
	}
	return imports, nil
}

// check returns one line for each of a file's imports that allowedImports forbids, or one line if
// the file's package has no row.
func check(name string, imports []string) []string {
	pkg := path.Dir(name)
	if strings.HasPrefix(pkg, "examples/") {
		pkg = "examples"
	}
	row, ok := allowedImports[pkg]
	if !ok {
		return []string{name + ": " + pkg + " has no row in allowedImports"}
	}
	test := strings.HasSuffix(name, "_test.go")
	var broken []string
	for _, p := range imports {
		if !allowed(p, row.ours, row.others, test) {
			broken = append(broken, fmt.Sprintf("%s: %s may not import %s", name, pkg, p))
		}
	}
	return broken
}

func allowed(imported string, ours, others []string, test bool) bool {
	if imported == module || strings.HasPrefix(imported, module+"/") {
		// Tests may import any package of this module, because they are not part of users'
		// programs.
		return test || slices.Contains(ours, strings.TrimPrefix(imported, module+"/"))
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return true // no standard library path has a dot in its first element
	}
	if test {
		others = append([]string{testify}, others...)
	}
	return slices.ContainsFunc(others, func(m string) bool {
		return imported == m || strings.HasPrefix(imported, m+"/")
	})
}
