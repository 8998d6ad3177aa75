package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Listing is the format of the pages of a listing. The fields of
// fakes.Listing document it.
type Listing struct {
	Path   string
	Method string

	Items string
	Link  string
	Count string

	Param    string
	Header   string
	Member   string
	Token    bool
	Relative bool
	End      json.RawMessage

	Repeat  int
	Foreign string
}

// AddListing sets the format of the listings that l matches.
func (s *Service) AddListing(l Listing) {
	l.Method = cmp.Or(l.Method, http.MethodGet)
	l.Items = cmp.Or(l.Items, "/value")
	l.Link = cmp.Or(l.Link, "/nextLink")
	l.Param = cmp.Or(l.Param, skipToken)
	for _, ptr := range []string{l.Items, l.Link, l.Count} {
		if ptr != "" && ptr[0] != '/' {
			panic(fmt.Sprintf("fakes: Listing: %q is not a JSON pointer", ptr))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listings = append(s.listings, l)
}

// listing returns the format of a listing, and whether a test has set it.
func (s *Service) listing(method, path string) (l Listing, ok bool) {
	for _, l := range slices.Backward(s.listings) {
		if l.Method == method && (l.Path == "" || Key(l.Path) == Key(path)) {
			return l, true
		}
	}
	return s.Dialect.Listing(path), false
}

// token returns the token in q, which selects a page, and the query of q without the token.
func (l *Listing) token(q *Request) (rest string, token int, err error) {
	rest, text, ok := SplitQuery(q.Query, l.Param)
	if l.Header != "" {
		text = q.Header.Get(l.Header)
		ok = text != ""
	}
	var body map[string]any
	if l.Member != "" && json.Unmarshal(q.Body, &body) == nil && body[l.Member] != nil {
		text, ok = fmt.Sprint(body[l.Member]), true
	}
	if !ok {
		return rest, 0, nil
	}
	token, err = strconv.Atoi(text)
	if err != nil || token < 0 {
		return "", 0, fmt.Errorf("%q is not a token of this service", text)
	}
	return rest, token, nil
}

// SplitQuery removes a parameter from a query. It returns the rest of the query unchanged, the
// value of the parameter, and whether the query contained it.
func SplitQuery(query, param string) (rest, value string, ok bool) {
	parts := strings.Split(query, "&")
	for i, part := range parts {
		value, ok := strings.CutPrefix(strings.Replace(part, "%24", "$", 1), param+"=")
		if ok {
			return strings.Join(slices.Delete(parts, i, i+1), "&"), value, true
		}
	}
	return query, "", false
}

// link adds the token of the next page, or a link that contains the token, to
// the headers or the body of a response. The token is empty on the last page.
func (l *Listing) link(q *Request, rest, token string, body Object, h http.Header) {
	switch {
	case token == "":
		if l.End != nil {
			SetPointer(body, l.Link, l.End)
		}
	case l.Header != "":
		h.Set(l.Header, token)
	case l.Token:
		SetPointer(body, l.Link, token)
	default:
		next := *q
		next.Query = strings.TrimPrefix(rest+"&"+l.Param+"="+token, "&")
		switch {
		case l.Foreign != "":
			next.Base = l.Foreign
		case l.Relative:
			next.Base = ""
		}
		SetPointer(body, l.Link, next.Link(q.Path))
	}
}
