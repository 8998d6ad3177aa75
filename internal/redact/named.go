package redact

import (
	"strings"
	"unicode/utf8"
)

// secretNames lists the endings of secrets' names, in lower case and without "_", "-" and ".". It
// omits "key", which rarely names a secret.
var secretNames = []string{
	"password", "passwd", "passphrase", "pwd", "secret", "secretvalue", "token", "sig", "signature", "credential", "credentials",
	"authorization", "authorizationauxiliary", "cookie", "clientassertion", "sharedaccesssignature",
	"apikey", "accesskey", "accountkey", "sharedkey", "secretkey", "subscriptionkey", "privatekey", "primarykey", "secondarykey", "masterkey",
	"adminkey", "functionskey", "hostkey", "storagekey", "encryptionkey", "instrumentationkey",
}

// separators lists what may separate a name from a value, in plain form, percent-encoded once or
// twice, or escaped in JSON.
var separators = []string{"=>", "=", ":", ">", "%3D", "%3A", "%253D", "%253A", `\u003d`, `\u003a`}

// quotes lists the forms of quotation marks around a name or a value. Longer forms come before the
// forms that they contain.
var quotes = []string{`\\\"`, `\"`, `"`, `\'`, `'`, `\u0022`, `%22`, `%2522`, `&quot;`}

