package wire

import "net/url"

// Redacted returns a URL fit for an error or a log: without query, fragment and
// user-info, where signatures and passwords stand.
func Redacted(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return "(unparsable URL)"
	}
	return RedactedURL(u)
}

// RedactedURL does the same for a parsed URL.
func RedactedURL(u *url.URL) string {
	if u == nil {
		return ""
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return bare.String()
}
