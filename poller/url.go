package poller

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// urlOf is the text of the URL that answered.
func urlOf(ans wire.Answer) string {
	if ans.Text != "" {
		return ans.Text
	}
	return ans.URL.String()
}

// resolveRef resolves a URL that a service gave against the one that gave it.
// An absolute URL stays as it is, byte for byte. An empty one stays empty.
func resolveRef(base, ref string) (string, error) {
	text, _, err := resolveURL(base, ref)
	return text, err
}

// resolveURL is resolveRef that returns the URL parsed, too: nil for an empty one.
func resolveURL(base, ref string) (string, *url.URL, error) {
	if ref == "" {
		return "", nil, nil
	}
	ref = encoded(ref)
	u, _, err := wire.ParseURL(ref)
	if err != nil {
		return "", nil, fmt.Errorf("%w: unparsable URL", lroerrors.ErrNoOperation)
	}
	if !u.IsAbs() {
		b, err := url.Parse(base)
		if err != nil {
			return "", nil, fmt.Errorf("%w: unparsable URL", lroerrors.ErrNoOperation)
		}
		ref = b.ResolveReference(&u).String()
		if u, _, err = wire.ParseURL(ref); err != nil { // "//::" is one that its own text is not
			return "", nil, fmt.Errorf("%w: unparsable URL", lroerrors.ErrNoOperation)
		}
	}
	if u.Host == "" {
		return "", nil, fmt.Errorf("%w: a URL without a host", lroerrors.ErrNoOperation)
	}
	return withoutUserInfo(ref), &u, nil
}

var (
	userInfo = regexp.MustCompile(`^(\s*(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)[^/?#]*@`) // of a URL (RFC 3986, section 3.2.1)
	anywhere = regexp.MustCompile(`([/\\]{2})[^/\\?#\s"<>]*@`)                     // of what may hold one
)

// withoutUserInfo takes the user-info out of a URL that is stored, and leaves a
// sign of it, for such a URL is not asked. The rest stays, byte for byte.
func withoutUserInfo(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	return userInfo.ReplaceAllString(s, "${1}user-info@")
}

// withoutAnyUserInfo does the same for a header, which may be a URL or hold some.
// What could not be parsed as a URL cannot be afterwards: it would be followed.
func withoutAnyUserInfo(name, s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err == nil && (u.Host != "" || strings.HasPrefix(u.Path, "/") || slices.Contains(linkHeaders, name)) {
		return withoutUserInfo(s)
	}
	return anywhere.ReplaceAllString(s, "${1}%user-info@")
}

var linkHeaders = []string{headerAsync, headerOpLocation, headerLocation, "Content-Location"}

// encoded returns ref as text. What is no UTF-8 net/http would encode the same
// way, and a token could not hold it.
func encoded(ref string) string {
	if utf8.ValidString(ref) {
		return ref
	}
	var b strings.Builder
	for i := range len(ref) {
		if ref[i] < utf8.RuneSelf {
			b.WriteByte(ref[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", ref[i])
		}
	}
	return b.String()
}
