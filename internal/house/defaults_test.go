package house

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// options lists the options structs whose names do not end in "Options".
var options = []string{
	"poller.Cadence", "poller.Patience", "poller/check.Check", "poller/resource.Strategy", "poller/ibmcloud.Operation", "poller/aip151.Operation",
	"poller/lrotf.Resource", "fakes.Service", "fakes.Plan", "fakes.Listing",
}

// noDefault lists the fields whose comments state no default. The fields of lrotf.Resource are
// functions that the caller provides. The others are options structs with fields of their own.
var noDefault = []string{
	"poller.Options.Cadence", "poller.Options.Patience", "poller.WatchOptions.Cadence", "poller.WatchOptions.Patience", "fakes.Service.Default",
	"poller/lrotf.Resource.Name", "poller/lrotf.Resource.BeginCreate", "poller/lrotf.Resource.BeginUpdate", "poller/lrotf.Resource.BeginDelete",
	"poller/lrotf.Resource.Client", "poller/lrotf.Resource.Get", "poller/lrotf.Resource.Set",
}

// Each option's comment must state the default in the form "…; 30 s by default". Bools are exempt,
// because their comments say what true means.
func TestDefaultsAreDocumented(t *testing.T) {
	var structs, exempt []string
	for _, folder := range packagesWithOptions(t) {
		for _, exported := range parse(t, "../../"+folder).Types {
			name := folder + "." + exported.Name
			fields, isStruct := exported.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
			isOptions := strings.HasSuffix(exported.Name, "Options") || slices.Contains(options, name)
			if !isStruct || !isOptions {
				continue
			}
			structs = append(structs, name)
			for _, field := range fields.Fields.List {
				for _, ident := range field.Names {
					option := name + "." + ident.Name
					if slices.Contains(noDefault, option) {
						exempt = append(exempt, option)
						continue
					}
					if ident.IsExported() && typeName(field.Type) != "bool" {
						assert.Contains(t, strings.ToLower(commentOf(field)), "by default", option)
					}
				}
			}
		}
	}
	for _, name := range options {
		require.Contains(t, structs, name)
	}
	require.ElementsMatch(t, noDefault, exempt)
	require.Contains(t, structs, "poller/lroazcore.TokenOptions") // found because its name ends in Options
}

// packagesWithOptions returns the folders of all importable packages, any of which may have
// options.
func packagesWithOptions(t *testing.T) (folders []string) {
	t.Helper()
	for _, top := range []string{"errors", "transport", "pager", "poller", "fakes"} {
		err := filepath.WalkDir("../../"+top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "internal" || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			files, err := filepath.Glob(filepath.Join(path, "*.go"))
			if len(files) > 0 {
				folders = append(folders, strings.TrimPrefix(filepath.ToSlash(path), "../../"))
			}
			return err
		})
		require.NoError(t, err)
	}
	return folders
}

// typeName returns the name of a type without its package, or "" if the type has no name.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// parse returns the documentation of the package in a folder. It ignores test files.
func parse(t *testing.T, folder string) *doc.Package {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file)
	}
	require.NotEmpty(t, files, folder)
	p, err := doc.NewFromFiles(set, files, path.Join("github.com/lro-go/lro", filepath.ToSlash(folder)))
	require.NoError(t, err)
	return p
}
