package ibmcloud

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/lro-go/lro/poller"
)

// link returns the value of the first of the headers that is not blank, or else the text of the
// member at the JSON pointer href.
func link(a poller.Answer, headers []string, href string) string {
	for _, name := range headers {
		if s := strings.TrimSpace(a.Header.Get(name)); s != "" {
			return s
		}
	}
	return a.Text(href)
}

// below returns rawURL with name appended to its path, and with its query unchanged. It returns ""
// if rawURL cannot be parsed.
func below(rawURL, name string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return u.JoinPath(name).String()
}

// isSame reports whether two URLs name the same resource. It ignores the query and differences
// in spelling.
func isSame(a, b string) bool { return a != "" && bare(a) == bare(b) }

// isNear reports whether either URL is at or below the other. The result is false if the first URL
// is directly below a path segment "operations".
func isNear(a, b string) bool {
	if isOneOfOperations(a) {
		return false
	}
	a, b = bare(a)+"/", bare(b)+"/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// isOneOfOperations reports whether a URL is directly below a path segment "operations".
func isOneOfOperations(rawURL string) bool {
	u, err := url.Parse(bare(rawURL))
	return err == nil && path.Base(path.Dir(u.EscapedPath())) == "operations" && path.Clean(u.Path) == u.Path
}

// isOperationOf reports whether rawURL must belong to an operation that a request to target
// started. Such a URL is directly below a path segment "operations", which is below target or one
// of its parents. Because the service chose rawURL, Cancel does not delete any other kind of URL.
func isOperationOf(rawURL, target string) bool {
	if !isOneOfOperations(rawURL) {
		return false
	}
	op, target := bare(rawURL), bare(target)+"/"
	home := op[:strings.LastIndex(op, "/operations/")+1]
	return !strings.HasPrefix(target, op+"/") && (strings.HasPrefix(target, home) || strings.HasPrefix(home, target))
}

// bare normalizes a URL for comparison: it drops the query, the fragment, a default
// port and trailing slashes.
func bare(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return rawURL
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if port := map[string]string{"https": ":443", "http": ":80"}[scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/")
}

// withQueryOf returns ref with the query of target, unless ref has a query of its own.
func withQueryOf(target, ref string) string {
	t, err := url.Parse(target)
	if err != nil || t.RawQuery == "" || strings.Contains(ref, "?") {
		return ref
	}
	ref, _, _ = strings.Cut(ref, "#")
	return ref + "?" + t.RawQuery
}

// cancelBy returns the request that cancels an operation (API handbook, "Cancellation"). "DELETE
// operations MUST be idempotent", so a 404, 409 or 410 means that the operation has already ended.
func cancelBy(rawURL string) *poller.Request {
	return &poller.Request{
		Method: http.MethodDelete,
		URL:    rawURL,
		OK:     []int{http.StatusNotFound, http.StatusConflict, http.StatusGone},
	}
}
