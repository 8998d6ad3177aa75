package house

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// These are the limits for a package. For maxAssigning and maxTagless, a package with fewer than
// 1,000 lines of code is treated as if it had 1,000.
const (
	maxCode      = 1600 // lines of code, without blank lines and comments
	maxBranches  = 0.26 // branches per line inside functions: net/http has 0.19, log/slog 0.17, encoding/json 0.23
	coreBranches = 0.22 // replaces maxBranches for the packages in the map core
	maxAssigning = 2    // if statements that assign to an existing variable before their condition, per 1,000 lines
	maxTagless   = 4    // switch statements without a tag, per 1,000 lines
	maxCycle     = 6    // files in a cycle of references
	fakesCycle   = 8    // replaces maxCycle for fakes and the packages below it
	maxComment   = 40   // lines of the package comment
)

// core lists the packages that follow an operation. The stricter coreBranches limit applies to
// them.
var core = map[string]bool{
	"poller": true, "poller/strategy": true, "poller/arm": true, "poller/check": true, "transport": true,
	"internal/document": true, "internal/record": true, "internal/engine": true, "internal/scheduler": true,
}

// longComments lists the packages whose package comments may be longer than maxComment, because
// users read these comments on pkg.go.dev.
var longComments = map[string]bool{
	"poller": true, "poller/ibmcloud": true, "poller/lroazcore": true, "poller/lrotel": true, "poller/lrotf": true,
}

// TestShape checks that each package's code is easy to read: neither too dense nor too long.
func TestShape(t *testing.T) {
	loaded := loader{fsys: root, set: token.NewFileSet(), others: exported(t), packages: map[string]*loadedPackage{}}
	for _, folder := range product(t) {
		p, err := loaded.load(folder)
		require.NoError(t, err)
		for _, what := range p.excesses(folder) {
			t.Errorf("%s: %s", folder, what)
		}
	}
}

// excesses returns one line for each limit that a package exceeds.
func (p *loadedPackage) excesses(folder string) (lines []string) {
	branches := maxBranches
	if core[folder] {
		branches = coreBranches
	}
	cycle := maxCycle
	if folder == "fakes" || strings.HasPrefix(folder, "fakes/") {
		cycle = fakesCycle
	}
	d := p.density
	check := func(what string, is, most float64) {
		if is > most {
			lines = append(lines, fmt.Sprintf("%s: %.4g, at most %.4g", what, is, most))
		}
	}
	thousands := max(float64(d.code)/1000, 1)
	check("lines of code", float64(d.code), maxCode)
	check("branches per line of function", float64(d.branches)/max(float64(d.funcLines), 1), branches)
	check("assigning ifs", float64(d.assigning), maxAssigning*thousands)
	check("switches without a tag", float64(d.tagless), maxTagless*thousands)
	check("files that all reach each other", float64(largestCycle(p.references())), float64(cycle))
	if !longComments[folder] {
		check("lines of the package comment", float64(p.comment), maxComment)
	}
	return lines
}

// product returns the folder of each package in the table of CONTRIBUTING.md, except the examples.
func product(t *testing.T) (folders []string) {
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipIfForeign(name)
		}
		folder := path.Dir(name)
		isSource := path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go")
		isOther := isUnlisted(folder, unlisted) || strings.HasPrefix(folder, "examples/")
		if isSource && !isOther && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		return nil
	})
	require.NoError(t, err)
	require.Subset(t, folders, []string{"fakes/internal/engine", "internal/wire", "poller", "poller/lrotf", "cmd/lro"})
	return folders
}

// exported returns an importer for the root module's packages and their dependencies.
func exported(t *testing.T) types.Importer {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err)
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[name] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(name string) (io.ReadCloser, error) { return os.Open(files[name]) })
}

// A loader parses and type-checks packages.
type loader struct {
	fsys     fs.FS
	set      *token.FileSet
	others   types.Importer // the importer that Import tries first
	packages map[string]*loadedPackage
}

type loadedPackage struct {
	set     *token.FileSet
	types   *types.Package
	info    types.Info
	files   []*ast.File
	density density
	comment int // lines of the package comment
}

// load parses and type-checks the package in a folder, without its test files.
func (l *loader) load(folder string) (*loadedPackage, error) {
	if p := l.packages[folder]; p != nil {
		return p, nil
	}
	p := &loadedPackage{set: l.set, info: types.Info{Uses: map[*ast.Ident]types.Object{}}}
	names, err := fs.Glob(l.fsys, path.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(l.fsys, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(l.set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, file)
		p.comment += strings.Count(file.Doc.Text(), "\n")
		p.density.add(l.set, file, string(text))
	}
	// Packages of other modules may be missing. The checker then reports errors, but still resolves the
	// other names.
	conf := types.Config{Importer: l, Error: func(error) {}}
	p.types, _ = conf.Check(module+"/"+folder, l.set, p.files, &p.info)
	l.packages[folder] = p
	return p, nil
}

// Import returns the types of a package. It returns an error if only a nested module requires the
// package's module.
func (l *loader) Import(name string) (*types.Package, error) {
	if p, err := l.others.Import(name); err == nil {
		return p, nil
	}
	if folder, ours := strings.CutPrefix(name, module+"/"); ours {
		p, err := l.load(folder)
		if err == nil && len(p.files) > 0 {
			return p.types, nil
		}
	}
	return nil, fmt.Errorf("%s is unknown", name)
}

// references maps each file to the other files of the package whose declarations the file uses.
func (p *loadedPackage) references() map[string]map[string]bool {
	edges := map[string]map[string]bool{}
	for _, file := range p.files {
		from := p.set.Position(file.Pos()).Filename
		edges[from] = map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			o := p.info.Uses[id]
			if o == nil || o.Pkg() != p.types || !p.isTop(o) {
				return true
			}
			if to := p.set.Position(o.Pos()).Filename; to != from {
				edges[from][to] = true
			}
			return true
		})
	}
	return edges
}

