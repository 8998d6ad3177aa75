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

// A room is a package that can be understood without the others, or a few packages that the drawing
// in CONTRIBUTING.md shows as one.
type room struct {
	name  string // a folder; at the end, "/…" stands for all folders below it
	knows string
	doors string // the exported names where a reader starts
}

// rooms lists the rooms. Within a layer, the drawing keeps this order. A folder belongs to the last
// room whose name fits.
var rooms = []room{
	{"examples/…", "short programs that run offline", ""},
	{"cmd/lro/…", "the command line tool, lro serve and lro check", ""},

	{"poller/lroazcore", "azcore: its pipelines, pollers and tokens", "Follow, Doer"},
	{"poller/lrotel", "OpenTelemetry: spans and metrics of operations", "Telemetry"},
	{"poller/lrotf/…", "Terraform: resources that resume an interrupted apply", "Resource"},
	{"poller/ibmcloud", "IBM Cloud's protocols: which links, bodies and words", "Operation, VPC"},
	{"poller/aip151", "Google's operations: their names, errors and progress", "Operation"},
	{"poller/redfish", "Redfish: task monitors, Tasks, errors with messages", "TaskMonitor"},
	{"poller/fhir", "FHIR: status URLs, manifests, bundles, OperationOutcome", "Async"},
	{"pager", "listings: the next page, and which page is the last", "New, Pager.All"},

	{"poller", "what users call: options, Watch, the type of a result", "Begin, Poller, Group"},

	{"poller/resource", "a status in the resource: its words, its deletion", "Strategy"},
	{"poller/arm", "Azure's protocols: which header chooses one, bodies", "Auto, Location"},
	{"internal/scheduler", "which of many operations a Group reads next, and when", "Job, Scheduler.Wait"},
	{"internal/engine", "one operation: its lock, whose turn it is, the wait", "Begin, Core.ReadOnce"},

	{"internal/record", "phase, tolerated failures (404, 403), next read, token", "Record.Apply, Parse"},
	{"internal/wire", "one request: its headers, redirects, size and time", "SetRequest, Send"},
	{"poller/check", "checks: a read of the resource next to the status", "Confirm, CrossCheck"},

	{"internal/document", "Azure's status documents and resources", "Parse, ResourceStatus"},
	{"transport", "retries, throttling, credentials", "NewClient, Transport"},

	{"poller/strategy", "words of all protocols: Answer, Move, Status, Result", "Strategy"},

	{"internal/exchange", "which URLs are allowed, Retry-After, IDs of requests", "Origins, NewStatusError"},

	{"errors", "what can go wrong, as types of errors", "StatusError, WaitError"},

	{"internal/jsonread", "JSON documents, without decoding them", "Fill, Pointer"},
	{"internal/redact", "what a credential looks like", "Text, URL"},
	{"internal/pace", "how fast a service that throttles lets requests start", "Pace"},

	{"fakes/…", "services that behave like certain real ones", ""},
	{"fakes", "a management service to test against, and its faults", "Service, Client"},
	{"fakes/internal/engine", "the operations of a simulated service", "Service"},
	{"fakes/internal/etag", "entity tags, If-Match and If-None-Match", "Of, Check"},
	{"fakes/internal/patch", "merge patches and JSON pointers", "Merge, Set"},
	{"fakes/internal/tree", "the paths of resources, in order", "Tree"},
	{"fakes/internal/stream", "the body of a response, in memory", "Stream"},
}

// outside lists the folders that belong to no room: package lro, which has no code, and tests and
// tools that no other package imports.
var outside = []string{
	".", ".ci", "internal/bench", "internal/chaos", "internal/conformance", "internal/house", "internal/migrate",
	"internal/security",
}

// TestRooms checks the drawing in CONTRIBUTING.md, or writes it if the flag update is set.
func TestRooms(t *testing.T) {
	text, err := drawing(root, rooms, outside)
	require.NoError(t, err)
	text = "\n```text\n" + text + "```\n\n"

	const begin, end = "<!-- rooms -->\n", "<!-- end of rooms -->"
	before, rest, isBegun := strings.Cut(readFile(t, "CONTRIBUTING.md"), begin)
	was, after, isEnded := strings.Cut(rest, end)
	require.True(t, isBegun && isEnded, "CONTRIBUTING.md has no section for the rooms")
	if *update {
		require.NoError(t, os.WriteFile("../../CONTRIBUTING.md", []byte(before+begin+text+end+after), 0o644))
		return
	}
	require.Equal(t, text, was, "go test ./internal/house -update")
}

// TestDoors checks that each room declares its doors.
func TestDoors(t *testing.T) {
	for _, r := range rooms {
		if r.doors == "" {
			continue
		}
		declared, err := declarations(root, strings.TrimSuffix(r.name, "/…"))
		require.NoError(t, err)
		for door := range strings.SplitSeq(r.doors, ", ") {
			require.Contains(t, declared, door, r.name)
		}
	}
}

// drawing returns one line for each room, in layers. Each room imports only rooms of the layers
// below its own. The arrows leave out the imports that a reader reaches through other arrows.
func drawing(fsys fs.FS, rooms []room, outside []string) (string, error) {
	imports, err := imported(fsys, rooms, outside)
	if err != nil {
		return "", err
	}
	layers, err := layersOf(imports)
	if err != nil {
		return "", err
	}
	rows := [][]string{{"room", "what it knows", "its doors", "imports"}}
	var last int
	for i, r := range byLayer(rooms, layers) {
		if i == 0 || layers[r.name] != last {
			rows = append(rows, nil)
		}
		last = layers[r.name]
		rows = append(rows, []string{r.name, r.knows, r.doors, arrow(imports, r.name)})
	}
	return table(rows), nil
}

