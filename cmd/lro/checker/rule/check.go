package rule

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// A Check returns a description of the mistake in an exchange, or "" if the exchange is correct.
type Check = func(*trace.Operation, *trace.Exchange) string

// CodeOtherThan returns a Check that reports any status code other than the given codes.
func CodeOtherThan(codes ...int) Check {
	return func(_ *trace.Operation, x *trace.Exchange) string {
		if slices.Contains(codes, x.StatusCode) {
			return ""
		}
		return "the response is " + Code(x)
	}
}

// Code returns the status code and the status text of the response, such as "404 Not Found".
func Code(x *trace.Exchange) string {
	return strings.TrimSpace(fmt.Sprint(x.StatusCode, " ", http.StatusText(x.StatusCode)))
}

// LacksText returns a Check that reports a body in which the value at a JSON pointer is missing,
// empty or not a string.
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

// LacksHeader returns a Check that reports a missing or empty header.
func LacksHeader(name string) Check {
	return func(_ *trace.Operation, x *trace.Exchange) string {
		if x.Header.Get(name) != "" {
			return ""
		}
		return "the response has no " + name
	}
}
