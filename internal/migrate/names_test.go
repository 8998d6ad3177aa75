package migrate

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNames checks that the guides give a replacement for each name that the peers' packages
// export.
func TestNames(t *testing.T) {
	const (
		azcore = "github.com/Azure/azure-sdk-for-go/sdk/azcore/"
		client = "github.com/hashicorp/go-azure-sdk/sdk/client"
	)
	for page, packages := range map[string][]string{
		"from-azcore.md":       {azcore + "runtime", azcore + "policy", azcore + "fake"},
		"from-go-azure-sdk.md": {client, client + "/pollers", client + "/resourcemanager"},
	} {
		text, err := os.ReadFile(filepath.Join("../../docs", page))
		require.NoError(t, err)
		named := column(string(text), 1)
		for _, pkg := range packages {
			names := exported(t, pkg, false)
			require.Greater(t, len(names), 5, pkg)
			for _, name := range names {
				require.Contains(t, named, "`"+name+"`", "%s does not map a name of %s", page, pkg)
			}
		}
	}
}

// TestOurNames checks that our packages export each of our names that the guides mention.
func TestOurNames(t *testing.T) {
	ours := map[string][]string{}
	for name, pkg := range map[string]string{
		"poller": "poller", "pager": "pager", "transport": "transport", "fakes": "fakes", "lroerrors": "errors", "lroazcore": "poller/lroazcore",
	} {
		ours[name] = exported(t, "github.com/lro-go/lro/"+pkg, true)
	}
	found := 0
	for _, page := range []string{"from-azcore.md", "from-go-azure-sdk.md"} {
		text, err := os.ReadFile(filepath.Join("../../docs", page))
		require.NoError(t, err)
		for _, m := range regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z.]*)`").FindAllStringSubmatch(column(string(text), 2), -1) {
			if names, ok := ours[m[1]]; ok {
				require.Contains(t, names, m[2], "%s names %s", page, m[0])
				found++
			}
		}
	}
	require.Greater(t, found, 50)
}

// column returns the cells of the nth column, counted from 1, in all tables on a page.
func column(page string, n int) string {
	var cells strings.Builder
	for line := range strings.Lines(page) {
		if all := strings.Split(line, "|"); len(all) > n+1 {
			cells.WriteString(all[n])
		}
	}
	return cells.String()
}

// exported returns the names that a package exports. The names of methods and fields include the
// type, as in Poller.Done. Fields are listed only if fields is set.
func exported(t *testing.T, pkg string, fields bool) (names []string) {
	t.Helper()
	found, err := build.Import(pkg, ".", 0)
	require.NoError(t, err)
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(found.Dir, name), nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			for _, name := range declared(decl, fields) {
				parts := strings.Split(name, ".")
				if ast.IsExported(parts[0]) && ast.IsExported(parts[len(parts)-1]) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func declared(decl ast.Decl, fields bool) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		return []string{receiver(d.Recv.List[0].Type) + "." + d.Name.Name}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
				if st, ok := s.Type.(*ast.StructType); ok && fields {
					names = append(names, members(s.Name.Name, st)...)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

func members(typ string, st *ast.StructType) (names []string) {
	for _, field := range st.Fields.List {
		for _, n := range field.Names {
			names = append(names, typ+"."+n.Name)
		}
	}
	return names
}

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
