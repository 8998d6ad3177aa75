package fakes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A page holds the items of a page of a list.
type page = []json.RawMessage

// Pages makes a list of path, whatever resources there are. Each page is
// anything that encodes as a JSON array, or nil for a page without items;
// anything else panics.
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

// skipToken says in a query where a page begins.
const skipToken = "$skiptoken"

// list answers a GET of a collection with a page of it.
func (s *Service) list(q *question) Answer {
	rest, token, err := splitToken(q.query)
	if err != nil {
		return failure(http.StatusBadRequest, Error{Code: "InvalidSkipToken", Message: err.Error(), Target: skipToken})
	}
	find := s.children
	if s.pages[key(q.path)] != nil {
		find = s.scripted
	}
	items, more := find(q.path, token)
	list := object{"value": items}
	if more > 0 {
		next := *q
		next.query = strings.TrimPrefix(rest+"&"+skipToken+"="+strconv.Itoa(more), "&")
		list["nextLink"] = next.link(q.path)
	}
	return jsonAnswer(http.StatusOK, encode(list))
}

// splitToken takes the token out of a query and leaves the rest as it is.
func splitToken(query string) (rest string, token int, err error) {
	parts := strings.Split(query, "&")
	for i, part := range parts {
		value, ok := strings.CutPrefix(strings.Replace(part, "%24", "$", 1), skipToken+"=")
		if !ok {
			continue
		}
		token, err := strconv.Atoi(value)
		if err != nil || token < 0 {
			return "", 0, fmt.Errorf("%q is no token of this service", value)
		}
		return strings.Join(slices.Delete(parts, i, i+1), "&"), token, nil
	}
	return query, 0, nil
}

// scripted is a page that [Service.Pages] made, and the number of the next.
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

// children are the resources of a collection in the order of their paths, from
// the given one on, and where the next page begins.
func (s *Service) children(collection string, from int) (items page, more int) {
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
		items = append(items, res.json(op))
	}
	return items, 0
}
