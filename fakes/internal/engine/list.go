package engine

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// A page holds the items of one page of a listing.
type page = []json.RawMessage

// AddPages defines the pages of the listing at path.
func (s *Service) AddPages(path string, pages []any) {
	list := make([]page, len(pages))
	for i, p := range pages {
		if err := json.Unmarshal(Encode(p), &list[i]); err != nil {
			panic(fmt.Sprintf("fakes: Pages(%q), page %d: %v", path, i, err))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[Key(path)] = list
}

// skipToken is the query parameter that selects a page.
const skipToken = "$skiptoken"

// list answers a request for a page.
func (s *Service) list(q *Request) Answer {
	l, _ := s.listing(q.Method, q.Path)
	rest, token, err := l.token(q)
	if err != nil {
		return s.Dialect.Failure(q, http.StatusBadRequest, Error{Code: "InvalidSkipToken", Message: err.Error(), Target: l.Param})
	}
	find := s.children(q.Base)
	if s.pages[Key(q.Path)] != nil {
		find = s.scripted
	}
	items, more := find(q.Path, token)
	body, a := Object{}, JSON(http.StatusOK, nil)
	SetPointer(body, l.Items, items)
	number, total := count(find, q.Path, token)
	if l.Count != "" {
		SetPointer(body, l.Count, total)
	}
	next := strconv.Itoa(more)
	switch {
	case l.Repeat > 0 && number == l.Repeat:
		next = strconv.Itoa(token)
	case more == 0:
		next = ""
	}
	l.link(q, rest, next, body, a.Header)
	a.Body = Encode(body)
	return a
}

// count returns the number of the page that starts at token, counted from 1,
// and the total number of items in the listing.
func count(find func(string, int) (page, int), path string, token int) (number, total int) {
	for n, from := 1, 0; ; n++ {
		items, more := find(path, from)
		if from == token {
			number = n
		}
		if total += len(items); more == 0 {
			return number, total
		}
		from = more
	}
}

// scripted returns a page that [Service.AddPages] defined, and the number of
// the next page, or 0 if there is none.
func (s *Service) scripted(collection string, number int) (items page, more int) {
	pages := s.pages[Key(collection)]
	items = page{}
	if number < len(pages) {
		items = append(items, pages[number]...)
	}
	if number+1 < len(pages) {
		more = number + 1
	}
	return items, more
}

// children returns a function that finds one page of the resources of a
// collection. Their URLs start with base.
func (s *Service) children(base string) func(string, int) (page, int) {
	return func(collection string, from int) (page, int) { return s.childrenFrom(collection, from, base) }
}

// childrenFrom returns one page of the resources of a collection. The resources
// are ordered by path, and the page starts at index from. more is the index at
// which the next page starts, or 0 if there is none.
func (s *Service) childrenFrom(collection string, from int, base string) (items page, more int) {
	var keys []string
	for k := range s.Resources {
		if parent, _ := Cut(k); parent != Key(collection) {
			continue
		}
		if res, _ := s.Visible(k); res != nil {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	items = page{}
	for _, k := range keys[min(from, len(keys)):] {
		if s.PageSize > 0 && len(items) == s.PageSize {
			return items, from + len(items)
		}
		if res, op := s.Visible(k); res != nil { // nil if the resource has been deleted since the loop above
			items = append(items, s.Dialect.Show(s, res, op, base))
		}
	}
	return items, 0
}
