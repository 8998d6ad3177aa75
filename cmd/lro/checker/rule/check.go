package rule

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// A Check returns what is wrong with an exchange, or "" if the exchange complies with the rule.
type Check = func(*trace.Operation, *trace.Exchange) string

// CodeOtherThan returns a Check that fails if the status code of the response is not among codes.
func CodeOtherThan(codes ...int) Check {
	return func(_ *trace.Operation, x *trace.Exchange) string {
		if slices.Contains(codes, x.StatusCode) {
			return ""
		}
		return "the response is " + Code(x)
	}
}

// Code returns the status code of a response with its name, such as "404 Not Found".
func Code(x *trace.Exchange) string {
	return strings.TrimSpace(fmt.Sprint(x.StatusCode, " ", http.StatusText(x.StatusCode)))
}

// LacksText returns a Check that fails if the value at a JSON pointer in the body is missing, is not a
// string, or is an empty string.
func LacksText(pointer string) Check {
	return func(_ *trace.Operation, x *trace.Exchange) string {
		if x.Text(pointer) != "" {
			return ""
		}
		name := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
		if x.Has(pointer) {
			return fmt.Sprintf("%s is not a string: %v", name, Value(x, pointer))
		}
		return "there is no " + name
	}
}

// LacksHeader returns a Check that fails if the response does not have the header.
func LacksHeader(name string) Check {
	return func(_ *trace.Operation, x *trace.Exchange) string {
		if x.Header.Get(name) != "" {
			return ""
		}
		return "the response has no " + name
	}
}
