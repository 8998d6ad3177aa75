package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDefaultsAreDocumented requires that the documentation of each number and duration in an options
// struct says what 0 means in the same words.
func TestDefaultsAreDocumented(t *testing.T) {
	options := []string{"Options", "Cadence", "Patience", "WatchOptions", "GroupOptions", "Check"}
	numbers := []string{"int", "int64", "Duration"}
	var found []string
	for _, folder := range []string{"poller", "poller/check", "transport", "pager"} {
		for _, exported := range parse(t, "../../"+folder).Types {
			fields, isStruct := exported.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
			if !isStruct || !slices.Contains(options, exported.Name) {
				continue
			}
			for _, field := range fields.Fields.List {
				if !slices.Contains(numbers, typeName(field.Type)) {
					continue
				}
				name := exported.Name + "." + field.Names[0].Name
				comment := strings.Join(strings.Fields(field.Doc.Text()+field.Comment.Text()), " ")
				require.Contains(t, comment, "by default", "%s: %s", folder, name)
				found = append(found, name)
			}
		}
	}
	require.GreaterOrEqual(t, len(found), 20, "%v", found)
}

// typeName returns the last part of the name of a type, or "".
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
