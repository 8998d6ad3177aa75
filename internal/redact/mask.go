package redact

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

// Masked returns s with REDACTED in place of everything that looks like a credential: URL queries,
// the values of Authorization headers, JSON web tokens, private keys, and values with names such as
// password. It removes user-info from URLs. It cannot find every credential, because services can
// write them in any form.
func Masked(s string) string {
	if isPlain(s) {
		return s
	}
	lower := strings.ToLower(s)
	for _, m := range masks() {
		switch {
		case !strings.Contains(lower, m.needs):
		case m.with == "":
			s = m.find.ReplaceAllStringFunc(s, maskCredential)
		default:
			s = m.find.ReplaceAllString(s, m.with)
		}
	}
	return maskNamed(s)
}

// isPlain reports whether s is only a word, an ID or a path, and so cannot contain a credential.
// Nearly every text in a status is plain.
func isPlain(s string) bool {
	for i := range len(s) {
		if !plain[s[i]] {
			return false
		}
	}
	return !strings.Contains(s, "eyJ")
}

// plain is the set of characters that may occur in names and paths.
var plain = func() (set [256]bool) {
	for c := range set {
		set[c] = c == '/' || !notInName(rune(c))
	}
	return set
}()

// A mask applies only to texts that contain its needs string, ignoring case. Each match of its find
// pattern is replaced according to its with template or, if that is empty, by maskCredential.
type mask struct {
	needs string
	find  *regexp.Regexp
	with  string
}

// masks returns the patterns of credentials. The patterns for URLs allow for slashes that are
// escaped in JSON, and for a text that was truncated before the @.
var masks = sync.OnceValue(func() []mask {
	const userInfo = `(\\?/\\?/)(?:[^\s/?#"<>\\]*|[^\s/?#"<>\\:\[]*:\d*[^\s\d/?#"<>\\][^\s"<>\\]*)` // also matches a password that contains a slash
	const credential = `(?:\s|%20)+[a-z0-9._~+/=:%&-]+`
	return []mask{
		{"@", regexp.MustCompile(userInfo + `@`), "$1"},
		{"…", regexp.MustCompile(userInfo + `…`), "$1"},
		{"%2f%2f", regexp.MustCompile(`(?i)(%2F%2F)[^\s"<>]*?(?:%40|…)`), "$1"},
		{"?", regexp.MustCompile(`(:\\?/\\?/[^\s?#"<>]*)\?[^\s"<>]+`), "$1?REDACTED"},
		{"?", regexp.MustCompile(`((?:^|[\s"'(])/[^\s?#"<>]*)\?[^\s"<>]+`), "$1?REDACTED"},
		{"=", regexp.MustCompile(`([?#])[^\s?#"<>]*=[^\s"<>]*`), "${1}REDACTED"},
		{"bearer", regexp.MustCompile(`(?i)\bbearer` + credential), ""},
		{"basic", regexp.MustCompile(`(?i)\bbasic` + credential), ""},
		{"shared", regexp.MustCompile(`(?i)\b(?:sharedkey|sharedkeylite|sharedaccesssignature)` + credential), ""},
		{"digest", regexp.MustCompile(`(?i)\b(digest\s+)username=.*`), "${1}REDACTED"},                                    // RFC 7616, section 3.4
		{"eyj", regexp.MustCompile(`\beyJ[\w-]+(?:\.[\w-]*)+`), "REDACTED"},                                               // RFC 7519, section 3; RFC 7516, section 3
		{"private key-", regexp.MustCompile(`(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END|$)`), "${1}REDACTED$2"}, // RFC 7468
	}
})

