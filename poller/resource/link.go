package resource

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/lro-go/lro/poller/strategy"
)

// below returns rawURL with name appended to its path and the query unchanged, or "" if rawURL
// cannot be parsed.
func below(rawURL, name string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return u.JoinPath(name).String()
}

// withQueryOf returns ref with target's query, unless ref has its own query.
func withQueryOf(target, ref string) string {
	if strings.Contains(ref, "?") {
		return ref
	}
	t, err := url.Parse(target)
	if err != nil || t.RawQuery == "" {
		return ref
	}
	ref, _, _ = strings.Cut(ref, "#")
	return ref + "?" + t.RawQuery
}

// cancelBy returns a DELETE of rawURL that cancels an operation. A 404, 409 or 410 means that the
// operation has already ended.
func cancelBy(rawURL string) *strategy.Request {
	return &strategy.Request{
		Method: http.MethodDelete,
		URL:    rawURL,
		OK:     []int{http.StatusNotFound, http.StatusConflict, http.StatusGone},
	}
}
