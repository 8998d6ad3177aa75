package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The pages name everything that a user of the packages may have in hand.
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
		named := firstColumns(string(text))
		for _, pkg := range packages {
			names := exported(t, pkg)
			require.Greater(t, len(names), 5, pkg)
			for _, name := range names {
				require.Contains(t, named, "`"+name+"`", "%s does not name what %s has", page, pkg)
			}
		}
	}
}

// firstColumns are the cells of all tables that name what is theirs.
func firstColumns(page string) string {
	var named strings.Builder
	for line := range strings.Lines(page) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			named.WriteString(cells[1])
		}
	}
	return named.String()
}

// exported are the names that a package exports, those of methods with their type,
// as in Poller.Done.
func exported(t *testing.T, pkg string) (names []string) {
	t.Helper()
	found, err := build.Import(pkg, ".", 0)
	require.NoError(t, err)
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(found.Dir, name), nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			for _, name := range declared(decl) {
				parts := strings.Split(name, ".")
				if ast.IsExported(parts[0]) && ast.IsExported(parts[len(parts)-1]) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func declared(decl ast.Decl) (names []string) {
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
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
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
