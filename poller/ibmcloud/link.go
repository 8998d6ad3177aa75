package ibmcloud

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/lro-go/lro/poller"
)

// link returns what the first of the headers has, else the member at href.
func link(a poller.Answer, headers []string, href string) string {
	for _, name := range headers {
		if s := strings.TrimSpace(a.Header.Get(name)); s != "" {
			return s
		}
	}
	return a.Text(href)
}

// below returns the URL of something below the resource at rawURL, with the same
// query; "" where rawURL is none.
func below(rawURL, name string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return u.JoinPath(name).String()
}

// isSame reports whether two URLs are of one resource, however they are written and
// whatever they ask it.
func isSame(a, b string) bool { return a != "" && bare(a) == bare(b) }

// isNear reports whether one of two URLs is of the other's resource, or of something
// below it; but the one at a is not near if it is an operation by its name.
func isNear(a, b string) bool {
	if isOneOfOperations(a) {
		return false
	}
	a, b = bare(a)+"/", bare(b)+"/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// isOneOfOperations reports whether a URL is of a member of a collection of
// operations.
func isOneOfOperations(rawURL string) bool {
	u, err := url.Parse(bare(rawURL))
	return err == nil && path.Base(path.Dir(u.EscapedPath())) == "operations"
}

// bare is a URL without what does not tell one resource from another.
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

// withQueryOf gives a URL without a query that of the first request.
func withQueryOf(target, ref string) string {
	t, err := url.Parse(target)
	if err != nil || t.RawQuery == "" || strings.Contains(ref, "?") {
		return ref
	}
	ref, _, _ = strings.Cut(ref, "#")
	return ref + "?" + t.RawQuery
}

// cancelBy is the request that cancels (API handbook, "Cancellation"): "DELETE
// operations MUST be idempotent", so that what is not there, or not to be canceled
// any more, has ended.
func cancelBy(rawURL string) *poller.Request {
	return &poller.Request{
		Method: http.MethodDelete,
		URL:    rawURL,
		OK:     []int{http.StatusNotFound, http.StatusConflict, http.StatusGone},
	}
}