// imported returns, for each room, the other rooms that its non-test files import.
func imported(fsys fs.FS, rooms []room, outside []string) (map[string][]string, error) {
	imports := map[string][]string{}
	for _, r := range rooms {
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
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || isOutside(folder, outside) {
			return nil
		}
		from := roomOf(folder, rooms)
		if from == "" {
			return fmt.Errorf("%s is in no room", folder)
		}
		list, err := importsOf(fsys, name)
		for _, p := range list {
			folder, isOurs := strings.CutPrefix(p, module+"/")
			to := roomOf(folder, rooms)
			if isOurs && to != from && !slices.Contains(imports[from], to) {
				imports[from] = append(imports[from], to)
			}
		}
		return err
	})
	return imports, err
}

// skipIfForeign returns fs.SkipDir for a folder of test data, for a hidden folder, and for one that
// npm installed.
func skipIfForeign(folder string) error {
	base := path.Base(folder)
	isHidden := strings.HasPrefix(base, ".") && base != "."
	if isHidden || base == "testdata" || base == "node_modules" {
		return fs.SkipDir
	}
	return nil
}

func isOutside(folder string, outside []string) bool {
	return slices.ContainsFunc(outside, func(o string) bool { return folder == o || o != "." && strings.HasPrefix(folder, o+"/") })
}

// roomOf returns the name of the room that a folder belongs to, or "".
func roomOf(folder string, rooms []room) (name string) {
	for _, r := range rooms {
		above, isTree := strings.CutSuffix(r.name, "/…")
		if folder == above || isTree && strings.HasPrefix(folder, above+"/") {
			name = r.name
		}
	}
	return name
}

// layersOf returns the layer of each room: the length of the longest way to it from a room that no
// other room imports.
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
	return nil, errors.New("some rooms import each other")
}

// byLayer sorts the rooms by their layers. The fakes come last, because they share no code with the
// other rooms.
func byLayer(rooms []room, layers map[string]int) []room {
	isFake := func(r room) int { return strings.Count(r.name[:min(5, len(r.name))], "fakes") }
	return slices.SortedStableFunc(slices.Values(rooms), func(a, b room) int {
		if isFake(a) != isFake(b) {
			return isFake(a) - isFake(b)
		}
		return layers[a.name] - layers[b.name]
	})
}

// arrow returns the imports of a room, without those that another of its imports reaches.
func arrow(imports map[string][]string, from string) string {
	var short []string
	for _, to := range imports[from] {
		others := slices.DeleteFunc(slices.Clone(imports[from]), func(o string) bool { return o == to })
		if !slices.ContainsFunc(others, func(o string) bool { return reaches(imports, o, to) }) {
			short = append(short, strings.TrimPrefix(strings.TrimPrefix(to, "internal/"), "poller/"))
		}
	}
	if len(short) == 0 {
		return ""
	}
	slices.Sort(short)
	return "→ " + strings.Join(short, ", ")
}

// reaches reports whether a room imports another, directly or not.
func reaches(imports map[string][]string, from, to string) bool {
	return slices.ContainsFunc(imports[from], func(next string) bool { return next == to || reaches(imports, next, to) })
}

// table aligns the columns of the rows. A nil row becomes an empty line.
func table(rows [][]string) string {
	var widths [4]int
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// declarations returns the names that the non-test files in a folder declare at package level.
// The name of a method has its type in front, as in "Poller.Poll".
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

// receiver returns the name of the type of a receiver.
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

func TestDrawing(t *testing.T) {
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
		"a/testdata/a.go": source("no/room"),
		"poller/b/b.go":   source(module + "/internal/c"),
		"internal/c/c.go": source(),
		"fakes/f.go":      source(),
		"tool/in/t.go":    source("net/http"),
	}
	list := []room{{"internal/c", "C", "Door"}, {"a/…", "A", ""}, {"poller/b", "B", ""}, {"fakes", "F", ""}}
	got, err := drawing(fsys, list, []string{"tool"})
	require.NoError(t, err)
	require.Equal(t, `room        what it knows  its doors  imports

a/…         A                         → b, fakes

poller/b    B                         → c

internal/c  C              Door

fakes       F
`, got)

	_, err = drawing(fsys, list, nil)
	require.EqualError(t, err, "tool/in is in no room")

	fsys["internal/c/back.go"] = source(module + "/a")
	_, err = drawing(fsys, list, []string{"tool"})
	require.EqualError(t, err, "some rooms import each other")
}

func TestDeclarations(t *testing.T) {
	const text = "package a\n\ntype T[P any] struct{}\n\nfunc (*T[P]) M() {}\n\nfunc F() {}\n\nvar a, B int\n"
	got, err := declarations(fstest.MapFS{"a/a.go": {Data: []byte(text)}, "a/a_test.go": {Data: []byte("package a\n\nfunc no() {}")}}, "a")
	require.NoError(t, err)
	require.Equal(t, []string{"T", "T.M", "F", "a", "B"}, got)
}
