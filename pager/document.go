package pager

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lro-go/lro/internal/jsonread"
)

// A document holds the parts of a page's JSON that the pager uses.
type document struct {
	items []byte // the part of the page that holds the items: an array or null, not validated; nil if there are no items
	link  string
	count *int64
}

// countNames lists the possible names of the member that contains the count, in order of precedence
// (OData JSON Format v4.0, section 4.5.4, and v3.0; IBM Cloud and others).
var countNames = []string{"@odata.count", "odata.count", "count", "total_count"}

// maxNamed limits the length of a member name within an error.
const maxNamed = 100

// parse finds the items, the link and the count in body. It validates each member once, except
// for the items, which encoding/json validates when it decodes them.
func (s *settings) parse(body []byte) (document, error) {
	found := make([]json.RawMessage, 1+len(s.links)+len(countNames))
	var other []string
	before := []byte("null")
	err := jsonread.Members(body, func(n, value []byte) error {
		name, known := string(n), false
		wanted := func(i int, ptr string) {
			if first, _ := jsonread.CutPointer(ptr); first == name {
				found[i], known = value, true
			}
		}
		wanted(0, s.Items)
		for i, ptr := range s.links {
			wanted(1+i, ptr)
		}
		for i, count := range countNames {
			if count == name {
				found[1+len(s.links)+i], known = value, true
			}
		}
		if !known && len(other) == 0 && !strings.HasPrefix(name, "@") && !strings.HasPrefix(name, "odata.") {
			other = append(other, name[:min(len(name), maxNamed)]) // a name may be as long as the page
		}
		if first, rest := jsonread.CutPointer(s.Items); first == name && rest == "" {
			value, before = before, value // decoding validates only the last of several duplicates, so the others are validated here
		}
		if !json.Valid(value) {
			return jsonread.ErrSyntax
		}
		return nil
	})
	if err != nil {
		return document{}, notJSON(body, err)
	}
	return s.document(found, other)
}

// document returns a document with the members that were found.
func (s *settings) document(found []json.RawMessage, other []string) (d document, err error) {
	if d.items, err = s.itemsOf(found[0], other); err != nil {
		return document{}, err
	}
	for i, ptr := range s.links {
		link, err := linkOf(found[1+i], ptr)
		if err != nil {
			return document{}, err
		}
		if d.link == "" {
			d.link = link
		}
	}
	for _, value := range found[1+len(s.links):] {
		if n, err := strconv.ParseInt(strings.Trim(string(value), `"`), 10, 64); err == nil && d.count == nil {
			d.count = &n
		}
	}
	return d, nil
}

// itemsOf returns the items, which it finds by following the rest of the pointer from value. other
// contains the name of an unknown member, if the page has one. itemsOf returns an error for a page
// that has such a member but no items.
func (s *settings) itemsOf(value json.RawMessage, other []string) ([]byte, error) {
	_, rest := jsonread.CutPointer(s.Items)
	switch {
	case value == nil && len(other) > 0:
		return nil, fmt.Errorf("the page has no items at %q, but has %q", s.Items, other[0])
	case value == nil:
		return nil, nil
	}
	items, ok := jsonread.WalkPointer(value, rest)
	if !ok && string(value) != "null" {
		return nil, fmt.Errorf("the page has no items at %q", s.Items)
	}
	if len(items) > 0 && items[0] != '[' && string(items) != "null" {
		return nil, fmt.Errorf("the page's value at %q is not an array", s.Items)
	}
	return items, nil
}

// linkOf returns the link, which it finds by following the rest of the pointer from value. It
// returns "" if the link is absent, null or empty.
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

// notJSON returns the error for a body that is not a JSON object. If encoding/json also returns
// an error, notJSON uses that error instead of err.
func notJSON(body []byte, err error) error {
	if jsonread.IsEmpty(body) {
		return errors.New("the page has an empty body")
	}
	var any map[string]json.RawMessage
	if theirs := json.Unmarshal(body, &any); theirs != nil {
		err = theirs
	}
	return fmt.Errorf("the page is not a JSON object: %w", err)
}
