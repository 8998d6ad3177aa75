package ibmcloud

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/lro-go/lro/poller"
)

// usualTargets are the members in which services send the location of the target resource; the
// handbook does not specify one. Members whose names suggest a location come first.
var usualTargets = []string{
	"/resource_href", "/target_href", "/resource/href", "/target/href", "/resource/url", "/target/url", "/resource", "/target",
}

// result returns the result of an operation that succeeded, or its URL.
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

// named returns the result whose location is at the caller's pointer Target. A missing location is
// an error, because the caller would mistake any other document for the resource.
func (o Operation) named(a poller.Answer) poller.Result {
	ref := a.Text(o.Target)
	if ref == "" {
		ref = a.Text(o.Target + "/href")
	}
	if ref == "" {
		return poller.Result{Err: fmt.Errorf("the operation does not name its resource at %q, the Target of the ibmcloud.Operation", o.Target)}
	}
	if u, err := url.Parse(ref); err != nil || u.Scheme != "" && u.Scheme != "https" && u.Scheme != "http" {
		return poller.Result{Err: fmt.Errorf("the value at %q, the Target of the ibmcloud.Operation, is not a URL", o.Target)}
	}
	return poller.Result{URL: ref}
}

// itself returns the operation as its own result, or an error if the operation names a
// resource in an unknown form.
func (o Operation) itself(a poller.Answer) poller.Result {
	for _, ptr := range []string{"/resource", "/target", "/resource_href", "/target_href"} {
		if raw, ok := a.Lookup(ptr); ok && strings.Trim(string(raw), `nul{}"[] `) != "" {
			return poller.Result{Err: fmt.Errorf("the operation names its resource at %q, but not by a URL; set the Target of the ibmcloud.Operation, or FinalStateVia", ptr)}
		}
	}
	return poller.Result{Body: a.Body}
}

// isLocation reports whether s is a URL rather than an ID or a CRN, which would also parse as a
// URL.
func isLocation(s string) bool {
	for _, prefix := range []string{"https://", "http://", "/", "./", "../"} {
		if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
			return true
		}
	}
	return false
}
