package house

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// A packageRow describes a package, or all packages in a folder tree, in the table of
// CONTRIBUTING.md.
type packageRow struct {
	name    string // a folder; the suffix "/…" adds all folders below it
	subject string
	entry   string // the exported names to read first
}

// packages holds the rows of the table. The table is sorted by layer (see layersOf), and rows of
// the same layer keep this order. A package belongs to the last row whose name matches its folder.
var packages = []packageRow{
	{"examples/…", "short programs that run offline", ""},
	{"cmd/lro/…", "the command-line tool, with lro serve and lro check", ""},

	{"poller/lroazcore", "azcore's pipelines, pollers and tokens", "Follow, Doer"},
	{"poller/lrotel", "spans and metrics for OpenTelemetry", "Telemetry"},
	{"poller/lrotf/…", "Terraform resources that resume an interrupted apply", "Resource"},
	{"poller/ibmcloud", "IBM Cloud's protocols: links, bodies, status words", "Operation, VPC"},
	{"poller/aip151", "Google's operations: names, errors, progress", "Operation"},
	{"poller/redfish", "Redfish: task monitors, tasks, error messages", "TaskMonitor"},
	{"poller/fhir", "FHIR: status URLs, manifests, OperationOutcome", "Async"},
	{"pager", "listings: finding the next page, knowing the last", "New, Pager.All"},

	{"poller", "the API: options, operations, groups, Watch", "Begin, Poller, Group"},

	{"poller/resource", "a status that the resource itself shows", "Strategy"},
	{"poller/arm", "Azure's protocols: how a response selects one", "Auto, Location"},
	{"internal/scheduler", "which operation a Group reads next, and when", "Job, Scheduler.Wait"},
	{"internal/engine", "one operation: its lock, its reads, its waits", "Begin, Core.ReadOnce"},

	{"internal/record", "what a response changes; phases, patience, tokens", "Record.Apply, Parse"},
	{"internal/wire", "one exchange: headers, redirects, size, time limits", "SetRequest, Send"},
	{"poller/check", "additional reads of the resource to check a status", "Confirm, CrossCheck"},

	{"internal/document", "Azure's status documents and resources", "Parse, ResourceStatus"},
	{"transport", "the HTTP client: retries, throttling, credentials", "NewClient, Transport"},

	{"poller/strategy", "the types that all protocols share", "Strategy"},

	{"internal/exchange", "which URLs are allowed, Retry-After, request IDs", "Origins, NewStatusError"},

	{"errors", "the error types", "StatusError, WaitError"},

	{"internal/jsonread", "reading JSON documents without decoding them", "Fill, Pointer"},
	{"internal/redact", "how to recognize credentials in text and URLs", "Text, URL"},
	{"internal/pace", "how often a throttling service accepts requests", "Pace"},

	{"fakes/…", "services that behave like particular real ones", ""},
	{"fakes", "a management service for tests, with faults", "Service, Client"},
	{"fakes/internal/engine", "the operations of a simulated service", "Service"},
	{"fakes/internal/etag", "entity tags, If-Match and If-None-Match", "Of, Check"},
	{"fakes/internal/patch", "merge patches and JSON pointers", "Merge, Set"},
	{"fakes/internal/tree", "resource paths, in order", "Tree"},
	{"fakes/internal/stream", "a response body in memory", "Stream"},
}

// unlisted holds the folders that need no row: the root package, which has no code, and the
// repository's own tests and tools.
var unlisted = []string{
	".", ".ci", "internal/bench", "internal/chaos", "internal/conformance", "internal/house", "internal/migrate",
	"internal/security",
}

