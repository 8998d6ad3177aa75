package ibmcloud

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/lro-go/lro/poller/strategy"
)

// link returns the first header value that is not blank, or else the href in the body.
func link(a strategy.Answer, headers ...string) string {
	for _, name := range headers {
		value := strings.TrimSpace(a.Header.Get(name))
		if value != "" {
			return value
		}
	}
	return a.Text("/href")
}

// isSame reports whether two URLs name the same resource, ignoring the query and differences in
// spelling.
func isSame(a, b string) bool { return a != "" && bare(a) == bare(b) }

// isNear reports whether two URLs are equal or one of them is below the other. It returns false if
// the first URL names an operation, that is, if that URL is directly below a path segment
// "operations".
func isNear(a, b string) bool {
	if isBelowOperations(a) {
		return false
	}
	a = bare(a) + "/"
	b = bare(b) + "/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// isBelowOperations reports whether a URL is directly below a path segment "operations".
func isBelowOperations(rawURL string) bool {
	u, err := url.Parse(bare(rawURL))
	if err != nil {
		return false
	}
	parent := path.Base(path.Dir(u.EscapedPath()))
	return parent == "operations" && path.Clean(u.Path) == u.Path
}

// isOperationOf reports whether rawURL is certain to be the URL of an operation on target: directly
// below a path segment "operations", which is below target or one of its parents. Cancel sends a
// DELETE only to such a URL, because any other URL may name a resource.
func isOperationOf(rawURL, target string) bool {
	if !isBelowOperations(rawURL) {
		return false
	}
	op := bare(rawURL)
	target = bare(target) + "/"
	if strings.HasPrefix(target, op+"/") {
		return false
	}
	home := op[:strings.LastIndex(op, "/operations/")+1]
	return strings.HasPrefix(target, home) || strings.HasPrefix(home, target)
}

// bare normalizes a URL for comparison. It drops the query, the fragment, a default port and
// trailing slashes.
func bare(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return rawURL
	}
	scheme := strings.ToLower(u.Scheme)
	host := strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/")
}

// cancelBy returns the request that cancels an operation (API handbook, "Cancellation"). "DELETE
// operations MUST be idempotent", so a 404, 409 or 410 means that the operation has already ended.
func cancelBy(rawURL string) *strategy.Request {
	return &strategy.Request{
		Method: http.MethodDelete,
		URL:    rawURL,
		OK:     []int{http.StatusNotFound, http.StatusConflict, http.StatusGone},
	}
}
