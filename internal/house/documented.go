package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// EachDefault calls f for each numeric, duration or string field whose default is documented. T is
// an options struct of the package in folder. f gets the name of the type and the field, such as
// "Options.Timeout", and a new T in which only this field is set, to its documented default. The
// comment of a numeric field must state a default, such as "…; 30 s by default". EachDefault skips
// a default that is only described, such as "the code that the contract defines".
func EachDefault[T any](t *testing.T, folder string, f func(field string, opts *T)) {
	t.Helper()
	of := reflect.TypeFor[T]()
	comments := fieldComments(t, folder, of.Name())
	for i := range of.NumField() {
		field := of.Field(i)
		value, err := defaultIn(comments[field.Name], field.Type)
		if err != nil {
			t.Fatalf("%s.%s: %v", of, field.Name, err)
		}
		if value == nil {
			continue
		}
		opts := new(T)
		reflect.ValueOf(opts).Elem().Field(i).Set(reflect.ValueOf(value).Convert(field.Type))
		f(of.Name()+"."+field.Name, opts)
	}
}

// byDefault captures the words between the start of a sentence, or a semicolon, and "by default".
var byDefault = regexp.MustCompile(`(?:^|[.;] )([^.;]+) by default\b`)

// defaultIn returns the default stated in a field's comment. It returns nil if the comment only
// describes the default, or if the field is neither a number nor a string.
func defaultIn(comment string, of reflect.Type) (any, error) {
	text := ""
	found := byDefault.FindStringSubmatch(comment)
	if found != nil {
		text = found[1]
	}
	switch of {
	case reflect.TypeFor[string]():
		unquoted, err := strconv.Unquote(text)
		if err != nil {
			return nil, nil
		}
		return unquoted, nil
	case reflect.TypeFor[int](), reflect.TypeFor[int64](), reflect.TypeFor[time.Duration]():
		if strings.HasPrefix(text, "the ") {
			return nil, nil
		}
		return numberIn(text, of)
	}
	return nil, nil
}

// numberIn parses the documented default of a numeric or duration option. It returns -1 for "none"
// and "no limit", because a negative value means the same.
func numberIn(text string, of reflect.Type) (int64, error) {
	text = strings.ToLower(text)
	if text == "none" || text == "no limit" {
		return -1, nil
	}
	digits, unit, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the default %q is not a number: %w", text, err)
	}
	units := map[string]int64{"": 1, "mib": 1 << 20}
	if of == reflect.TypeFor[time.Duration]() {
		units = map[string]int64{"s": int64(time.Second), "min": int64(time.Minute), "h": int64(time.Hour)}
	}
	if units[unit] == 0 {
		return 0, fmt.Errorf("the default %q has an unknown unit", text)
	}
	return n * units[unit], nil
}

// fieldComments maps the name of each field of a struct type to the comment of the field.
func fieldComments(t *testing.T, folder, typeName string) map[string]string {
	t.Helper()
	comments := map[string]string{}
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fieldsOf(file, typeName) {
			for _, ident := range field.Names {
				comments[ident.Name] = commentOf(field)
			}
		}
	}
	return comments
}

// fieldsOf returns the fields of the struct type with the given name, or nil if the file does not
// declare it.
func fieldsOf(file *ast.File, typeName string) (fields []*ast.Field) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, isType := n.(*ast.TypeSpec)
		if !isType || spec.Name.Name != typeName {
			return true
		}
		declared, isStruct := spec.Type.(*ast.StructType)
		if isStruct {
			fields = declared.Fields.List
		}
		return false
	})
	return fields
}

// commentOf returns the comments above and next to a field, joined into one line.
func commentOf(field *ast.Field) string {
	return strings.Join(strings.Fields(field.Doc.Text()+" "+field.Comment.Text()), " ")
}
