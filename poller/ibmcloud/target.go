package ibmcloud

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/lro-go/lro/poller"
)

// usualTargets are the members that may hold the location of the target resource; the
// handbook does not name one. Members named as a location come first.
var usualTargets = []string{
	"/resource_href", "/target_href", "/resource/href", "/target/href", "/resource/url", "/target/url", "/resource", "/target",
}

// result returns where the result of an operation that succeeded is.
func (o Operation) result(a poller.Answer) poller.Result {
	switch {
	case a.Method == http.MethodDelete:
		return poller.Result{}
	case a.FinalStateVia == poller.FinalStateViaOriginalURI && a.Target != "":
		return poller.Result{URL: a.Target}
	case a.FinalStateVia == poller.FinalStateViaOpLocation, a.FinalStateVia == poller.FinalStateViaAzureAsyncOp:
		return poller.Result{Body: a.Body}
	case o.Target != "":
		return o.named(a)
	}
	for _, ptr := range usualTargets {
		if ref := a.Text(ptr); isLocation(ref) {
			return poller.Result{URL: ref}
		}
	}
	if replaces(a) && a.Target != "" {
		return poller.Result{URL: a.Target}
	}
	return o.itself(a)
}

// named returns the result at the member that the caller named. A missing member is an
// error, because anything else would be mistaken for the resource.
func (o Operation) named(a poller.Answer) poller.Result {
	ref := a.Text(o.Target)
	if ref == "" {
		ref = a.Text(o.Target + "/href")
	}
	if ref == "" {
		return poller.Result{Err: fmt.Errorf("the operation names no resource at %q, its Operation.Target", o.Target)}
	}
	if u, err := url.Parse(ref); err != nil || u.Scheme != "" && u.Scheme != "https" && u.Scheme != "http" {
		return poller.Result{Err: fmt.Errorf("the operation's value at %q, its Operation.Target, is not a URL", o.Target)}
	}
	return poller.Result{URL: ref}
}

// itself returns the operation as its own result. If the operation names a resource in
// a form that cannot be read, the result is an error.
func (o Operation) itself(a poller.Answer) poller.Result {
	for _, ptr := range []string{"/resource", "/target", "/resource_href", "/target_href"} {
		if raw, ok := a.Lookup(ptr); ok && strings.Trim(string(raw), `nul{}"[] `) != "" {
			return poller.Result{Err: fmt.Errorf("the operation names its resource at %q, but not by a URL; say where that is in Operation.Target, or with FinalStateVia", ptr)}
		}
	}
	return poller.Result{Body: a.Body}
}

// isLocation reports whether s is a URL, and not an ID or a CRN, which parses as a URL.
func isLocation(s string) bool {
	for _, prefix := range []string{"https://", "http://", "/", "./", "../"} {
		if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
			return true
		}
	}
	return false
}
