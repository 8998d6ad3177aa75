package ibmcloud

import (
	"net/http"
	"net/url"
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