// separatorStarts lists the characters that a separator may begin with.
const separatorStarts = `=:>%\`

// maskNamed masks each value whose name suggests a secret, in queries, connection strings, headers,
// JSON, YAML and XML.
func maskNamed(s string) string {
	var b strings.Builder
	done := 0 // b contains the masked form of s[:done]
	i := 0
	for {
		next := strings.IndexAny(s[i:], separatorStarts)
		if next < 0 {
			return b.String() + s[done:]
		}
		i += next

		found := secretAfter(s, i)
		if found.start == found.end {
			i++
			continue
		}
		b.WriteString(s[done:found.start])
		b.WriteString(found.mark)
		done = found.end
		i = done
	}
}

// A secret describes a credential in a string: where it starts and ends, and the mark that replaces
// it. If there is no credential, start equals end.
type secret struct {
	start, end int
	mark       string
}

// secretAfter returns the secret after the separator that begins at s[i], if any.
func secretAfter(s string, i int) secret {
	var p pair
	p.separator = prefixOf(s[i:], separators)
	if p.separator == "" {
		return secret{}
	}
	p.name, p.nameQuote = nameBefore(s[:i])
	if p.name == "" {
		return secret{}
	}
	if p.separator == ">" && !strings.HasSuffix(s[:i], p.name) { // "password > 12" is not XML
		return secret{}
	}

	at := skip(s, i+len(p.separator), " \t[")
	p.quote = prefixOf(s[at:], quotes)
	at += len(p.quote)
	skipped, length := p.secretIn(s[at:])
	start := at + skipped

	mark := "REDACTED"
	if p.nameQuote != "" && p.quote == "" { // keeps JSON valid if the value is unquoted, such as a number
		mark = p.nameQuote + mark + p.nameQuote
	}
	return secret{start, start + length, mark}
}

// skip returns the first index in s, from i on, whose character is not in cutset.
func skip(s string, i int, cutset string) int { return len(s) - len(strings.TrimLeft(s[i:], cutset)) }

// prefixOf returns the prefix of s that equals an element of list, ignoring case, or "" if s has no
// such prefix. Earlier elements take precedence.
func prefixOf(s string, list []string) string {
	for _, p := range list {
		if len(s) < len(p) || s[0] != p[0] {
			continue
		}
		prefix := s[:len(p)]
		if strings.EqualFold(prefix, p) {
			return prefix
		}
	}
	return ""
}

// suffixOf returns the first element of list that is a suffix of s, or "" if none is.
func suffixOf(s string, list []string) string {
	for _, q := range list {
		if strings.HasSuffix(s, q) {
			return q
		}
	}
	return ""
}

// nameBefore returns the name at the end of s if the name suggests a secret, and otherwise "". It
// also returns the quotation mark after the name, if any.
func nameBefore(s string) (name, quote string) {
	const longest = 80
	s = strings.TrimRight(s[max(len(s)-longest, 0):], " \t")
	quote = suffixOf(s, quotes)
	s = s[:len(s)-len(quote)]
	name = lastName(s)

	full := normal(name)
	if full == "key" { // for example in "access key"
		before, isSecondWord := strings.CutSuffix(s, " "+name)
		if isSecondWord {
			full = normal(lastName(before)) + full
		}
	}
	if suffixOf(full, secretNames) == "" {
		return "", ""
	}
	return name, quote
}

// lastName returns the name at the end of s, or "" if there is none.
func lastName(s string) string { return s[strings.LastIndexFunc(s, notInName)+1:] }

var normalizer = strings.NewReplacer("_", "", "-", "", ".", "")

// normal returns a name in the form used in [secretNames].
func normal(name string) string { return strings.ToLower(normalizer.Replace(name)) }

// nameChars lists the characters that a name may contain.
const nameChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

var inName = setOf(nameChars)

func notInName(r rune) bool { return r >= utf8.RuneSelf || !inName[r] }

func setOf(chars string) (set [256]bool) {
	for i := range len(chars) {
		set[chars[i]] = true
	}
	return set
}

// A pair is a secret's name and what stands between the name and the value.
type pair struct {
	name      string
	nameQuote string // the quotation mark after the name, if any
	separator string
	quote     string // the quotation mark before the value, if any
}

// secretIn finds the secret in s, which begins with the value. It returns the length of the text
// before the secret, such as the scheme in an Authorization header, and the length of the secret,
// or 0 if there is probably no secret, as in "Password: must have 12 characters".
func (p *pair) secretIn(s string) (before, length int) {
	if p.quote != "" {
		return 0, withoutEnd(s[:closing(s, p.quote)])
	}
	end := p.valueEnd(s)
	if !p.isText(s[:end]) {
		return 0, withoutEnd(s[:end])
	}

	isScheme := strings.HasSuffix(normal(p.name), "authorization") && strings.HasPrefix(s[end:], " ")
	if !isScheme {
		return 0, 0
	}
	before = end + len(" ")
	s = s[before:]
	end = p.valueEnd(s)
	if isOrdinary(s[:end]) {
		return 0, 0
	}
	return before, withoutEnd(s[:end])
}

// isText reports whether an unquoted value is probably the next word of a sentence, or a JSON
// literal such as null, rather than a secret.
func (p *pair) isText(value string) bool {
	if !isOrdinary(value) {
		return false
	}
	if p.nameQuote != "" {
		return true
	}
	inSentence := p.separator == ":" || p.separator == ">"
	return inSentence && isOrdinary(p.name)
}

// closing returns the index of the closing quotation mark, or the length of s if s was truncated
// before it.
func closing(s, quote string) int {
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], quote) {
			return i
		}
		if s[i] == '\\' {
			i++ // skip the escaped character
		}
	}
	return len(s)
}

// valueEnd returns the index in s where an unquoted value ends. A cookie may contain semicolons and
// a SharedAccessSignature may contain ampersands, which end other values.
func (p *pair) valueEnd(s string) int {
	name := normal(p.name)
	isCookie := strings.HasSuffix(name, "cookie")
	isSAS := strings.HasSuffix(name, "sharedaccesssignature")
	for i := 0; i < len(s); i++ {
		switch s[i] {
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
			if p.nameQuote != "" {
				return i
			}
		case '%', '\\':
			if p.endsEncoded(s[i:]) {
				return i
			}
		}
	}
	return len(s)
}

// endsEncoded reports whether s begins with an encoded character that ends the value. A percent
// sign begins such a character only if p's separator is percent-encoded too.
func (p *pair) endsEncoded(s string) bool {
	if s[0] == '%' && p.separator[0] != '%' {
		return false
	}
	return prefixOf(s, encodedEnds) != ""
}

// encodedEnds lists characters that end a value, in percent-encoded or JSON-escaped form.
var encodedEnds = []string{"%26", "%2526", "%22", "%20", "%3B", `\u0026`, `\"`, `\n`}

// isPair reports whether s begins with a name and an equals sign, which may be percent-encoded.
func isPair(s string) bool {
	end := strings.IndexFunc(s, notInName)
	if end <= 0 {
		return false
	}
	return s[end] == '=' || s[end] == '%'
}

// withoutEnd returns the length of s without trailing punctuation, or 0 if the rest contains no
// character in [nameChars].
func withoutEnd(s string) int {
	s = strings.TrimRight(s, ".,:)]}")
	if !strings.ContainsAny(s, nameChars) {
		return 0
	}
	return len(s)
}

// isOrdinary reports whether s looks like an ordinary word, with only lower-case letters except
// perhaps the first. It ignores trailing punctuation.
func isOrdinary(s string) bool {
	s = strings.TrimRight(s, ".,:;!?)")
	startsUpper := s != "" && 'A' <= s[0] && s[0] <= 'Z'
	if startsUpper {
		s = s[1:]
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}
