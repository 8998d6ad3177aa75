package ibmcloud

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// link returns where the answer that began an operation says that its status is:
// Location, else Content-Location (API handbook, "Headers"), else the member at
// href.
func link(a poller.Answer, href string) string {
	for _, name := range []string{"Location", "Content-Location"} {
		if s := strings.TrimSpace(a.Header.Get(name)); s != "" {
			return s
		}
	}
	return text(a, href)
}

// location returns the URL at a pointer, or the href of the object there.
func location(a poller.Answer, pointer string) string {
	if s := text(a, pointer); s != "" {
		return s
	}
	return text(a, pointer+"/href")
}

// isReference tells a URL from an ID, or from a CRN, which parses as a URL.
func isReference(s string) bool {
	u, err := url.Parse(s)
	if err != nil || !strings.Contains(s, "/") {
		return false
	}
	return u.Scheme == "" || u.Scheme == "https" || u.Scheme == "http"
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

// resolve resolves a URL that a service gave against the one that gave it. An
// absolute one stays as it is, byte for byte.
func resolve(base, ref string) (string, error) {
	u, err := url.Parse(ref)
	if err != nil {
		return "", fmt.Errorf("%w: unparsable URL", lroerrors.ErrNoOperation)
	}
	if u.IsAbs() {
		return ref, nil
	}
	b, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("%w: unparsable URL", lroerrors.ErrNoOperation)
	}
	return b.ResolveReference(u).String(), nil
}

// withQueryOf gives a URL without a query that of the first request.
func withQueryOf(target, ref string) string {
	t, err := url.Parse(target)
	if err != nil || t.RawQuery == "" || strings.ContainsAny(ref, "?#") {
		return ref
	}
	return ref + "?" + t.RawQuery
}