// isTop reports whether o is declared at package level, or is a field or a method.
func (p *loadedPackage) isTop(o types.Object) bool {
	if v, ok := o.(*types.Var); ok && v.IsField() {
		return true
	}
	_, isFunc := o.(*types.Func)
	return isFunc || o.Parent() == p.types.Scope()
}

// largestCycle returns the number of files in the largest cycle of references, or 0.
func largestCycle(edges map[string]map[string]bool) (largest int) {
	reached := map[string]map[string]bool{}
	for from := range edges {
		reached[from] = map[string]bool{}
		for next := []string{from}; len(next) > 0; next = next[1:] {
			for to := range edges[next[0]] {
				if !reached[from][to] {
					reached[from][to] = true
					next = append(next, to)
				}
			}
		}
	}
	for a := range reached {
		n := 0
		for b := range reached[a] {
			if reached[b][a] {
				n++
			}
		}
		if n > 1 {
			largest = max(largest, n)
		}
	}
	return largest
}

// A density holds the number of lines and the numbers of constructs that make code hard to read.
type density struct{ code, funcLines, branches, assigning, tagless int }

func (d *density) add(set *token.FileSet, file *ast.File, text string) {
	for line := range strings.Lines(text) {
		if code := strings.TrimSpace(line); code != "" && !strings.HasPrefix(code, "//") {
			d.code++
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			d.funcLines += set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1
		case *ast.IfStmt:
			d.branches++
			if assigns(n.Init) {
				d.assigning++
			}
		case *ast.ForStmt, *ast.RangeStmt:
			d.branches++
		case *ast.CaseClause:
			if n.List != nil {
				d.branches++
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				d.branches++
			}
		case *ast.SwitchStmt:
			if n.Tag == nil {
				d.tagless++
			}
		}
		return true
	})
}

// assigns reports whether the statement before an if's condition changes an existing variable.
func assigns(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	case *ast.IncDecStmt:
		return true
	}
	return false
}

// nowhere is an importer that finds no package.
var nowhere = importer.ForCompiler(token.NewFileSet(), "gc", func(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist })

func TestExcesses(t *testing.T) {
	const dense = `// Package a is dense.
package a

import "nested/only"

func a(n int) {
	if n = b(); n > 0 && only.Known { // one assigning if, two branches
		n++
	}
	switch { // one switch without a tag, one branch
	case n > 1:
	default:
	}
	for range n { // one branch
	}
	if x := b(); x > n {
	}
}
`
	fsys := fstest.MapFS{
		"a/a.go":      {Data: []byte(dense)},
		"a/b.go":      {Data: []byte("package a\n\nfunc b() int { return new(c).d }\n")},
		"a/c.go":      {Data: []byte("package a\n\ntype c struct{ d int }\n\nfunc (c) e() { a(0) }\n")},
		"a/leaf.go":   {Data: []byte("package a\n\nvar leaf = f(0)\n\nfunc f(n int) int {\n\treturn n\n}\n")},
		"a/a_test.go": {Data: []byte("package a\n\nfunc test() { a(leaf) }\n")},
	}
	l := loader{fsys: fsys, set: token.NewFileSet(), others: nowhere, packages: map[string]*loadedPackage{}}
	p, err := l.load("a")
	require.NoError(t, err)
	require.Equal(t, density{code: 25, funcLines: 18, branches: 5, assigning: 1, tagless: 1}, p.density)
	require.Equal(t, 1, p.comment)
	require.Equal(t, map[string]map[string]bool{
		"a/a.go": {"a/b.go": true}, "a/b.go": {"a/c.go": true}, "a/c.go": {"a/a.go": true}, "a/leaf.go": {},
	}, p.references())
	require.Equal(t, 3, largestCycle(p.references()))
	require.Equal(t, []string{"branches per line of function: 0.2778, at most 0.26"}, p.excesses("a"))

	p.density = density{code: 1601, assigning: 4, tagless: 7, funcLines: 1000, branches: 221}
	require.Equal(t, []string{
		"lines of code: 1601, at most 1600", "branches per line of function: 0.221, at most 0.22",
		"assigning ifs: 4, at most 3.202", "switches without a tag: 7, at most 6.404",
	}, p.excesses("poller"))
}
