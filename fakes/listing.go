package fakes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Listing is how a list tells its pages. The zero Listing is that of the
// Resource Provider Contract, and of every list without one: a GET, value, and
// an absolute nextLink with a $skiptoken until the last page, which has none.
//
//	fakes.Listing{Items: "/widgets", Link: "/next/href", Count: "/total_count", Param: "start"}  // IBM Cloud
//	fakes.Listing{Items: "/widgets", Link: "/next/start", Param: "start", Token: true}           // and with a token
//	fakes.Listing{Link: "/@odata.nextLink", Count: "/@odata.count", Relative: true}              // OData
//	fakes.Listing{Header: "X-Ms-Continuation"}                                                   // a token there and back
//	fakes.Listing{Method: "POST", Link: "/token", Token: true, Member: "token"}                  // a search
type Listing struct {
	Path   string // of the collection; "" every one
	Method string // "" GET

	Items string // JSON pointer to the items; "/value"
	Link  string // JSON pointer to the link; "/nextLink"
	Count string // JSON pointer to the number of all items; "": not told

	// The link takes the token of the next page in its query. A Header, of the
	// answer and of the next request, and a Member of the next request's body
	// have it instead.
	Param    string          // of the query; "$skiptoken"
	Header   string          // then the page has no link
	Member   string          // at the top of a JSON body
	Token    bool            // the token itself stands where the link would
	Relative bool            // the link has no scheme and host
	End      json.RawMessage // what the last page has for a link, such as null or ""; nil: nothing

	// What goes wrong. Pages are counted from 1.
	Repeat  int    // the page whose link leads to itself, and so on for ever; 0: none
	Foreign string // an origin, such as https://evil.test, that all links lead to
}

// Listing says how the lists that l matches tell their pages. Of several, the
// last one that was added is taken.
func (s *Service) Listing(l Listing) {
	l.Method = orElse(l.Method, http.MethodGet)
	l.Items = orElse(l.Items, "/value")
	l.Link = orElse(l.Link, "/nextLink")
	l.Param = orElse(l.Param, skipToken)
	for _, ptr := range []string{l.Items, l.Link, l.Count} {
		if ptr != "" && ptr[0] != '/' {
			panic(fmt.Sprintf("fakes: Listing: %q is no JSON pointer", ptr))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listings = append(s.listings, l)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// listing is how the list of path tells its pages, and whether anybody said so.
func (s *Service) listing(method, path string) (l Listing, ok bool) {
	for _, l := range slices.Backward(s.listings) {
		if l.Method == method && (l.Path == "" || key(l.Path) == key(path)) {
			return l, true
		}
	}
	return s.speech().listing(path), false
}

// token takes the token out of a request, and leaves the rest of its query.
func (l *Listing) token(q *question) (rest string, token int, err error) {
	rest, text, ok := splitQuery(q.query, l.Param)
	if l.Header != "" {
		text = q.header.Get(l.Header)
		ok = text != ""
	}
	var body map[string]any
	if l.Member != "" && json.Unmarshal(q.body, &body) == nil && body[l.Member] != nil {
		text, ok = fmt.Sprint(body[l.Member]), true
	}
	if !ok {
		return rest, 0, nil
	}
	token, err = strconv.Atoi(text)
	if err != nil || token < 0 {
		return "", 0, fmt.Errorf("%q is no token of this service", text)
	}
	return rest, token, nil
}

// splitQuery takes a parameter out of a query and leaves the rest as it is.
func splitQuery(query, param string) (rest, value string, ok bool) {
	parts := strings.Split(query, "&")
	for i, part := range parts {
		value, ok := strings.CutPrefix(strings.Replace(part, "%24", "$", 1), param+"=")
		if ok {
			return strings.Join(slices.Delete(parts, i, i+1), "&"), value, true
		}
	}
	return query, "", false
}

// link puts what leads to the page of token into an answer: into the header, or
// into what is to be the body. On the last page there is no token.
func (l *Listing) link(q *question, rest, token string, body object, h http.Header) {
	switch {
	case token == "":
		if l.End != nil {
			put(body, l.Link, l.End)
		}
	case l.Header != "":
		h.Set(l.Header, token)
	case l.Token:
		put(body, l.Link, token)
	default:
		next := *q
		next.query = strings.TrimPrefix(rest+"&"+l.Param+"="+token, "&")
		switch {
		case l.Foreign != "":
			next.base = l.Foreign
		case l.Relative:
			next.base = ""
		}
		put(body, l.Link, next.link(q.path))
	}
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// put sets what a JSON pointer points to, making objects on the way.
func put(doc object, ptr string, v any) {
	for {
		name, rest, deeper := strings.Cut(ptr[1:], "/")
		name = unescape.Replace(name)
		if !deeper {
			doc[name] = v
			return
		}
		inner, ok := doc[name].(object)
		if !ok {
			inner = object{}
			doc[name] = inner
		}
		doc, ptr = inner, "/"+rest
	}
}
