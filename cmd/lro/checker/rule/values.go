package rule

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// Differs describes the first member whose value in the body of x differs from the value that was
// sent, or returns "" if no member differs.
//
// It ignores members that x does not show, such as passwords, and members that the service sets.
// Strings that differ only in case or spaces are equal, because services normalize names:
// "West US" becomes "westus".
func Differs(sent []byte, x *trace.Exchange) string {
	var want map[string]any
	got, ok := x.Object()
	if json.Unmarshal(sent, &want) != nil || !ok {
		return ""
	}
	return differsAt("", want, got)
}

// ownMembers are the members that the service sets, regardless of what the client sends.
var ownMembers = []string{"provisioningState", "etag", "systemData"}

func differsAt(where string, want, got any) string {
	object, isObject := want.(map[string]any)
	shown, isShown := got.(map[string]any)
	if !isObject || !isShown {
		if same(want, got) {
			return ""
		}
		return fmt.Sprintf("%s is %v instead of %v", where, got, want)
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value, ok := shown[name]
		if !ok || slices.Contains(ownMembers, name) {
			continue
		}
		if text := differsAt(strings.TrimPrefix(where+"."+name, "."), object[name], value); text != "" {
			return text
		}
	}
	return ""
}

// same reports whether two values are equal. In strings, it ignores case and spaces.
func same(want, got any) bool {
	a, isText := want.(string)
	b, alsoText := got.(string)
	if isText && alsoText {
		return strings.EqualFold(strings.ReplaceAll(a, " ", ""), strings.ReplaceAll(b, " ", ""))
	}
	return reflect.DeepEqual(want, got)
}
