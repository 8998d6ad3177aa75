package house

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// counted holds the figures for one folder. The line counts include blank lines and comments,
// because people read those as well.
type counted struct {
	folder               string
	source, tests        int   // line counts
	files, funcs         []int // the line count of each file and of each function, not including tests
	exported, documented int   // how many exported names there are, and how many have a comment
	examples, fuzzed     int
	bare                 []string // exported names without a comment
	long                 []string // files and functions that are longer than the limits
}

const (
	maxFile = 400
	maxFunc = 80
)

// count reads the Go files in one folder and returns the figures for it.
func count(fsys fs.FS, folder string) (counted, error) {
	c := counted{folder: folder}
	names, err := fs.Glob(fsys, path.Join(folder, "*.go"))
	if err != nil {
		return c, err
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return c, err
		}
		file, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			return c, err
		}
		c.add(set, name, text, file)
		parsed = append(parsed, file)
	}
	if len(parsed) == 0 {
		return c, nil
	}
	return c, c.names(set, parsed)
}

func (c *counted) add(set *token.FileSet, name string, text []byte, file *ast.File) {
	lines := bytes.Count(text, []byte("\n"))
	if strings.HasSuffix(name, "_test.go") {
		c.tests += lines
	} else {
		c.source += lines
		c.files = append(c.files, lines)
	}
	if lines > maxFile {
		c.long = append(c.long, name)
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			c.function(set, name, f)
		}
	}
}

func (c *counted) function(set *token.FileSet, name string, f *ast.FuncDecl) {
	lines := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
	if !strings.HasSuffix(name, "_test.go") {
		c.funcs = append(c.funcs, lines)
		if lines > maxFunc {
			c.long = append(c.long, name+": "+f.Name.Name)
		}
		return
	}
	switch {
	case f.Recv != nil:
	case strings.HasPrefix(f.Name.Name, "Example"):
		c.examples++
	case strings.HasPrefix(f.Name.Name, "Fuzz"):
		c.fuzzed++
	}
}

// names counts the exported names that go doc shows.
func (c *counted) names(set *token.FileSet, files []*ast.File) error {
	files = slices.DeleteFunc(files, func(f *ast.File) bool { return strings.HasSuffix(set.Position(f.Pos()).Filename, "_test.go") })
	if len(files) == 0 || files[0].Name.Name == "main" {
		return nil
	}
	p, err := doc.NewFromFiles(set, files, c.folder)
	if err != nil {
		return err
	}
	c.values(p.Consts)
	c.values(p.Vars)
	c.functions("", p.Funcs)
	for _, t := range p.Types {
		c.name(t.Name, t.Doc)
		c.values(t.Consts)
		c.values(t.Vars)
		c.functions("", t.Funcs)
		c.functions(t.Name+".", t.Methods)
	}
	return nil
}

func (c *counted) functions(of string, funcs []*doc.Func) {
	for _, f := range funcs {
		c.name(of+f.Name, f.Doc)
	}
}

// values counts the exported names in constant and variable declarations. Each name in a
// declaration may have its own comment.
func (c *counted) values(decls []*doc.Value) {
	for _, d := range decls {
		for _, spec := range d.Decl.Specs {
			v := spec.(*ast.ValueSpec)
			for _, n := range v.Names {
				if n.IsExported() {
					c.name(n.Name, d.Doc+v.Doc.Text()+v.Comment.Text())
				}
			}
		}
	}
}

func (c *counted) name(name, comment string) {
	c.exported++
	if strings.TrimSpace(comment) == "" {
		c.bare = append(c.bare, c.folder+": "+name)
		return
	}
	c.documented++
}
