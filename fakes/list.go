package fakes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// A page holds the items of one page of a listing.
type page = []json.RawMessage

// Pages defines the listing at path, independent of the resources of the
// service. Each page is a value that encodes as a JSON array, or nil for a page
// without items. Any other value panics.
func (s *Service) Pages(path string, pages ...any) {
	list := make([]page, len(pages))
	for i, p := range pages {
		if err := json.Unmarshal(encode(p), &list[i]); err != nil {
			panic(fmt.Sprintf("fakes: Pages(%q), page %d: %v", path, i, err))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	s.pages[key(path)] = list
}

// skipToken is the query parameter that selects a page.
const skipToken = "$skiptoken"

// list answers a request for a page.
func (s *Service) list(q *question) Answer {
	l, _ := s.listing(q.method, q.path)
	rest, token, err := l.token(q)
	if err != nil {
		return s.speech().failure(q, http.StatusBadRequest, Error{Code: "InvalidSkipToken", Message: err.Error(), Target: l.Param})
	}
	find := s.children(q.base)
	if s.pages[key(q.path)] != nil {
		find = s.scripted
	}
	items, more := find(q.path, token)
	body, a := object{}, jsonAnswer(http.StatusOK, nil)
	put(body, l.Items, items)
	number, total := count(find, q.path, token)
	if l.Count != "" {
		put(body, l.Count, total)
	}
	next := strconv.Itoa(more)
	switch {
	case l.Repeat > 0 && number == l.Repeat:
		next = strconv.Itoa(token)
	case more == 0:
		next = ""
	}
	l.link(q, rest, next, body, a.Header)
	a.Body = encode(body)
	return a
}

// count returns the number of the page that starts at token, and the number of
// all items.
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

// scripted returns a page that [Service.Pages] defined, and the number of the
// next page.
func (s *Service) scripted(collection string, number int) (items page, more int) {
	pages := s.pages[key(collection)]
	items = page{}
	if number < len(pages) {
		items = append(items, pages[number]...)
	}
	if number+1 < len(pages) {
		more = number + 1
	}
	return items, more
}

// children returns a function that finds the resources of a collection.
func (s *Service) children(base string) func(string, int) (page, int) {
	return func(collection string, from int) (page, int) { return s.childrenFrom(collection, from, base) }
}

// childrenFrom returns the resources of a collection in the order of their
// paths, from the given one, and the start of the next page.
func (s *Service) childrenFrom(collection string, from int, base string) (items page, more int) {
	var keys []string
	for k := range s.resources {
		if parent, _ := cut(k); parent != key(collection) {
			continue
		}
		if res, _ := s.visible(k); res != nil {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	items = page{}
	for _, k := range keys[min(from, len(keys)):] {
		if s.PageSize > 0 && len(items) == s.PageSize {
			return items, from + len(items)
		}
		res, op := s.visible(k)
		items = append(items, s.speech().show(s, res, op, base))
	}
	return items, 0
}
