package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A node is a line of a tree, and what hangs on it.
type node struct {
	text string
	sub  []node
}

// add hangs a line on n, unless there is nothing to say.
func (n *node) add(name, value string, sub ...node) {
	if value != "" || len(sub) > 0 {
		n.sub = append(n.sub, node{strings.TrimSuffix(name+": "+value, ": "), sub})
	}
}

// write draws what hangs on n.
func (n *node) write(b *strings.Builder, indent string) {
	for i, sub := range n.sub {
		branch, next := "├─ ", "│  "
		if i == len(n.sub)-1 {
			branch, next = "└─ ", "   "
		}
		fmt.Fprintf(b, "%s%s%s\n", indent, branch, sub.text)
		sub.write(b, indent+next)
	}
}

// tree shows a failure to people.
func (s *screen) tree(f *failure) {
	const red, plain = "\x1b[31m", "\x1b[0m"
	var b strings.Builder
	if line := "lro: " + f.headline(); s.color {
		fmt.Fprintln(&b, red+line+plain)
	} else {
		fmt.Fprintln(&b, line)
	}
	root := f.node()
	root.write(&b, "")
	if f.Unkept != "" {
		fmt.Fprintf(&b, "lro: the token could not be kept: %s\n", f.Unkept)
	}
	if f.TokenFile != "" {
		fmt.Fprintf(&b, "lro: the token is in %s; go on with\n  %s\n", f.TokenFile, f.Resume)
	}
	say(s.err, "%s", b.String())
}

func (f *failure) node() node {
	var n node
	if f.Detail != nil {
		n = f.Detail.node()
	}
	// Where the service said nothing, or not all, our own text has the reason.
	if f.Exit != exitUsage && (f.Detail == nil || f.Exit > exitCanceled) {
		n.add("because", f.reason())
	}
	if f.StatusCode != 0 {
		n.add("answer", fmt.Sprint(f.StatusCode))
	}
	n.add("request id", f.RequestID)
	n.add("correlation id", f.CorrelationID)
	return n
}

// node is the service's error: a line of code and message hangs on another one
// where this is a detail.
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

// short is node with code and message on the line itself.
func (d *detail) short() node {
	n := d.node()
	n.sub = slices.DeleteFunc(n.sub, func(sub node) bool {
		return sub.text == "code: "+d.Code || sub.text == "message: "+d.Message
	})
	return n
}

// fromJSON hangs a JSON value on n: an object by its members, anything else as it
// is.
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
