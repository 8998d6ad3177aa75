package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A node is a line of a tree and the lines below it.
type node struct {
	text string
	sub  []node
}

// add adds a line to n if the line has a value or other lines below it.
func (n *node) add(name, value string, sub ...node) {
	if value != "" || len(sub) > 0 {
		n.sub = append(n.sub, node{strings.TrimSuffix(name+": "+value, ": "), sub})
	}
}

// write appends the lines below n to b.
func (n *node) write(b *strings.Builder, indent string) {
	for i, sub := range n.sub {
		branch, next := "├─ ", "│  "
		if i == len(n.sub)-1 {
			branch, next = "└─ ", "   "
		}
		fmt.Fprintf(b, "%s%s%s\n", indent, branch, shortenURLs(sub.text))
		sub.write(b, indent+next)
	}
}

// fromJSON adds a JSON value to n, with a line for each member if the value is an object.
func (n *node) fromJSON(name string, value json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		n.add(name, string(bytes.Trim(value, `"`)))
		return
	}
	var sub node
	for _, key := range slices.Sorted(maps.Keys(members)) {
		sub.fromJSON(key, members[key])
	}
	n.add(name, "", sub.sub...)
}

// maxURL is the length, in bytes, above which shortenURLs shortens a URL. A URL of this length,
// with a word or two before it, fits on one line of a terminal.
const maxURL = 64

var anyURL = regexp.MustCompile(`https?://[^\s"';,]+`)

// shortenURLs removes the middle of long URLs, keeping the host and the end of the path.
func shortenURLs(s string) string {
	return anyURL.ReplaceAllStringFunc(s, func(u string) string {
		if len(u) <= maxURL {
			return u
		}
		scheme, rest, _ := strings.Cut(u, "://")
		host, path, _ := strings.Cut(rest, "/")
		room := max(maxURL-len(scheme)-len(host)-len(":///."), 12)
		if len(path) <= room {
			return u
		}
		path = path[len(path)-room:]
		if _, whole, ok := strings.Cut(path, "/"); ok {
			return scheme + "://" + host + "/…/" + whole
		}
		return scheme + "://" + host + "/…" + path // the last path segment is too long, so keep only its end
	})
}
