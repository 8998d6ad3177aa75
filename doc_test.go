package lro_test

import (
	"context"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// firstUse is the first use that doc.go shows.
func firstUse(ctx context.Context, client *http.Client, url string, body io.Reader, use func(Widget)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, body)
	if err != nil {
		return err
	}
	p, err := poller.Begin[Widget](req, client, nil)
	if err != nil {
		return err
	}
	widget, err := p.PollUntilDone(ctx)
	use(widget)
	return err
}

func TestFirstUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got Widget
		err := firstUse(t.Context(), fakes.Client(&fakes.Service{}), "https://a.test/widgets/w1", http.NoBody,
			func(w Widget) { got = w })
		require.NoError(t, err)
		require.Equal(t, "w1", got.Name)
	})
}

// Every ending takes its own arm of the switch that doc.go shows, whatever other
// errors it holds.
func TestEnding(t *testing.T) {
	const (
		result    = "here is the result"
		operation = "it failed or was canceled"
		unread    = "it succeeded; read the result again"
		wait      = "we stopped waiting; store wait.ResumeToken() and resume later"
		status    = "a request was refused or got no response"
	)
	refuse, outage := fakes.Status(http.StatusBadRequest), fakes.Status(http.StatusServiceUnavailable)
	tests := []struct {
		name   string
		plan   fakes.Plan
		fault  fakes.Fault
		want   string
		nested bool // the error holds a *StatusError, which has an arm of its own
	}{
		{name: "success", want: result},
		{name: "failure", plan: fakes.Plan{Ending: fakes.Failed}, want: operation},
		{name: "canceled", plan: fakes.Plan{Ending: fakes.Canceled}, want: operation},
		{name: "failure told by a Location", plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed}, want: operation},
		{
			name: "result refused", want: unread, nested: true,
			fault: fakes.Fault{Kind: fakes.Read, Do: refuse},
		},
		{name: "deadline", plan: fakes.Plan{Duration: fakes.Forever}, want: wait},
		{
			name: "deadline before the result", want: wait, nested: true,
			fault: fakes.Fault{Kind: fakes.Read, Do: fakes.Throttle(23 * time.Hour)},
		},
		{
			name: "status refused", want: wait, nested: true,
			fault: fakes.Fault{Kind: fakes.Poll, Do: refuse},
		},
		{
			name: "patience spent", want: wait, nested: true,
			fault: fakes.Fault{Kind: fakes.Poll, Do: outage},
		},
		{
			name: "foreign origin", want: wait, nested: true,
			fault: fakes.Fault{Kind: fakes.Begin, Do: fakes.Header("Azure-AsyncOperation", "https://b.test/op")},
		},
		{name: "request refused", fault: fakes.Fault{Kind: fakes.Begin, Do: refuse}, want: status},
		{name: "no answer", fault: fakes.Fault{Kind: fakes.Begin, Do: fakes.Drop()}, want: status},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
			defer cancel()
			svc := &fakes.Service{Default: tt.plan}
			svc.Fault(tt.fault)
			err := firstUse(ctx, fakes.Client(svc), "https://a.test/widgets/w1", http.NoBody, func(Widget) {})
			require.Equal(t, tt.want, ending(err), "%s: %v", tt.name, err)
			if tt.nested {
				var inner *lroerrors.StatusError
				require.ErrorAs(t, err, &inner, "%s", tt.name)
			}
		})
	}
}

func TestDocSwitchOrder(t *testing.T) {
	names := map[string]string{} // of the types, by variable
	for _, m := range regexp.MustCompile(`(\w+)\s+\*lroerrors\.(\w+)`).FindAllStringSubmatch(docText(t), -1) {
		names[m[1]] = m[2]
	}
	var order []string
	for _, m := range regexp.MustCompile(`errors\.As\(err, &(\w+)\)`).FindAllStringSubmatch(docText(t), -1) {
		order = append(order, names[m[1]])
	}
	require.Equal(t, []string{"OperationError", "ResultError", "WaitError", "StatusError"}, order)
}

// What doc.go and README.md show is code that is compiled and run here.
func TestDocCode(t *testing.T) {
	var blocks []string
	for _, block := range new(comment.Parser).Parse(docText(t)).Content {
		if code, ok := block.(*comment.Code); ok && !strings.Contains(code.Text, "NextPoll") { // that is the diagram
			blocks = append(blocks, code.Text)
		}
	}
	require.Len(t, blocks, 3)
	readme := goBlocks(readFile(t, "README.md"))
	require.NotEmpty(t, readme)
	require.Contains(t, readFile(t, "examples/subscription/main.go"), readme[0])
	require.LessOrEqual(t, strings.Count(readme[0], "\n"), 17, "a program of fifteen lines, with its signature")

	source := readFile(t, "example_test.go") + readFile(t, "example_long_test.go") +
		readFile(t, "example_errors_test.go") + readFile(t, "doc_test.go") +
		readFile(t, "poller/lrotel/example_test.go") + readFile(t, "poller/example_watch_test.go")
	for _, block := range append(blocks, readme[1:]...) {
		require.True(t, holds(source, block), "this is nowhere in the tests:\n%s", block)
	}
}

