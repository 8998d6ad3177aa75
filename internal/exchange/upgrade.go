package exchange

import (
	"slices"
	"strings"
)

// Upgrade turns an http URL on the default port into an https URL if its host is allowed over https
// on the default port. The new URL names no port, and its other parts stay the same. Upgrade
// returns any other URL unchanged. Services such as Kudu send such http URLs in responses over
// https (quirk W61). Call Upgrade only for a URL from a response that came over https.
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
