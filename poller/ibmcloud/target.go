package ibmcloud

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/lro-go/lro/poller/strategy"
)

// usualTargets lists the JSON pointers at which services return the target resource's location,
// because the handbook does not specify a member for it. Pointers whose names suggest a location
// come first.
var usualTargets = []string{
	"/resource_href", "/target_href", "/resource/href", "/target/href", "/resource/url", "/target/url", "/resource", "/target",
}

// result returns a successful operation's result, or the URL to read it from.
func (o Operation) result(a strategy.Answer) strategy.Result {
	if a.Method == http.MethodDelete {
		return strategy.Result{}
	}

	switch a.FinalStateVia {
	case strategy.FinalStateViaOriginalURI:
		if a.Target != "" {
			return strategy.Result{URL: a.Target}
		}
	case strategy.FinalStateViaOpLocation, strategy.FinalStateViaAzureAsyncOp:
		return strategy.Result{Body: a.Body}
	}
	if o.Target != "" {
		return o.resultAtTarget(a)
	}

	for _, ptr := range usualTargets {
		ref := a.Text(ptr)
		if isLocation(ref) {
			return strategy.Result{URL: ref}
		}
	}
	if replaces(a) && a.Target != "" {
		return strategy.Result{URL: a.Target}
	}
	return operationAsResult(a)
}

// resultAtTarget returns the URL at o.Target, or an error if the operation contains none. It does
// not fall back to the operation document, because that is not the resource.
func (o Operation) resultAtTarget(a strategy.Answer) strategy.Result {
	ref := cmp.Or(a.Text(o.Target), a.Text(o.Target+"/href"))
	if ref == "" {
		return strategy.Result{Err: fmt.Errorf("the operation does not name its resource at %q, the Target of the ibmcloud.Operation", o.Target)}
	}
	if !isHTTP(ref) {
		return strategy.Result{Err: fmt.Errorf("the value at %q, the Target of the ibmcloud.Operation, is not a URL", o.Target)}
	}
	return strategy.Result{URL: ref}
}

// operationAsResult returns the operation itself as the result, or an error if the operation names
// a resource in an unknown form.
func operationAsResult(a strategy.Answer) strategy.Result {
	for _, ptr := range []string{"/resource", "/target", "/resource_href", "/target_href"} {
		raw, _ := a.Lookup(ptr)
		isEmpty := strings.Trim(string(raw), `nul{}"[] `) == "" // absent, null, {}, "" or []
		if !isEmpty {
			return strategy.Result{Err: fmt.Errorf("the operation names its resource at %q, but not by a URL; set the Target of the ibmcloud.Operation, or FinalStateVia", ptr)}
		}
	}
	return strategy.Result{Body: a.Body}
}

// isHTTP reports whether s is a relative URL or has the scheme http or https.
func isHTTP(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "", "http", "https":
		return true
	}
	return false
}

// isLocation reports whether s starts like a URL. Parsing s is no help, because an ID or a CRN also
// parses as a URL.
func isLocation(s string) bool {
	s = strings.ToLower(s)
	for _, prefix := range []string{"https://", "http://", "/", "./", "../"} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}
