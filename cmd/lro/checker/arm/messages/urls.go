package messages

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
	"github.com/lro-go/lro/transport"
)

// urls holds the rules for the URLs in headers.
var urls = rule.Table{Topic: "URLs in headers", Rules: []rule.Rule{
	locationAbsolute(),
	statusURLAbsolute(),
	locationHost(),
	statusURLHost(),
	urlScheme(),
	locationVersion(),
	statusURLVersion(),
	deleteScope(),
	operationID(),
}}

func locationAbsolute() rule.Rule {
	return rule.Rule{
		ID: "arm-location-absolute", Severity: rule.Must,
		Title:   "The URL in the Location header is absolute.",
		Source:  arm.Async("Asynchronous Operations", "Location header should be absolute URI (partial URI is not supported)."),
		Quirks:  []string{"W14"},
		Client:  "A client that does not resolve relative URLs cannot follow the operation.",
		Example: "Location: /operationResults/1?api-version=2026-01-01",
		On:      linking(arm.Location), Broken: relative(arm.Location),
	}
}

func statusURLAbsolute() rule.Rule {
	return rule.Rule{
		ID: "arm-status-url-absolute", Severity: rule.Must,
		Title:   "The URL in the Azure-AsyncOperation or Operation-Location header is absolute.",
		Source:  arm.Async("Asynchronous Operations", "Azure-AsyncOperation header should be absolute URI (partial URI is not supported)."),
		Quirks:  []string{"W19/invalid"},
		Client:  "A client that does not resolve relative URLs cannot follow the operation.",
		Example: "Azure-AsyncOperation: https:///operationsStatuses/1",
		On:      linking(arm.AsyncOperation, arm.OperationLocation), Broken: relative(arm.AsyncOperation, arm.OperationLocation),
	}
}

func locationHost() rule.Rule {
	return rule.Rule{
		ID: "arm-location-host", Severity: rule.Must,
		Title:   "The URL in the Location header has the same host as the request.",
		Source:  arm.Async("202 Accepted and Location Headers", "The URI host must be the same as the host in the referer header."),
		Quirks:  []string{"W12"},
		Client:  "A careful client refuses to send its credential to another host, so it cannot follow the operation. A careless client leaks the credential.",
		Example: "Location: https://widgets.example.net/operationResults/1",
		On:      linking(arm.Location), Broken: elsewhere(arm.Location),
	}
}

func statusURLHost() rule.Rule {
	return rule.Rule{
		ID: "arm-status-url-host", Severity: rule.Must,
		Title:   "The URL in the Azure-AsyncOperation or Operation-Location header has the same host as the request.",
		Source:  arm.Async("202 Accepted and Location Headers", "The endpoint must be determined by the hostname of the URI in the referer header."),
		Client:  "A careful client refuses to send its credential to another host, so it cannot follow the operation. A careless client leaks the credential.",
		Example: "Azure-AsyncOperation: https://10.0.0.7/operationsStatuses/1",
		On:      linking(arm.AsyncOperation, arm.OperationLocation), Broken: elsewhere(arm.AsyncOperation, arm.OperationLocation),
	}
}

func urlScheme() rule.Rule {
	return rule.Rule{
		ID: "arm-url-scheme", Severity: rule.Must,
		Title:   "If the operation was started over https, the URLs in the headers use https.",
		Source:  arm.Async("202 Accepted and Location Headers", "The URI in the location header should be a full absolute URI and a public facing URI."),
		Quirks:  []string{"W61"},
		Client:  "A client sends its credential unencrypted, or refuses to follow the operation.",
		Example: "Location: http://management.example.com:80/operationResults/1",
		On:      linking(linkHeaders...), Broken: plainText,
	}
}

func locationVersion() rule.Rule {
	return rule.Rule{
		ID: "arm-location-version", Severity: rule.Should,
		Title:   "The URL in the Location header has an api-version.",
		Source:  arm.Async("202 Accepted and Location Headers", "https://<endpoint>/subscriptions/{subscriptionId}/providers/{namespace}/operationResults/{operationId}?api-version={api-version}"),
		Quirks:  []string{"W15"},
		Client:  "A client that uses the URL unchanged gets a 400, because Azure Resource Manager requires an api-version.",
		Example: "Location: https://management.example.com/operationResults/1",
		On:      linking(arm.Location), Broken: unversioned(arm.Location),
	}
}

func statusURLVersion() rule.Rule {
	return rule.Rule{
		ID: "arm-status-url-version", Severity: rule.Should,
		Title:   "The URL in the Azure-AsyncOperation or Operation-Location header has an api-version.",
		Source:  arm.Async("202 Accepted and Location Headers", "https://<endpoint>/subscriptions/{subscriptionId}/providers/{namespace}/operationResults/{operationId}?api-version={api-version}"),
		Client:  "A client that uses the URL unchanged gets a 400, because Azure Resource Manager requires an api-version.",
		Example: "Azure-AsyncOperation: https://management.example.com/operationsStatuses/1",
		On:      linking(arm.AsyncOperation, arm.OperationLocation), Broken: unversioned(arm.AsyncOperation, arm.OperationLocation),
	}
}

