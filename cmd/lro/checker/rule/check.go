package rule

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// A Check returns what is wrong with an exchange, or "" if nothing is.
type Check = func(*trace.Operation, *trace.Exchange) string

// CodeOtherThan returns a check that a response has one of the status codes.
func CodeOtherThan(codes ...int) Check {
	return func(_ *trace.Operation, x *trace.Exchange) string {
		if slices.Contains(codes, x.StatusCode) {
			return ""
		}
		return "the response is " + Code(x)
	}
}

// Code says which status code a response has.
func Code(x *trace.Exchange) string {
	return strings.TrimSpace(fmt.Sprint(x.StatusCode, " ", http.StatusText(x.StatusCode)))
}

// LacksText returns a check that the body has a string at a JSON pointer, and not an empty one.
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

// LacksHeader returns a check that a response has a header.
func LacksHeader(name string) Check {
	return func(_ *trace.Operation, x *trace.Exchange) string {
		if x.Header.Get(name) != "" {
			return ""
		}
		return "the response has no " + name
	}
}

// Unwanted returns a check that fails for every selected exchange.
func Unwanted(text string) Check {
	return func(*trace.Operation, *trace.Exchange) string { return text }
}
