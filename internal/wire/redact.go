package wire

import (
	"net/url"

	lroerrors "github.com/lro-go/lro/errors"
)

// Redacted returns a URL fit for an error or a log: without query, fragment and
// user-info, where signatures and passwords stand.
func Redacted(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return "(unparsable URL)"
	}
	return RedactedURL(u)
}

// Text returns a service's own words fit for a log: on one line, bounded, and
// without the places where a credential would stand.
func Text(s string) string {
	if s == "" {
		return ""
	}
	return lroerrors.Detail{Message: s}.Error()
}

// RedactedURL does the same for a parsed URL.
func RedactedURL(u *url.URL) string {
	if u == nil {
		return ""
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return bare.String()
}