func deleteScope() rule.Rule {
	return rule.Rule{
		ID: "arm-delete-scope", Severity: rule.Should,
		Title:   "The Location URL in the response to a DELETE is not below the URL of the deleted resource.",
		Source:  arm.Async("202 Accepted and Location Headers", "If operationResults is exposed under resource scope, then for long running operations like delete, operationResults resource will not be accessible when the resource gets deleted."),
		Client:  "Once the resource is gone, a client gets a 404 instead of the result.",
		Example: "DELETE /widgets/w1 → Location: https://management.example.com/widgets/w1/operationResults/1",
		On:      rule.Only(linking(arm.Location), func(op *trace.Operation, _ *trace.Exchange) bool { return op.Method == http.MethodDelete }),
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			u := x.Resolve(x.Header.Get(arm.Location))
			if u != nil && strings.HasPrefix(strings.ToLower(u.Path), strings.ToLower(op.First().Path())+"/") {
				return "the Location is below the resource that is deleted"
			}
			return ""
		},
	}
}

func operationID() rule.Rule {
	return rule.Rule{
		ID: "arm-operation-id", Severity: rule.Should,
		Title:   "The ID of an operation differs from the request ID and the correlation ID.",
		Source:  arm.Async("Operation result rules", "For example, the operation ID should not be the same as the correlation ID or request ID."),
		Client:  "Anyone who sees these IDs in a log can read the status of the operation.",
		Example: "x-ms-request-id: 7f3e… with Location: https://management.example.com/operationResults/7f3e…",
		On:      linking(linkHeaders...), Broken: idOfRequest,
	}
}

// linkHeaders are the headers that may contain the URL of an operation.
var linkHeaders = []string{arm.AsyncOperation, arm.OperationLocation, arm.Location}

// linking selects the responses to the request that starts the operation and to reads of the
// status, if the response is a 2xx with at least one of the headers.
func linking(headers ...string) rule.Selector {
	return rule.With(func(_ *trace.Operation, x *trace.Exchange) bool {
		if x.Role != trace.Start && x.Role != trace.Status || !x.OK() {
			return false
		}
		return links(x, headers...) != nil
	})
}

// links returns the URLs in the given headers of x.
func links(x *trace.Exchange, headers ...string) (found []string) {
	for _, name := range headers {
		if link := x.Header.Get(name); link != "" {
			found = append(found, link)
		}
	}
	return found
}

// eachLink returns a Check that applies a function to each URL in the headers and returns the first
// result that is not empty.
func eachLink(headers []string, broken func(op *trace.Operation, x *trace.Exchange, link string) string) rule.Check {
	return func(op *trace.Operation, x *trace.Exchange) string {
		for _, link := range links(x, headers...) {
			if text := broken(op, x, link); text != "" {
				return text
			}
		}
		return ""
	}
}

func relative(headers ...string) rule.Check {
	return eachLink(headers, func(_ *trace.Operation, _ *trace.Exchange, link string) string {
		u, err := url.Parse(link)
		if err != nil || u.Scheme == "" || u.Host == "" {
			return "the URL is not absolute: " + link
		}
		return ""
	})
}

func elsewhere(headers ...string) rule.Check {
	return eachLink(headers, func(op *trace.Operation, x *trace.Exchange, link string) string {
		asked, err := url.Parse(op.URL)
		u := x.Resolve(link)
		if err != nil || u == nil || host(u) == host(asked) {
			return ""
		}
		return "the host is " + u.Host + ", and the request was sent to " + asked.Host
	})
}

// host returns the host of a URL in lower case, and adds the port if the URL has one other than 80
// and 443, the default ports of http and https.
func host(u *url.URL) string {
	port := u.Port()
	if port == "" || port == "80" || port == "443" {
		return strings.ToLower(u.Hostname())
	}
	return strings.ToLower(u.Hostname()) + ":" + port
}

// plainText reports an http URL in a header if the operation was started over https.
func plainText(op *trace.Operation, x *trace.Exchange) string {
	if !strings.HasPrefix(op.URL, "https://") {
		return ""
	}
	for _, link := range links(x, linkHeaders...) {
		u := x.Resolve(link)
		if u != nil && u.Scheme == "http" {
			return "the URL has http: " + link
		}
	}
	return ""
}

// unversioned returns a Check that reports an operation URL without an api-version if the first
// request had one.
func unversioned(headers ...string) rule.Check {
	return eachLink(headers, func(op *trace.Operation, x *trace.Exchange, link string) string {
		u := x.Resolve(link)
		isOperation := u != nil && !strings.EqualFold(u.Path, op.First().Path())
		if isOperation && arm.LacksVersion(op, link) {
			return "the URL has no api-version: " + link
		}
		return ""
	})
}

func idOfRequest(_ *trace.Operation, x *trace.Exchange) string {
	for _, link := range links(x, linkHeaders...) {
		u := x.Resolve(link)
		if u == nil {
			continue
		}
		for _, name := range []string{"X-Ms-Request-Id", "X-Ms-Correlation-Request-Id"} {
			if id := x.Header.Get(name); id != "" && strings.EqualFold(id, path.Base(u.Path)) {
				return "the ID of the operation is the " + strings.ToLower(name)
			}
		}
	}
	return ""
}

// sameOrigin reports whether two URLs have the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	one, err := transport.Origin(a)
	other, otherErr := transport.Origin(b)
	return err == nil && otherErr == nil && one == other
}
