package transport

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// bearerClaims finds the claims parameter of a Bearer challenge, even if it follows other
// parameters (RFC 9110, section 11.6.1). The claims are base64, so they contain no escapes.
var bearerClaims = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|,)[ \t]*bearer[ \t]+(?:[^\s=",]+[ \t]*=[ \t]*(?:"(?:[^"\\]|\\.)*"|[^\s",]+)[ \t]*,[ \t]*)*` +
		`claims[ \t]*=[ \t]*"([A-Za-z0-9+/_-]+)=*"`)
})

// claimsOf returns the claims that a 401 requires in the next token, as JSON, or "" if it
// requires none (Microsoft identity platform, "Claims challenges").
func claimsOf(h http.Header) string {
	for _, challenge := range h.Values("WWW-Authenticate") {
		for _, m := range bearerClaims().FindAllStringSubmatch(challenge, -1) {
			encoded := strings.NewReplacer("-", "+", "_", "/").Replace(m[1])
			if claims, err := base64.RawStdEncoding.DecodeString(encoded); err == nil && json.Valid(claims) {
				return string(claims)
			}
		}
	}
	return ""
}
