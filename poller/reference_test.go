package poller_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path"
	"strings"

	"github.com/lro-go/lro/poller"
)

// This file contains a slow reference implementation of the specification's rules for reading a
// status from a response. The fuzz targets compare the strategies with it.

// A member is a name-value pair in a JSON object.
type member struct {
	name  string
	value any // numbers are of type json.Number
}

type members []member

// membersOf returns the members of a JSON object in order, and reports whether body is an object.
func membersOf(body []byte) (m members, ok bool) {
	if !json.Valid(body) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if first, _ := dec.Token(); first != json.Delim('{') {
		return nil, false
	}
	for dec.More() {
		name, _ := dec.Token()
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			panic(err) // cannot happen, because body is valid
		}
		m = append(m, member{name.(string), valueOf(value)})
	}
	return m, true
}

// valueOf decodes a JSON value. An object becomes a value of the type members.
func valueOf(raw json.RawMessage) (v any) {
	if m, ok := membersOf(raw); ok {
		return m
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// find returns the value of the last member with the given name, ignoring case.
func (m members) find(name string) (value any, there bool) {
	for _, member := range m {
		if strings.EqualFold(member.name, name) {
			value, there = member.value, true
		}
	}
	return value, there
}

// has reports whether the named member exists and is not null.
func (m members) has(name string) bool {
	value, there := m.find(name)
	return there && value != nil
}

// isNull reports whether the named member exists and is null.
func (m members) isNull(name string) bool {
	value, there := m.find(name)
	return there && value == nil
}

// text returns a member's value, and reports whether the value is a non-blank string.
func (m members) text(name string) (string, bool) {
	value, _ := m.find(name)
	s, _ := value.(string)
	return s, strings.TrimSpace(s) != ""
}

// within returns the named member's value, or nil if the value is not an object.
func (m members) within(name string) members {
	value, _ := m.find(name)
	inner, _ := value.(members)
	return inner
}

// provisioningState returns the provisioningState in the properties, or else at the top level
// (quirk W8). It sets odd if that member is neither a word nor null.
func (m members) provisioningState() (word string, set, odd bool) {
	for _, m := range []members{m.within("properties"), m} {
		if word, set = m.text("provisioningState"); set {
			return word, true, false
		}
		if odd = m.has("provisioningState"); odd {
			return "", false, true
		}
	}
	return "", false, false
}

// operationWord returns the word of an operation document: its status, or else its
// provisioningState (quirk W44).
func (m members) operationWord() (string, bool) {
	if word, set := m.text("status"); set {
		return word, true
	}
	word, set, _ := m.provisioningState()
	return word, set
}

// meaning returns the State for a service's word.
func meaning(word string) poller.State {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "succeeded", "completed", "success", "successful", "ready": // "ready" is in fuzzWords
		return poller.Succeeded
	case "failed":
		return poller.Failed
	case "canceled", "cancelled":
		return poller.Canceled
	}
	return poller.InProgress
}

var fuzzWords = map[string]poller.State{"ready": poller.Succeeded}

var runningWords = strings.Fields(`accepted canceling cancelling creating deleting dequeued enqueued inprogress moving notstarted
	pending processing provisioning queued requested running started starting updating waiting`)

// isOperation reports whether a document from a Location is an operation document. A status member
// is not enough, because a resource may also have one.
func (m members) isOperation(at string) bool {
	word, set := m.text("status")
	if !set {
		return false
	}
	usual := meaning(word).Terminal()
	for _, running := range runningWords {
		usual = usual || strings.Map(withoutDashes, strings.ToLower(word)) == running
	}
	mayBeNull := usual || strings.HasSuffix(strings.ToLower(strings.TrimSpace(word)), "failed")
	for _, name := range []string{"startTime", "endTime", "percentComplete", "operations", "error"} {
		if m.has(name) || mayBeNull && m.isNull(name) {
			return true
		}
	}
	u, _ := url.Parse(at)
	last := path.Base(u.Path)
	id, hasID := m.text("id")
	name, hasName := m.text("name")
	return hasName && strings.EqualFold(name, last) || hasID && strings.EqualFold(path.Base(id), last) || usual && m.isAlone()
}

func withoutDashes(r rune) rune {
	if r == ' ' || r == '-' || r == '_' {
		return -1
	}
	return r
}

// isAlone reports whether all members have the same name.
func (m members) isAlone() bool {
	for _, member := range m {
		if member.name != m[0].name {
			return false
		}
	}
	return true
}
