package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/poller"
)

// A node is a line of a tree, together with the lines below it.
type node struct {
	text string
	sub  []node
}

// add adds a line to n, unless there is no value and no line below it.
func (n *node) add(name, value string, sub ...node) {
	if value != "" || len(sub) > 0 {
		n.sub = append(n.sub, node{strings.TrimSuffix(name+": "+value, ": "), sub})
	}
}

// write draws the lines below n.
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

// tree prints a failure as text, in the form of a tree.
func (s *screen) tree(f *failure) {
	const red, plain = "\x1b[31m", "\x1b[0m"
	var b strings.Builder
	line := "lro: " + f.headline()
	if s.color {
		line = red + line + plain
	}
	fmt.Fprintln(&b, line)
	root := f.node()
	root.write(&b, "")
	if f.Unsaved != "" {
		fmt.Fprintf(&b, "lro: the resume token could not be saved: %s\n", f.Unsaved)
	}
	if f.TokenFile != "" {
		fmt.Fprintf(&b, "lro: the resume token is in %s; to continue:\n  %s\n", f.TokenFile, f.Resume)
	}
	say(s.err, "%s", b.String())
}

func (f *failure) node() node {
	var n node
	if f.Detail != nil {
		n = f.Detail.node()
	}
	var reason node
	if f.cause != f.headline() {
		reason.add("reason", f.cause)
	}
	if f.Exit == exitStopped {
		n.sub = append(reason.sub, n.sub...) // put the reason first, because the detail is only about the last read before the wait was stopped
	} else {
		n.sub = append(n.sub, reason.sub...)
	}
	n.add("advice", f.Advice)
	if f.State != "" && f.Reason != "" {
		n.add("last known", describe(poller.State(f.State), f.Word))
	}
	if wait := time.Until(f.nextPoll); f.Exit == exitStopped && wait > 0 {
		due := in(f.nextPoll)
		if wait < 10*time.Millisecond {
			due = "now"
		}
		n.add("next read", "due "+due)
	}
	n.add("request", f.Request)
	n.add("response", f.response())
	n.add("request id", f.RequestID)
	n.add("correlation id", f.CorrelationID)
	return n
}

// response describes the last response to the request.
func (f *failure) response() string {
	var s string
	switch {
	case f.StatusCode != 0:
		s = strings.TrimSpace(fmt.Sprintf("%d %s", f.StatusCode, http.StatusText(f.StatusCode)))
	case f.Attempts > 0:
		s = "none"
	}
	if f.Attempts > 1 {
		s += fmt.Sprintf(", after %d attempts", f.Attempts)
	}
	return s
}

// node returns the service's error as a tree. Its root contains the code and the message, so that
// the tree can also be shown below another error, as one of its details.
func (d *detail) node() node {
	n := node{text: strings.Trim(d.Code+": "+d.Message, ": ")}
	n.add("code", d.Code)
	n.add("message", d.Message)
	n.add("target", d.Target)
	var details []node
	for _, sub := range d.Details {
		details = append(details, sub.short())
	}
	n.add("details", "", details...)
	n.fromJSON("inner error", d.InnerError)
	for _, a := range d.AdditionalInfo {
		n.fromJSON("additional info "+a.Type, a.Info)
	}
	n.add("more", d.MoreInfo)
	n.add("trace", d.Trace)
	return n
}

// short returns the same tree as node, but without the lines for the code and the message, which
// the root already contains.
func (d *detail) short() node {
	n := d.node()
	n.sub = slices.DeleteFunc(n.sub, func(sub node) bool {
		return sub.text == "code: "+d.Code || sub.text == "message: "+d.Message
	})
	return n
}

// fromJSON adds a JSON value to n. If the value is an object, each of its members becomes a line.
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

// maxURL is the length of the longest URL that fits on one line of a terminal with a word or two
// before it.
const maxURL = 64

var anyURL = regexp.MustCompile(`https?://[^\s"';,]+`)

// shortenURLs removes the middle of long URLs. It keeps the host and the end of the path.
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
		return scheme + "://" + host + "/…" + path // the last segment of the path is too long, so keep only the end of it
	})
}
