package transport

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// claimsParameter finds the claims parameter of a challenge (RFC 9110, section 11.6.1).
// base64 needs no escapes.
var claimsParameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[ \t,]claims[ \t]*=[ \t]*"([A-Za-z0-9+/_-]+)=*"`)
})

// claimsOf returns the claims that a 401 demands of the next token, as JSON, or "" if it
// demands none (Microsoft identity platform, "Claims challenges").
func claimsOf(h http.Header) string {
	for _, challenge := range h.Values("WWW-Authenticate") {
		if m := claimsParameter().FindStringSubmatch(challenge); m != nil {
			encoded := strings.NewReplacer("-", "+", "_", "/").Replace(m[1])
			if claims, err := base64.RawStdEncoding.DecodeString(encoded); err == nil && json.Valid(claims) {
				return string(claims)
			}
		}
	}
	return ""
}
