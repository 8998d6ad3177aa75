package engine

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/lro-go/lro/fakes/internal/patch"
)

// AddListing sets the format of the listings that l matches.
func (s *Service) AddListing(l Listing) {
	l = l.complete()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listings = append(s.listings, l)
}

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

// listing returns the format of a listing, and reports whether a test has set it.
func (s *Service) listing(method, path string) (l Listing, ok bool) {
	for _, l := range slices.Backward(s.listings) {
		if l.matches(method, path) {
			return l, true
		}
	}
	return s.Dialect.Listing(path), false
}

// List answers a request for a page. If [Service.AddPages] has not defined the listing's pages,
// List gets them from the Finder.
func (s *Service) List(q *Request, find Finder) Answer {
	l, _ := s.listing(q.Method, q.Path)
	rest, token, err := l.token(q)
	if err != nil {
		return s.Dialect.Failure(q, http.StatusBadRequest, Error{Code: "InvalidSkipToken", Message: err.Error(), Target: l.Param})
	}

	if pages := s.pages[Key(q.Path)]; pages != nil {
		find = func(token int) (page, int) { return definedPage(pages, token) }
	}
	items, following := find(token)
	next := ""
	if following > 0 {
		next = strconv.Itoa(following)
	}
	if l.Repeat > 0 && tokenOf(find, l.Repeat) == token {
		next = strconv.Itoa(token)
	}

	a := JSON(http.StatusOK, nil)
	body := Object{}
	patch.Set(body, l.Items, items)
	if l.Count != "" {
		patch.Set(body, l.Count, s.total(q))
	}
	l.link(q, rest, next, body, a.Header)
	a.Body = Encode(body)
	return a
}

// A Finder returns a listing's page with the given token, and the token of the next page, or 0 if
// there is no next page.
type Finder func(token int) (items page, next int)

// tokenOf returns the token of the nth page, counting from 1, or -1 if there is no nth page.
func tokenOf(find Finder, n int) (token int) {
	for range n - 1 {
		_, token = find(token)
		if token == 0 {
			return -1
		}
	}
	return token
}

// total returns the number of items in the listing that q requests.
func (s *Service) total(q *Request) int {
	collection := Key(q.Path)
	if pages := s.pages[collection]; pages != nil {
		n := 0
		for _, p := range pages {
			n += len(p)
		}
		return n
	}

	hidden := 0
	for op := range s.Open {
		s.Settle(op) // may end the operation and delete its resource
		res := s.Resources[Key(op.Target)]
		parent, _ := Cut(Key(op.Target))
		if op.Running() && op.Created && parent == collection && res != nil && res.Hidden {
			hidden++
		}
	}
	return s.order.Children(collection).Len() - hidden
}

// definedPage returns one of the pages defined by [Service.AddPages], and the index of the next
// page. A page's index is also its token.
func definedPage(pages []page, index int) (items page, next int) {
	items = page{}
	if index < len(pages) {
		items = append(items, pages[index]...)
	}
	if index+1 < len(pages) {
		next = index + 1
	}
	return items, next
}

// children returns one page of the collection that q requests, ordered by path. A page's token is
// the index of its first resource.
func (s *Service) children(q *Request, from int) (items page, next int) {
	items = page{}
	collection := Key(q.Path)
	names := s.order.Children(collection)
	for i := from; i < names.Len(); {
		name := names.At(i)
		res, op := s.Visible(collection + "/" + name)
		if names.At(i) != name {
			continue // Visible has just ended an operation that deleted the resource
		}
		if res != nil && s.PageSize > 0 && len(items) == s.PageSize {
			return items, i
		}
		if res != nil {
			items = append(items, s.Dialect.Show(s, res, op, q.Base))
		}
		i++
	}
	return items, 0
}
