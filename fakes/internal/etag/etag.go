// Package etag evaluates the conditions of requests (RFC 9110, section 13.1).
//
// It handles entity tags and the headers If-Match and If-None-Match. It knows nothing about
// resources or the meaning of a body. It is a separate package because nothing in it depends on a
// service.
//
// Its entry points are [Of] and [Check].
package etag

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Of returns a strong entity tag for a body. Different bodies have different tags.
func Of(body []byte) string {
	sum := sha256.Sum256(body)
	return fmt.Sprintf(`"%x"`, sum[:8])
}

// Check returns 0 if a resource meets the conditions in h. Otherwise it returns the status code of
// the response: 304 for a GET of a resource that the client already has, or 412. tag is the
// resource's entity tag, or "" if the resource does not exist. An empty header sets no condition
// (the contract, "ETags for Resources").
func Check(method string, h http.Header, tag string) int {
	match := tags(strings.Join(h.Values("If-Match"), ","))
	if len(match) > 0 && !includes(match, tag) {
		return http.StatusPreconditionFailed
	}
	// In If-None-Match, a weak tag matches the strong tag with the same value (section 13.1.2). In
	// If-Match, a weak tag never matches (section 13.1.1).
	none := tags(strings.ReplaceAll(strings.Join(h.Values("If-None-Match"), ","), "W/", ""))
	if !includes(none, tag) {
		return 0
	}
	if method == http.MethodGet {
		return http.StatusNotModified
	}
	return http.StatusPreconditionFailed
}

// tags returns the entity tags in a header. It splits the header at commas, which never occur in a
// tag from Of.
func tags(header string) []string {
	list := strings.Split(header, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return slices.DeleteFunc(list, func(tag string) bool { return tag == "" })
}

// includes reports whether list contains tag or an asterisk. It returns false for the tag "" of a
// missing resource.
func includes(list []string, tag string) bool {
	return tag != "" && (slices.Contains(list, tag) || slices.Contains(list, "*"))
}
