package house

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestDocs checks that the code in the documentation matches the files that it quotes, and that the
// targets of links exist.
func TestDocs(t *testing.T) {
	wrong, err := wrongDocs(root)
	require.NoError(t, err)
	require.Empty(t, wrong)
}

func TestWrongDocs(t *testing.T) {
	const source = "package a\n\nfunc one() {\n\tx := 1\n\tif x > 0 {\n\t\tuse(x)\n\t}\n}\n\nfunc two() {}\n"
	block := func(comment string, lines ...string) string {
		return comment + "\n```go\n" + strings.Join(lines, "\n") + "\n```\n"
	}
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"verbatim", "docs/a.md", block("<!-- a.go -->", "func one() {", "\tx := 1"), nil},
		{"less indented", "docs/a.md", block("<!-- a.go -->", "if x > 0 {", "\tuse(x)", "}"), nil},
		{"with a gap", "docs/a.md", block("<!-- a.go -->", "func one() {", "\t// ...", "}", "// ...", "func two() {}"), nil},
		{"an empty line before the block", "docs/a.md", block("<!-- a.go -->\n", "func two() {}"), nil},
		{"another language", "docs/a.md", "```sh\ngo run .\n```\n", nil},
		{"an import without a comment", "README.md", block("", "import (", "\t\"errors\"", ")"), nil},
		{"a page that quotes nothing", "SECURITY.md", block("", "nonsense"), nil},

		{"changed", "docs/a.md", block("<!-- a.go -->", "func one() {", "\tx := 2"), []string{"docs/a.md:2: not in a.go: func one() {"}},
		{"changed in the README", "README.md", block("<!-- a.go -->", "func three() {}"), []string{"README.md:2: not in a.go: func three() {}"}},
		{"lines left out without a gap", "docs/a.md", block("<!-- a.go -->", "func one() {", "\tif x > 0 {"), []string{"docs/a.md:2: not in a.go: func one() {"}},
		{"another order", "docs/a.md", block("<!-- a.go -->", "func two() {}", "// ...", "func one() {"), []string{"docs/a.md:2: not in a.go: func one() {"}},
		{"indented differently", "docs/a.md", block("<!-- a.go -->", "if x > 0 {", "use(x)"), []string{"docs/a.md:2: not in a.go: if x > 0 {"}},
		{"no such file", "docs/a.md", block("<!-- b.go -->", "func two() {}"), []string{"docs/a.md:2: the file b.go does not exist"}},
		{"nothing but a gap", "docs/a.md", block("<!-- a.go -->", "// ..."), []string{"docs/a.md:2: an empty block"}},
		{"a transcript", "docs/a.md", "<!-- t.http -->\n```http\n### 0s\nGET /a HTTP/1.1\n```\n", nil},
		{"a transcript that has changed", "docs/a.md", "<!-- t.http -->\n```http\nGET /b HTTP/1.1\n```\n", []string{"docs/a.md:2: not in t.http: GET /b HTTP/1.1"}},
		{"a script that has changed", "docs/a.md", "<!-- s.mjs -->\n```js\nsend()\n```\n", []string{"docs/a.md:2: not in s.mjs: send()"}},
		{"a transcript without a comment", "docs/a.md", "```http\nGET /a HTTP/1.1\n```\n", []string{"docs/a.md:1: http that names no file"}},
		{"in the README, without a comment", "README.md", block("", "nonsense"), []string{"README.md:2: go that names no file"}},
		{"without a comment", "docs/deep/a.md", block("", "func two() {}"), []string{"docs/deep/a.md:2: go that names no file"}},

		{"good links", "docs/a.md", "# A *b* `c`-d, E!\n[x](../a.go) [y](#a-b-c-d-e) [z](https://example.com/none#x) ![p](../docs/a.md#a-b-c-d-e)", nil},
		{"a link in code", "docs/a.md", "`[x](none)`\n```md\n[x](none)\n```\n", nil},
		{"a folder", "README.md", "[x](docs)", nil},
		{"the second heading with the same name", "README.md", "# A\n# A\n[x](#a-1)", nil},
		{"a file that is not there", "docs/a.md", "[x](a.go)", []string{"docs/a.md:1: the link leads nowhere: a.go"}},
		{"a heading that is not there", "README.md", "# A\n[x](docs/b.md#b) [y](#b)", []string{"README.md:2: the page has no such heading: #b"}},
		{"a heading of another page that is not there", "README.md", "[x](docs/b.md#c)", []string{"README.md:1: the page has no such heading: docs/b.md#c"}},
		{"in a module", "poller/m/README.md", "[x](../../a.go) [y](a.go)", []string{"poller/m/README.md:1: the link leads nowhere: a.go"}},
		{"a picture", "README.md", `<img src="none.svg">`, []string{"README.md:1: the link leads nowhere: none.svg"}},
	}
	for _, tt := range tests {
		fsys := fstest.MapFS{"a.go": {Data: []byte(source)}, "README.md": {}, "docs/b.md": {Data: []byte("# B\n")}, "s.mjs": {Data: []byte("follow()\n")}, "t.http": {Data: []byte("# It is read.\n### 0s\nGET /a HTTP/1.1\n")}}
		fsys[tt.file] = &fstest.MapFile{Data: []byte(tt.text)}
		got, err := wrongDocs(fsys)
		require.NoError(t, err)
		require.Equal(t, tt.want, got, tt.name)
	}
}

// wrongDocs returns one line for each mistake in the repository's Markdown files.
func wrongDocs(fsys fs.FS) (wrong []string, err error) {
	var pages []string
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipIfForeign(name)
		}
		if path.Ext(name) == ".md" {
			pages = append(pages, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, name := range pages {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		prose, blocks := split(string(text))
		for _, b := range blocks {
			if what := b.wrong(fsys, name == "README.md" || strings.HasPrefix(name, "docs/")); what != "" {
				wrong = append(wrong, fmt.Sprintf("%s:%d: %s", name, b.line, what))
			}
		}
		for i, line := range prose {
			for _, link := range links(line) {
				if what := wrongLink(fsys, name, link); what != "" {
					wrong = append(wrong, fmt.Sprintf("%s:%d: %s", name, i+1, what))
				}
			}
		}
	}
	return wrong, nil
}
