package security

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/aip151"
	"github.com/lro-go/lro/poller/fhir"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/redfish"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
	"github.com/lro-go/lro/transport"
)

// canaryEverywhere has a credential in every position where this module masks one.
const canaryEverywhere = `https://u:CANARY@h.test/p?sig=CANARY "https://h.test/?sig=CANARY" Bearer CANARY`

// printed maps each exported struct type's name to a value of that type, or to nil if
// TestEveryTypeIsPrintedWithoutSecrets does not print the type. Strategies are not printed, because
// they cannot contain secrets.
var printed = map[string]any{
	"errors.Detail": lroerrors.Detail{}, "errors.AdditionalInfo": lroerrors.AdditionalInfo{}, "errors.StatusError": lroerrors.StatusError{},
	"errors.OperationError": lroerrors.OperationError{}, "errors.ResultError": lroerrors.ResultError{}, "errors.WaitError": lroerrors.WaitError{},
	"strategy.Answer": strategy.Answer{}, "strategy.Move": strategy.Move{}, "strategy.Result": strategy.Result{}, "poller.Request": poller.Request{},
	"poller.Options": poller.Options{}, "poller.WatchOptions": poller.WatchOptions{}, "poller.Check": poller.Check{}, "poller.Status": poller.Status{}, "poller.Cadence": poller.Cadence{}, "poller.Patience": poller.Patience{},
	"poller.GroupOptions": poller.GroupOptions{}, "poller.Step": poller.Step[int]{}, "poller.GroupStats": poller.GroupStats{},
	"pager.Options": pager.Options{}, "pager.Page": pager.Page[int]{},
	"transport.Options": transport.Options{}, "transport.Token": transport.Token{}, "transport.TokenRequest": transport.TokenRequest{},

	// Pollers, Groups, Pagers and Transports come only from constructors. TestNoSecretIsShown and
	// TestNoSecretOfListingIsShown print them.
	"poller.Poller": nil, "poller.Group": nil, "pager.Pager": nil, "transport.Transport": nil,
	"ibmcloud.Operation": nil, "resource.Strategy": nil, "aip151.Operation": nil, "fhir.Async": nil, "redfish.TaskMonitor": nil,
}

var (
	_ = aip151.Operation{}
	_ = fhir.Async{}
	_ = ibmcloud.Operation{}
	_ = redfish.TaskMonitor{}
	_ = resource.Strategy{}
)

// hiding has the names of the types that hide credentials even from %#v and JSON, because they
// contain tokens, headers, bodies, memos or URLs with queries.
var hiding = []string{"strategy.Answer", "strategy.Move", "strategy.Result", "poller.Request", "poller.Options", "pager.Options", "transport.Options", "transport.Token"}

// TestEveryTypeIsPrintedWithoutSecrets fills each exported struct with credentials and prints it.
// Every exported struct must be in the map named printed.
func TestEveryTypeIsPrintedWithoutSecrets(t *testing.T) {
	for _, name := range exportedStructs(t, "errors", "poller", "poller/ibmcloud", "poller/resource", "poller/aip151", "poller/fhir", "poller/redfish", "pager", "transport") {
		v, known := printed[name]
		require.True(t, known, "%s is new: print it here", name)
		if v == nil {
			continue
		}
		full := reflect.New(reflect.TypeOf(v))
		fill(full.Elem(), canaryEverywhere, 4)
		for _, v := range []any{full.Interface(), full.Elem().Interface(), []any{full.Elem().Interface()}} {
			requireNoCanary(t, v)
			requireNoCanaryInText(t, v)
		}
		if err, isError := reflect.TypeAssert[error](full); isError {
			requireNoCanaryInLog(t, err)
		}
		if slices.Contains(hiding, name) {
			requireHidden(t, v)
		}
	}
}

// requireHidden puts canaries into all fields of v's type that may contain a secret. It fails the
// test if %#v, JSON or a log then shows a canary.
func requireHidden(t *testing.T, v any) {
	t.Helper()
	full := reflect.New(reflect.TypeOf(v))
	fill(full.Elem(), "word", 4)
	for _, v := range []any{full.Interface(), full.Elem().Interface()} {
		require.NotContains(t, fmt.Sprintf("%#v", v), "CANARY", "%T", v)
		requireNoCanaryInJSON(t, v)
		requireNoCanaryInLog(t, v)
	}
}

// requireNoCanary fails the test if fmt or v's String method shows a canary.
func requireNoCanary(t *testing.T, v any) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(verb, v), "CANARY", "%s of %T", verb, v)
	}
	if s, ok := v.(fmt.Stringer); ok {
		require.NotContains(t, s.String(), "CANARY", "String of %T", v)
	}
}

// requireNoCanaryInLog fails the test if logging v shows a canary.
func requireNoCanaryInLog(t *testing.T, v any) {
	t.Helper()
	requireNoCanaryInText(t, v)
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "v", v, slog.Group("g", "v", v))
	require.NotContains(t, b.String(), "CANARY", "a JSON log of %T", v)
}

func requireNoCanaryInText(t *testing.T, v any) {
	t.Helper()
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "v", v, slog.Group("g", "v", v))
	require.NotContains(t, b.String(), "CANARY", "a log of %T", v)
}

// holdsSecrets lists the fields that may contain a URL with a query, a request or response body, or
// a memo.
var holdsSecrets = []string{"URL", "Target", "Poll", "Else", "From", "Body", "Memo"}

// fill puts a canary into each field of v that may contain a credential, and the given word into
// all other strings.
func fill(v reflect.Value, word string, depth int) {
	if depth == 0 || !v.CanSet() {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *http.Header:
		*x = http.Header{"Authorization": {"Bearer CANARY"}}
		return
	case *error:
		*x = errors.New(canaryEverywhere)
		return
	case *json.RawMessage:
		*x = json.RawMessage(jsonText(word)) // not always a canary, because lro masks the JSON in a service's error only when it reads the response
		return
	case *http.RoundTripper:
		*x = secretHolder{"CANARY"}
		return
	case *poller.Strategy:
		*x = secretHolder{"CANARY"}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(word)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), word, depth-1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(canaryEverywhere))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), word, depth-1)
	case reflect.Struct:
		for about, field := range v.Fields() {
			if slices.Contains(holdsSecrets, about.Name) && v.Type() != reflect.TypeFor[lroerrors.Detail]() {
				fill(field, canaryEverywhere, depth)
			} else {
				fill(field, word, depth)
			}
		}
	}
}

// A secretHolder is a caller-defined type that contains a credential.
type secretHolder struct{ secret string }

func (secretHolder) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, http.ErrNotSupported
}

func (secretHolder) Step(strategy.Answer) (strategy.Move, error) {
	return strategy.Move{}, strategy.ErrNoStatus
}

// exportedStructs returns the names of the exported struct types in the given folders, such as
// "poller.Options".
func exportedStructs(t *testing.T, dirs ...string) (names []string) {
	t.Helper()
	for _, dir := range dirs {
		pkgs, err := parser.ParseDir(token.NewFileSet(), filepath.Join("..", "..", dir), func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0) //nolint:staticcheck // these packages have no build tags
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