func TestDocLength(t *testing.T) {
	require.LessOrEqual(t, strings.Count(readFile(t, "doc.go"), "\n"), 120)
}

// published returns the folders of the nested modules that other modules import. The script
// .ci/release publishes the same ones.
func published(t *testing.T) []string {
	t.Helper()
	var folders []string
	for _, pattern := range []string{"poller/*/go.mod", "cmd/*/go.mod"} {
		mods, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, mod := range mods {
			folders = append(folders, filepath.ToSlash(filepath.Dir(mod)))
		}
	}
	return folders
}

// .ci/apidiff compares each published module with the last release.
func TestPublishedModulesAreCompared(t *testing.T) {
	script := readFile(t, ".ci/apidiff")
	require.NotEmpty(t, published(t))
	for _, folder := range published(t) {
		require.Contains(t, script, "\ncompare ./"+folder+"\n")
	}
}

// The maps in doc.go and README.md list every package that can be imported, and
// no other.
func TestDocMap(t *testing.T) {
	want := published(t)
	for pkg := range arrows {
		_, err := os.Stat(pkg)
		if err == nil && pkg != "." && pkg != "examples" && !strings.HasPrefix(pkg, "internal/") {
			want = append(want, pkg)
		}
	}
	linked := regexp.MustCompile(`(?m)^\s*- \[`+module+`/([\w/]+)\]:`).FindAllStringSubmatch(docText(t), -1)
	require.ElementsMatch(t, want, groups(linked), "doc.go")
	rows := regexp.MustCompile("(?m)^\\| \\[`([\\w/]+)`\\]\\(([\\w/]+)\\) \\|").FindAllStringSubmatch(readFile(t, "README.md"), -1)
	rows = slices.DeleteFunc(rows, func(m []string) bool { return strings.HasPrefix(m[1], "examples/") })
	require.ElementsMatch(t, want, groups(rows), "README.md")
}

// Every relative link in README.md and CHANGELOG.md leads somewhere.
func TestLinks(t *testing.T) {
	fenced := regexp.MustCompile("(?ms)^```.*?^```$")
	for _, name := range []string{"README.md", "CHANGELOG.md"} {
		text := fenced.ReplaceAllString(readFile(t, name), "")
		for _, m := range regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			_, err := os.Stat(m[1])
			require.NoError(t, err, name)
		}
	}
}

func TestHolds(t *testing.T) {
	const source = "func f() {\n\tif x {\n\t\ty()\n\n\t\tz()\n\t}\n}\n"
	require.True(t, holds(source, "y()\n\nz()\n"))
	require.True(t, holds(source, "if x {\n\ty()\n"))
	require.False(t, holds(source, "y()\nz()\n"))
	require.False(t, holds(source, "z\n"))
	require.True(t, holds("import (\n\t\"a\"\n\t\"b\"\n\n\tc \"c\"\n)\n", "import (\n\t\"a\"\n\n\tc \"c\"\n)\n"))
	require.False(t, holds("import (\n\t\"a\"\n)\n", "import (\n\t\"b\"\n)\n"))
}

// holds says whether the lines of block stand in source, at any indentation. Of
// an import declaration, which may import more there, each line by itself.
func holds(source, block string) bool {
	if strings.HasPrefix(block, "import (") {
		for line := range strings.Lines(block) {
			if !strings.Contains(source, line) {
				return false
			}
		}
		return true
	}
	for tabs := range 5 {
		indented := regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(block, strings.Repeat("\t", tabs)+"$1")
		if strings.Contains("\n"+source, "\n"+indented) {
			return true
		}
	}
	return false
}

// goBlocks returns the fenced blocks of Go in a Markdown text.
func goBlocks(markdown string) []string {
	return groups(regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(markdown, -1))
}

// groups returns the first group of each match.
func groups(matches [][]string) []string {
	var all []string
	for _, m := range matches {
		all = append(all, m[1])
	}
	return all
}

func docText(t *testing.T) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	require.NoError(t, err)
	require.Empty(t, file.Decls, "package lro has no code")
	return file.Doc.Text()
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}