// maskCredential masks the credential in a text such as "Bearer eyJ…". It does not change phrases
// such as "bearer token" and "Basic tier", so that messages stay readable.
func maskCredential(s string) string {
	scheme, secret := s, ""
	if i := strings.IndexAny(s, " \t\n\f\r%"); i > 0 {
		scheme, secret = s[:i], strings.TrimPrefix(strings.TrimSpace(s[i:]), "%20")
	}
	switch strings.ToLower(scheme) {
	case "bearer":
		switch strings.ToLower(strings.Trim(secret, ".:")) {
		case "auth", "authentication", "authorization", "challenge", "header", "scheme", "token", "tokens":
			return s
		}
	case "basic":
		if !isUserPassword(secret) {
			return s
		}
	}
	return scheme + " REDACTED"
}

// isUserPassword reports whether s is a user name and a password, encoded as RFC 7617 requires,
// or the beginning of such a credential.
func isUserPassword(s string) bool {
	s = strings.TrimRight(s, "=.:")
	b, err := base64.RawStdEncoding.DecodeString(s[:len(s)/4*4])
	return err == nil && bytes.ContainsRune(b, ':')
}

// secretNames lists how the names of secrets end, in lower case and without "_", "-" and ".".
// "key" alone is not in the list, because a value with that name is usually not a secret.
var secretNames = []string{
	"password", "passwd", "passphrase", "pwd", "secret", "secretvalue", "token", "sig", "signature", "credential", "credentials",
	"authorization", "authorizationauxiliary", "cookie", "clientassertion", "sharedaccesssignature",
	"apikey", "accesskey", "accountkey", "sharedkey", "secretkey", "subscriptionkey", "privatekey", "primarykey", "secondarykey", "masterkey",
	"adminkey", "functionskey", "hostkey", "storagekey", "encryptionkey", "instrumentationkey",
}

// separators lists what may separate a name from a value: plain characters, and characters that
// are percent-encoded once or twice, or escaped in JSON.
var separators = []string{"=>", "=", ":", ">", "%3D", "%3A", "%253D", "%253A", `\u003d`, `\u003a`}

// quotes lists the forms of the quotation marks around a name or a value. A form comes before any
// other form that it contains.
var quotes = []string{`\\\"`, `\"`, `"`, `\'`, `'`, `\u0022`, `%22`, `%2522`, `&quot;`}

