package pager

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lro-go/lro/internal/walk"
	"github.com/lro-go/lro/internal/wire"
)

// A document is what matters of a page's JSON. Its parts are slices of it.
type document struct {
	items []byte // an array, or null, or nil where there is none; not looked into
	link  string
	count *int64
}

// countNames are in the order in which they count (OData JSON Format v4.0,
// section 4.5.4, and v3.0; IBM Cloud and others).
var countNames = []string{"@odata.count", "odata.count", "count", "total_count"}

// maxNamed bounds what an error tells of a member's name.
const maxNamed = 100

// parse finds items and link in body. It looks at each member once and leaves
// the items to encoding/json, which validates them as it decodes.
func (s *settings) parse(body []byte) (document, error) {
	found := make([]json.RawMessage, 1+len(s.links)+len(countNames))
	var other []string
	before := []byte("null")
	err := walk.Members(body, func(n, value []byte) error {
		name, known := string(n), false
		wanted := func(i int, ptr string) {
			if first, _ := split(ptr); first == name {
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
			other = append(other, name[:min(len(name), maxNamed)]) // which may be as long as the page
		}
		if first, rest := split(s.Items); first == name && rest == "" {
			value, before = before, value // the last one is validated as it is decoded
		}
		return valid(value)
	})
	if err != nil {
		return document{}, notJSON(body, err)
	}
	return s.document(found, other)
}

// document makes a document of the members that may matter.
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

// itemsOf follows the rest of the pointer to the items. other has the name
// of a member that says that the page is of another shape, if there is one.
func (s *settings) itemsOf(value json.RawMessage, other []string) ([]byte, error) {
	_, rest := split(s.Items)
	switch {
	case value == nil && len(other) > 0:
		return nil, fmt.Errorf("the page has no items at %q, but has %q", s.Items, other[0])
	case value == nil:
		return nil, nil
	}
	items, ok := wire.Pointer(value, rest)
	if !ok && string(value) != "null" {
		return nil, fmt.Errorf("the page has no items at %q", s.Items)
	}
	if len(items) > 0 && items[0] != '[' && string(items) != "null" {
		return nil, fmt.Errorf("what the page has at %q is no array", s.Items)
	}
	return items, nil
}

// linkOf follows the rest of the pointer to a link. Absent, null and empty are
// the same.
func linkOf(value json.RawMessage, ptr string) (link string, err error) {
	if value == nil {
		return "", nil
	}
	_, rest := split(ptr)
	value, ok := wire.Pointer(value, rest)
	if !ok {
		return "", nil
	}
	if err := json.Unmarshal(value, &link); err != nil {
		return "", fmt.Errorf("what the page has at %q is no link", ptr)
	}
	return link, nil
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// split returns the first name of a pointer, and the pointer from there on.
func split(ptr string) (name, rest string) {
	if i := strings.IndexByte(ptr[1:], '/'); i >= 0 {
		ptr, rest = ptr[:i+1], ptr[i+1:]
	}
	return unescape.Replace(ptr[1:]), rest
}

// notJSON is the error of a body that is no page, in the words of encoding/json
// where it has some.
func notJSON(body []byte, err error) error {
	if wire.IsEmpty(body) {
		return errors.New("the page is empty")
	}
	var any map[string]json.RawMessage
	if theirs := json.Unmarshal(body, &any); theirs != nil {
		err = theirs
	}
	return fmt.Errorf("the page is no JSON object: %w", err)
}

// valid returns an error unless value is JSON.
func valid(value []byte) error {
	if !json.Valid(value) {
		return walk.ErrSyntax
	}
	return nil
}