// TestPackages checks the table of packages in CONTRIBUTING.md. With -update, it writes the table
// instead.
func TestPackages(t *testing.T) {
	text, err := packageTable(root, packages, unlisted)
	require.NoError(t, err)
	text = "\n```text\n" + text + "```\n\n"

	const begin, end = "<!-- packages -->\n", "<!-- end of packages -->"
	before, rest, isBegun := strings.Cut(readFile(t, "CONTRIBUTING.md"), begin)
	was, after, isEnded := strings.Cut(rest, end)
	require.True(t, isBegun && isEnded, "CONTRIBUTING.md has no markers for the table of packages")
	if *update {
		require.NoError(t, os.WriteFile("../../CONTRIBUTING.md", []byte(before+begin+text+end+after), 0o644))
		return
	}
	require.Equal(t, text, was, "go test ./internal/house -update")
}

// TestEntryPoints checks that each package declares the entry points that its row names.
func TestEntryPoints(t *testing.T) {
	for _, r := range packages {
		if r.entry == "" {
			continue
		}
		declared, err := declarations(root, strings.TrimSuffix(r.name, "/…"))
		require.NoError(t, err)
		for name := range strings.SplitSeq(r.entry, ", ") {
			require.Contains(t, declared, name, r.name)
		}
	}
}

// packageTable returns one line for each row, grouped by layer. A package imports only packages of
// groups further down.
func packageTable(fsys fs.FS, packages []packageRow, unlisted []string) (string, error) {
	imports, err := imported(fsys, packages, unlisted)
	if err != nil {
		return "", err
	}
	layers, err := layersOf(imports)
	if err != nil {
		return "", err
	}
	lines := [][]string{{"package", "subject", "entry points", "imports"}}
	var last int
	for i, r := range byLayer(packages, layers) {
		if i == 0 || layers[r.name] != last {
			lines = append(lines, nil)
		}
		last = layers[r.name]
		lines = append(lines, []string{r.name, r.subject, r.entry, direct(imports, r.name)})
	}
	return table(lines), nil
}

// imported maps each row to the other rows that it imports. It ignores test files.
func imported(fsys fs.FS, packages []packageRow, unlisted []string) (map[string][]string, error) {
	imports := map[string][]string{}
	for _, r := range packages {
		imports[r.name] = nil
	}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipIfForeign(name)
		}
		folder := path.Dir(name)
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || isUnlisted(folder, unlisted) {
			return nil
		}
		from := rowOf(folder, packages)
		if from == "" {
			return fmt.Errorf("%s has no row in the table of packages", folder)
		}
		list, err := importsOf(fsys, name)
		for _, p := range list {
			folder, isOurs := strings.CutPrefix(p, module+"/")
			to := rowOf(folder, packages)
			if isOurs && to != from && !slices.Contains(imports[from], to) {
				imports[from] = append(imports[from], to)
			}
		}
		return err
	})
	return imports, err
}

// skipIfForeign returns fs.SkipDir for hidden folders, testdata and node_modules.
func skipIfForeign(folder string) error {
	base := path.Base(folder)
	isHidden := strings.HasPrefix(base, ".") && base != "."
	if isHidden || base == "testdata" || base == "node_modules" {
		return fs.SkipDir
	}
	return nil
}

func isUnlisted(folder string, unlisted []string) bool {
	return slices.ContainsFunc(unlisted, func(u string) bool { return folder == u || u != "." && strings.HasPrefix(folder, u+"/") })
}

// rowOf returns the name of the row for the package in a folder, or "".
func rowOf(folder string, packages []packageRow) (name string) {
	for _, r := range packages {
		above, isTree := strings.CutSuffix(r.name, "/…")
		if folder == above || isTree && strings.HasPrefix(folder, above+"/") {
			name = r.name
		}
	}
	return name
}

// layersOf maps each row to its layer, the length of the longest chain of imports that leads to the
// row.
func layersOf(imports map[string][]string) (map[string]int, error) {
	layers := map[string]int{}
	for range len(imports) + 1 {
		isStable := true
		for from, list := range imports {
			for _, to := range list {
				if layers[to] <= layers[from] {
					layers[to] = layers[from] + 1
					isStable = false
				}
			}
		}
		if isStable {
			return layers, nil
		}
	}
	return nil, errors.New("some packages import each other")
}