// maskNamed masks each value whose name suggests that the value is a secret, in queries,
// connection strings, headers, JSON, YAML and XML.
func maskNamed(s string) string {
	var b strings.Builder
	done := 0 // b has the masked form of s[:done]
	for i := 0; i < len(s); i++ {
		next := strings.IndexAny(s[i:], `=:>%\`) // each separator starts with one of these
		if next < 0 {
			break
		}
		i += next
		sep := prefixOf(s[i:], separators)
		if sep == "" {
			continue
		}
		name, nameQuote := nameBefore(s[:i])
		if name == "" || sep == ">" && !strings.HasSuffix(s[:i], name) { // "password > 12" is not XML
			continue
		}
		at := skip(s, i+len(sep), " \t[")
		quote := prefixOf(s[at:], quotes)
		at += len(quote)
		before, n := secret(s[at:], name, sep, nameQuote, quote)
		if n == 0 {
			continue
		}
		b.WriteString(s[done : at+before])
		if nameQuote != "" && quote == "" { // an unquoted value, such as a number in JSON
			b.WriteString(nameQuote + "REDACTED" + nameQuote)
		} else {
			b.WriteString("REDACTED")
		}
		done = at + before + n
		i = done - 1
	}
	return b.String() + s[done:]
}

// skip returns the index in s of the first character of s[i:] that is not in cutset.
func skip(s string, i int, cutset string) int { return len(s) - len(strings.TrimLeft(s[i:], cutset)) }

// prefixOf returns the prefix of s that equals an element of list, ignoring case, or "" if there is
// none. Earlier elements take precedence.
func prefixOf(s string, list []string) string {
	for _, p := range list {
		if len(s) >= len(p) && (s[0] == p[0]) && strings.EqualFold(s[:len(p)], p) {
			return s[:len(p)]
		}
	}
	return ""
}

// nameBefore returns the name at the end of s if it is the name of a secret, and the quotation
// mark that follows the name, if any.
func nameBefore(s string) (name, quote string) {
	const longest = 80
	s = strings.TrimRight(s[max(len(s)-longest, 0):], " \t")
	for _, q := range quotes {
		if strings.HasSuffix(s, q) {
			s, quote = s[:len(s)-len(q)], q
			break
		}
	}
	name = s[strings.LastIndexFunc(s, notInName)+1:]
	norm := normal(name)
	if norm == "key" && strings.HasSuffix(s, " "+name) { // such as "access key"
		before := s[:len(s)-len(name)-1]
		norm = normal(before[strings.LastIndexFunc(before, notInName)+1:]) + norm
	}
	for _, secret := range secretNames {
		if strings.HasSuffix(norm, secret) {
			return name, quote
		}
	}
	return "", ""
}

var normalizer = strings.NewReplacer("_", "", "-", "", ".", "")

func normal(name string) string { return strings.ToLower(normalizer.Replace(name)) }

func notInName(r rune) bool {
	return r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// secret returns the number of bytes in s before the secret, and the length of the secret. The
// length is 0 if s begins with an ordinary word instead of a secret, as in "Password: must have
// 12 characters".
func secret(s, name, sep, nameQuote, quote string) (before, n int) {
	if quote != "" {
		return 0, withoutEnd(s[:closing(s, quote)])
	}
	n = valueEnd(s, name, sep, nameQuote)
	if isOrdinary(s[:n]) && (nameQuote != "" || (sep == ":" || sep == ">") && isOrdinary(name)) {
		if !strings.HasSuffix(normal(name), "authorization") || n == len(s) || s[n] != ' ' {
			return 0, 0
		}
		before = n + 1 // skip the scheme, such as "Bearer "
		if n = valueEnd(s[before:], name, sep, nameQuote); isOrdinary(s[before : before+n]) {
			return 0, 0
		}
	}
	return before, withoutEnd(s[before : before+n])
}

// closing returns the index of the closing quotation mark. If s was truncated before it, closing
// returns the length of s.
func closing(s, quote string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && !strings.HasPrefix(s[i:], quote) {
			i++
		} else if strings.HasPrefix(s[i:], quote) {
			return i
		}
	}
	return len(s)
}

// valueEnd returns the index in s at which an unquoted value ends. Cookies and secrets in
// connection strings may contain characters that would end any other value.
func valueEnd(s, name, sep, nameQuote string) int {
	name = normal(name)
	isCookie, isSAS := strings.HasSuffix(name, "cookie"), strings.HasSuffix(name, "sharedaccesssignature")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\n', '"', '\'', '<', '>':
			return i
		case ';':
			next := skip(s, i+1, " ")
			if !isCookie || !isPair(s[next:]) {
				return i
			}
			i = next
		case '&':
			if !isSAS && isPair(strings.TrimPrefix(s[i+1:], "amp;")) {
				return i
			}
		case ',', '}', ']':
			if nameQuote != "" {
				return i
			}
		case '%', '\\':
			if c == '%' && sep[0] != '%' {
				continue
			}
			if end := prefixOf(s[i:], []string{"%26", "%2526", "%22", "%20", "%3B", `\u0026`, `\"`, `\n`}); end != "" {
				return i
			}
		}
	}
	return len(s)
}

// isPair reports whether s begins with a name and an equals sign.
func isPair(s string) bool {
	i := strings.IndexFunc(s, notInName)
	return i > 0 && (s[i] == '=' || s[i] == '%')
}

// withoutEnd returns the length of the value s without trailing punctuation, or 0 if the value
// contains no letter or digit.
func withoutEnd(s string) int {
	if s = strings.TrimRight(s, ".,:)]}"); strings.IndexFunc(s, func(r rune) bool { return !notInName(r) }) < 0 {
		return 0
	}
	return len(s)
}

// isOrdinary reports whether s is an ordinary word, that is, whether it consists only of letters,
// all in lower case except perhaps the first.
func isOrdinary(s string) bool {
	s = strings.TrimRight(s, ".,:;!?)")
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
