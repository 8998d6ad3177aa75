package lro_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/transport"
)

// everyWhere is a text with a credential at each place where one would stand.
const everyWhere = `https://u:CANARY@h.test/p?sig=CANARY "https://h.test/?sig=CANARY" Bearer CANARY`

// printed has a value of each exported type that a program could print. Those of
// ibmcloud are words and pointers of the program's own.
var printed = map[string]any{
	"errors.Detail": lroerrors.Detail{}, "errors.AdditionalInfo": lroerrors.AdditionalInfo{}, "errors.StatusError": lroerrors.StatusError{},
	"errors.OperationError": lroerrors.OperationError{}, "errors.ResultError": lroerrors.ResultError{}, "errors.WaitError": lroerrors.WaitError{},
	"poller.Answer": poller.Answer{}, "poller.Move": poller.Move{}, "poller.Result": poller.Result{}, "poller.Request": poller.Request{},
	"poller.Options": poller.Options{}, "poller.Check": poller.Check{}, "poller.Repeat": poller.Repeat{}, "poller.Status": poller.Status{}, "poller.Cadence": poller.Cadence{}, "poller.Patience": poller.Patience{},
	"poller.GroupOptions": poller.GroupOptions{}, "poller.GroupStats": poller.GroupStats{},
	"pager.Options": pager.Options{}, "pager.Page": pager.Page[string]{},
	"transport.Options": transport.Options{},

	// Made by their constructors: TestNoSecretIsTold prints them in use.
	"poller.Poller": nil, "poller.Group": nil, "pager.Pager": nil, "transport.Transport": nil,
	"ibmcloud.Operation": nil, "ibmcloud.Resource": nil,
}

var _ = ibmcloud.Operation{}

// TestEveryTypeIsPrintedWithoutSecrets fills each exported struct with credentials, and
// fails for one that is not in the list.
func TestEveryTypeIsPrintedWithoutSecrets(t *testing.T) {
	for _, name := range exportedStructs(t, "errors", "poller", "poller/ibmcloud", "pager", "transport") {
		v, known := printed[name]
		require.True(t, known, "%s is new: print it here", name)
		if v == nil {
			continue
		}
		full := reflect.New(reflect.TypeOf(v))
		fill(full.Elem(), 4)
		requireMum(t, full.Interface())
		requireMum(t, full.Elem().Interface())
		requireMum(t, []any{full.Elem().Interface()})
	}
}

// requireMum demands that no way to print or log v tells a canary.
func requireMum(t *testing.T, v any) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(verb, v), "CANARY", "%s of %T", verb, v)
	}
	if reflect.TypeOf(v) != nil && reflect.TypeOf(v).Kind() == reflect.Slice {
		return // log/slog makes JSON of what it does not know
	}
	var b bytes.Buffer
	opts := &slog.HandlerOptions{Level: slog.LevelDebug}
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, opts), slog.NewJSONHandler(&b, opts)} {
		slog.New(h).Info("x", "v", v, slog.Group("g", "v", v))
	}
	require.NotContains(t, b.String(), "CANARY", "a log of %T", v)
}

// fill gives every field a credential.
func fill(v reflect.Value, depth int) {
	if depth == 0 || !v.CanSet() {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *http.Header:
		*x = http.Header{"Authorization": {"Bearer CANARY"}}
		return
	case *error:
		*x = errors.New(everyWhere)
		return
	case *http.RoundTripper:
		*x = keeper{"CANARY"}
		return
	case *poller.Strategy:
		*x = keeper{"CANARY"}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(everyWhere)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth-1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(everyWhere))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth-1)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, depth)
		}
	}
}

// keeper holds a credential as a caller's own type may.
type keeper struct{ secret string }

func (keeper) RoundTrip(*http.Request) (*http.Response, error) { return nil, http.ErrNotSupported }

func (keeper) Step(poller.Answer) (poller.Move, error) { return poller.Move{}, poller.ErrNoStatus }

// exportedStructs are the exported struct types of the packages, as "package.Name".
func exportedStructs(t *testing.T, dirs ...string) (names []string) {
	t.Helper()
	for _, dir := range dirs {
		pkgs, err := parser.ParseDir(token.NewFileSet(), dir, func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0) //nolint:staticcheck // no build tags here
		require.NoError(t, err)
		for _, pkg := range pkgs {
			ast.Inspect(pkg, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() {
					if _, is := spec.Type.(*ast.StructType); is {
						names = append(names, path.Base(dir)+"."+spec.Name.Name)
					}
				}
				_, inFunc := n.(*ast.FuncDecl)
				return !inFunc
			})
		}
	}
	require.NotEmpty(t, names)
	return names
}
