package wire

import (
	"net/url"
	"strings"
)

// ParseURL is url.Parse, and faster for a URL as services write nearly all:
// https://host:port/path?query without anything to escape. FuzzParseURL holds the one
// to the other. One that is plain is written as its String.
func ParseURL(raw string) (u url.URL, plain bool, err error) {
	if u, plain = plainURL(raw); plain {
		return u, true, nil
	}
	parsed, err := url.Parse(raw)
	if err != nil {
		return url.URL{}, false, err
	}
	return *parsed, false, nil
}

// IsAbsolute reports whether raw is a URL with a scheme and a host.
func IsAbsolute(raw string) bool {
	if _, ok := plainURL(raw); ok {
		return true
	}
	u, err := url.Parse(raw)
	return err == nil && u.IsAbs() && u.Host != ""
}

func plainURL(raw string) (u url.URL, plain bool) {
	scheme := "https"
	rest, ok := strings.CutPrefix(raw, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(raw, "http://"); !ok {
			return u, false
		}
		scheme = "http"
	}
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		slash = len(rest)
	}
	name, port, ported := strings.Cut(rest[:slash], ":")
	if name == "" || !all(name, inHost) || ported && port == "" || !all(port, inPort) {
		return u, false
	}
	path, query, asked := strings.Cut(rest[slash:], "?")
	if !all(path, inPath) || !all(query, inQuery) || asked && query == "" {
		return u, false
	}
	return url.URL{Scheme: scheme, Host: rest[:slash], Path: path, RawQuery: query}, true
}

// What stands for itself wherever it is, and what does in one place.
const (
	inHost = 1 << iota
	inPort
	inPath
	inQuery
)

var places = func() (t [256]byte) {
	mark := func(chars string, where byte) {
		for i := range len(chars) {
			t[chars[i]] |= where
		}
	}
	mark("0123456789", inPort)
	mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.", inHost|inPath|inQuery)
	mark("_~$&+,/:;=@", inPath|inQuery)
	mark("%?!*()'", inQuery)
	return t
}()

func all(s string, where byte) bool {
	for i := range len(s) {
		if places[s[i]]&where == 0 {
			return false
		}
	}
	return true
}
