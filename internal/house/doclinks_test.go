package house

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// docLink matches a link in a doc comment, such as [Type.Method] or [encoding/json.Decoder].
var docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?([\w./-]+)\](?:$|[\s.,:;)'])`)

// TestDocLinks checks that each link in a doc comment leads to an existing name. go doc shows a
// broken link as text in brackets.
func TestDocLinks(t *testing.T) {
	l := loader{fsys: root, set: token.NewFileSet(), others: exported(t), packages: map[string]*loadedPackage{}}
	for _, folder := range product(t) {
		p, err := l.load(folder)
		require.NoError(t, err)
		for _, link := range l.brokenLinks(p) {
			t.Error(link)
		}
	}
}

// brokenLinks returns one line for each broken link in a package's comments.
func (l *loader) brokenLinks(p *loadedPackage) (broken []string) {
	imports := l.imports(p)
	for _, file := range p.files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				text := strings.TrimPrefix(c.Text, "//")
				if strings.HasPrefix(text, "\t") { // code
					continue
				}
				for _, m := range docLink.FindAllStringSubmatch(text, -1) {
					if !l.leads(imports, m[1]) {
						broken = append(broken, fmt.Sprintf("%s: [%s]", p.set.Position(c.Pos()), m[1]))
					}
				}
			}
		}
	}
	return broken
}

// imports returns the packages that p imports, by name, and p itself under the name "". The value
// for a package that the loader does not know is nil.
func (l *loader) imports(p *loadedPackage) map[string]*types.Package {
	imports := map[string]*types.Package{"": p.types}
	for _, file := range p.files {
		for _, spec := range file.Imports {
			from := strings.Trim(spec.Path.Value, `"`)
			imported, err := l.Import(from)
			name := path.Base(from)
			if err == nil {
				name = imported.Name()
			}
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = imported
		}
	}
	return imports
}

// leads reports whether a link leads to an existing name. It also returns true for text that is not
// a link, and for every name in a package that is imported but unknown to the loader.
func (l *loader) leads(imports map[string]*types.Package, link string) bool {
	folder, rest := path.Split(link)
	parts := strings.Split(rest, ".")
	pkg := ""
	if !token.IsExported(parts[0]) {
		pkg, parts = folder+parts[0], parts[1:]
	}

	in, isImported := imports[pkg]
	if !isImported { // then pkg may be an import path
		in, _ = l.Import(pkg)
	}
	if in == nil {
		isText := folder == "" && len(parts) == 0
		return isImported || isText
	}
	if len(parts) == 0 {
		return true
	}
	o := in.Scope().Lookup(parts[0])
	if o == nil || len(parts) == 1 {
		return o != nil
	}
	member, _, _ := types.LookupFieldOrMethod(o.Type(), true, in, parts[1])
	return member != nil
}

func TestBrokenLinks(t *testing.T) {
	const text = `// Package a is [T], [T.M], [*T.F], [unknown.Name] and [b.N].
//
// [c.N] and [T.G] are gone, and so is [U]. Neither [x] nor a[T] is a link.
//
//	[Code]
//
// [github.com/lro-go/lro/b.N.M], [github.com/lro-go/lro/b] and [github.com/lro-go/lro/c].
package a

import b "github.com/lro-go/lro/b"

import "nested.test/unknown"

type T struct{ F b.N }

func (T) M() {}
`
	l := loader{
		fsys: fstest.MapFS{"a/a.go": {Data: []byte(text)}, "b/b.go": {Data: []byte("package b\n\ntype N interface{ M() }\n")}},
		set:  token.NewFileSet(), others: nowhere, packages: map[string]*loadedPackage{},
	}
	p, err := l.load("a")
	require.NoError(t, err)
	require.Equal(t, []string{"a/a.go:3:1: [c.N]", "a/a.go:3:1: [T.G]", "a/a.go:3:1: [U]", "a/a.go:7:1: [github.com/lro-go/lro/c]"}, l.brokenLinks(p))
}