// byLayer sorts the rows by layer. The fakes come last, because they share no code with the other
// packages.
func byLayer(packages []packageRow, layers map[string]int) []packageRow {
	isFake := func(r packageRow) int { return strings.Count(r.name[:min(5, len(r.name))], "fakes") }
	return slices.SortedStableFunc(slices.Values(packages), func(a, b packageRow) int {
		if isFake(a) != isFake(b) {
			return isFake(a) - isFake(b)
		}
		return layers[a.name] - layers[b.name]
	})
}

// direct lists the imports of a row. It omits an import that another import of the row reaches.
func direct(imports map[string][]string, from string) string {
	var short []string
	for _, to := range imports[from] {
		others := slices.DeleteFunc(slices.Clone(imports[from]), func(o string) bool { return o == to })
		if !slices.ContainsFunc(others, func(o string) bool { return reaches(imports, o, to) }) {
			short = append(short, strings.TrimPrefix(strings.TrimPrefix(to, "internal/"), "poller/"))
		}
	}
	slices.Sort(short)
	return strings.Join(short, ", ")
}

// reaches reports whether one row imports another, directly or indirectly.
func reaches(imports map[string][]string, from, to string) bool {
	return slices.ContainsFunc(imports[from], func(next string) bool { return next == to || reaches(imports, next, to) })
}

// table returns the lines with aligned columns. A nil line becomes an empty line.
func table(lines [][]string) string {
	var widths [4]int
	for _, cells := range lines {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, cells := range lines {
		line := ""
		for i, cell := range cells {
			line += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// declarations returns the package-level names in a folder's non-test files. A method is preceded
// by its type, as in "Poller.Poll".
func declarations(fsys fs.FS, folder string) (names []string, err error) {
	files, err := fs.Glob(fsys, path.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			names = append(names, declared(decl)...)
		}
	}
	return names, nil
}

func declared(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		names = append(names, name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func TestPackageTable(t *testing.T) {
	source := func(imports ...string) *fstest.MapFile {
		text := "package a\n"
		for _, p := range imports {
			text += fmt.Sprintf("\nimport _ %q\n", p)
		}
		return &fstest.MapFile{Data: []byte(text)}
	}
	fsys := fstest.MapFS{
		"a/a.go":          source(module+"/poller/b", module+"/internal/c", module+"/a/deep"),
		"a/a_test.go":     source(module + "/fakes"),
		"a/deep/a.go":     source("net/http", module+"/fakes"),
		"a/testdata/a.go": source("no/row"),
		"poller/b/b.go":   source(module + "/internal/c"),
		"internal/c/c.go": source(),
		"fakes/f.go":      source(),
		"tool/in/t.go":    source("net/http"),
	}
	list := []packageRow{{"internal/c", "C", "New"}, {"a/…", "A", ""}, {"poller/b", "B", ""}, {"fakes", "F", ""}}
	got, err := packageTable(fsys, list, []string{"tool"})
	require.NoError(t, err)
	require.Equal(t, `package     subject  entry points  imports

a/…         A                      b, fakes

poller/b    B                      c

internal/c  C        New

fakes       F
`, got)

	_, err = packageTable(fsys, list, nil)
	require.EqualError(t, err, "tool/in has no row in the table of packages")

	fsys["internal/c/back.go"] = source(module + "/a")
	_, err = packageTable(fsys, list, []string{"tool"})
	require.EqualError(t, err, "some packages import each other")
}

func TestDeclarations(t *testing.T) {
	const text = "package a\n\ntype T[P any] struct{}\n\nfunc (*T[P]) M() {}\n\nfunc F() {}\n\nvar a, B int\n"
	got, err := declarations(fstest.MapFS{"a/a.go": {Data: []byte(text)}, "a/a_test.go": {Data: []byte("package a\n\nfunc no() {}")}}, "a")
	require.NoError(t, err)
	require.Equal(t, []string{"T", "T.M", "F", "a", "B"}, got)
}
