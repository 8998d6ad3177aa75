package exchange

import (
	"slices"
	"strings"
)

// Upgrade returns the https form of an http URL from a service such as Kudu (quirk W61). It changes
// only the scheme and the port. The host must be allowed over https, and both URLs must use the
// default port of their scheme. Any other URL is returned unchanged. Call Upgrade only for a URL
// from a response that came over https.
func (o Origins) Upgrade(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	if !strings.EqualFold(scheme, "http") {
		return url
	}
	u := Link(url).Parse()
	origin, err := OriginOf(u)
	if err != nil {
		return url
	}

	port := u.Port()
	isDefault := port == "" || port == "80"
	_, host, _ := strings.Cut(origin, "://")
	if !isDefault || !slices.Contains(o.list, "https://"+host) {
		return url
	}

	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	address := strings.TrimSuffix(rest[:end], ":"+port) // also removes the colon before an empty port
	return "https://" + address + rest[end:]
}
