package pager

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lro-go/lro/internal/jsonread"
)

// A document holds the parts of a page's JSON that the pager uses.
type document struct {
	items []byte // the JSON array of items, or "null"; nil if the page has neither
	link  string
	count *int64
}

// countNames lists the possible names of a page's count in order of precedence (OData JSON Format
// v4.0, section 4.5.4, and v3.0; IBM Cloud and others).
var countNames = []string{"@odata.count", "odata.count", "count", "total_count"}

// maxNamed limits the length of a member's name in an error, in bytes.
const maxNamed = 100

// members holds those top-level members of a page that the pager uses. The value of a missing
// member is nil.
type members struct {
	items  json.RawMessage   // the member that settings.Items starts with, such as "d" for "/d/results"
	links  []json.RawMessage // for each pointer in settings.links, the value of the top-level member that it starts with
	counts []json.RawMessage // for each name in countNames, the value of that member

	hasOther bool   // whether the page has a member that is neither an annotation nor known to the pager
	other    string // the name of the first such member, truncated to maxNamed bytes
}

// parse finds the items, the link and the count in body. It returns an error if body is not a valid
// page.
func (s *settings) parse(body []byte) (document, error) {
	m := members{
		links:  make([]json.RawMessage, len(s.links)),
		counts: make([]json.RawMessage, len(countNames)),
	}
	err := jsonread.Members(body, func(name, value []byte) {
		m.add(string(name), value, s)
	})
	if err != nil {
		return document{}, notJSON(body, err)
	}
	return s.document(m)
}

// add stores the value of a member that the pager uses. Of the unknown members, it stores only the
// name of the first.
func (m *members) add(name string, value []byte, s *settings) {
	isKnown := isAnnotation(name)
	if startsWith(s.Items, name) {
		m.items = value
		isKnown = true
	}
	for i, link := range s.links {
		if startsWith(link, name) {
			m.links[i] = value
			isKnown = true
		}
	}
	for i, count := range countNames {
		if count == name {
			m.counts[i] = value
			isKnown = true
		}
	}

	if isKnown || m.hasOther {
		return
	}
	m.hasOther = true
	m.other = name[:min(len(name), maxNamed)] // a name may be as long as the page
}

// startsWith reports whether name is the first name in ptr, such as "d" in "/d/results".
func startsWith(ptr, name string) bool {
	first, _ := jsonread.CutPointer(ptr)
	return first == name
}

// isAnnotation reports whether a member with this name is an OData annotation.
func isAnnotation(name string) bool {
	return strings.HasPrefix(name, "@") || strings.HasPrefix(name, "odata.")
}

// document builds a document from the members of a page.
func (s *settings) document(m members) (document, error) {
	items, err := s.itemsOf(m)
	if err != nil {
		return document{}, err
	}
	d := document{items: items, count: countOf(m.counts)}
	for i, ptr := range s.links {
		link, err := linkOf(m.links[i], ptr)
		if err != nil {
			return document{}, err
		}
		d.link = cmp.Or(d.link, link)
	}
	return d, nil
}

// countOf returns the first of the values that is an integer or a string containing an integer. It
// returns nil if there is no such value.
func countOf(values []json.RawMessage) *int64 {
	for _, value := range values {
		n, err := strconv.ParseInt(strings.Trim(string(value), `"`), 10, 64)
		if err == nil {
			return &n
		}
	}
	return nil
}

// itemsOf returns the JSON array of items, or "null", or nil if the page has neither. It returns an
// error if the page has an unknown member instead, if the member that settings.Items starts with is
// not null but lacks the items, or if the items are not an array.
func (s *settings) itemsOf(m members) ([]byte, error) {
	if m.items == nil {
		if m.hasOther {
			return nil, fmt.Errorf("the page has no items at %q, but has %q", s.Items, m.other)
		}
		return nil, nil
	}

	_, rest := jsonread.CutPointer(s.Items)
	items, ok := jsonread.WalkPointer(m.items, rest)
	if !ok && string(m.items) != "null" {
		return nil, fmt.Errorf("the page has no items at %q", s.Items)
	}
	switch string(items) {
	case "", "null":
		return items, nil
	}
	if items[0] != '[' {
		return nil, fmt.Errorf("the page's value at %q is not an array", s.Items)
	}
	return items, nil
}

// linkOf returns the link at ptr, or "" if the page has no such link. The parameter value is the
// top-level member that ptr starts with.
func linkOf(value json.RawMessage, ptr string) (link string, err error) {
	if value == nil {
		return "", nil
	}
	_, rest := jsonread.CutPointer(ptr)
	value, ok := jsonread.WalkPointer(value, rest)
	if !ok {
		return "", nil
	}
	if err := json.Unmarshal(value, &link); err != nil {
		return "", fmt.Errorf("the page's value at %q is not a link", ptr)
	}
	return link, nil
}

// notJSON returns the error for a body that is not a JSON object. It wraps the error from
// encoding/json or, if encoding/json accepts the body, err.
func notJSON(body []byte, err error) error {
	if jsonread.IsEmpty(body) {
		return errors.New("the page has an empty body")
	}
	var object map[string]json.RawMessage
	unmarshalErr := json.Unmarshal(body, &object)
	return fmt.Errorf("the page is not a JSON object: %w", cmp.Or(unmarshalErr, err))
}
