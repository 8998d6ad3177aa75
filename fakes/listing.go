package fakes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Listing is the format of the pages of a listing. The zero Listing is the
// format of the Resource Provider Contract, which is also the default: a GET
// returns the items as value, and an absolute next link as nextLink, with a
// $skiptoken. The last page has no next link.
//
//	fakes.Listing{Items: "/widgets", Link: "/next/href", Count: "/total_count", Param: "start"}  // IBM Cloud
//	fakes.Listing{Items: "/widgets", Link: "/next/start", Param: "start", Token: true}           // the same with a token
//	fakes.Listing{Link: "/@odata.nextLink", Count: "/@odata.count", Relative: true}              // OData
//	fakes.Listing{Header: "X-Ms-Continuation"}                                                   // a token in a header
//	fakes.Listing{Method: "POST", Link: "/token", Token: true, Member: "token"}                  // a search
type Listing struct {
	Path   string // of the collection; "" all collections
	Method string // "" GET

	Items string // JSON pointer to the items; "/value"
	Link  string // JSON pointer to the next link; "/nextLink"
	Count string // JSON pointer to the number of all items; "": none

	// The next link has the token of the next page in its query. If Header is
	// set, the token is in that header of the response and of the next request
	// instead. If Member is set, it is in the body of the next request.
	Param    string          // the query parameter; "$skiptoken"
	Header   string          // a page then has no next link
	Member   string          // at the top level of a JSON body
	Token    bool            // Link points to the token, not to a URL
	Relative bool            // the next link has no scheme and host
	End      json.RawMessage // the next link of the last page, such as null or ""; nil: none

	// Errors of a service. Pages are numbered from 1.
	Repeat  int    // the page whose next link leads to itself; 0: none
	Foreign string // the origin of all next links, such as https://evil.test
}

// Listing sets the format of the listings that l matches. If several match, the
// service uses the one that was added last. It panics if Items, Link or Count
// is not a JSON pointer.
func (s *Service) Listing(l Listing) {
	l.Method = orElse(l.Method, http.MethodGet)
	l.Items = orElse(l.Items, "/value")
	l.Link = orElse(l.Link, "/nextLink")
	l.Param = orElse(l.Param, skipToken)
	for _, ptr := range []string{l.Items, l.Link, l.Count} {
		if ptr != "" && ptr[0] != '/' {
			panic(fmt.Sprintf("fakes: Listing: %q is not a JSON pointer", ptr))
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

// listing returns the format of a listing, and whether a test has set it.
func (s *Service) listing(method, path string) (l Listing, ok bool) {
	for _, l := range slices.Backward(s.listings) {
		if l.Method == method && (l.Path == "" || key(l.Path) == key(path)) {
			return l, true
		}
	}
	return s.speech().listing(path), false
}

// token returns the token in a request, and the rest of its query.
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
		return "", 0, fmt.Errorf("%q is not a token of this service", text)
	}
	return rest, token, nil
}

// splitQuery removes a parameter from a query. The rest is unchanged.
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

// link adds the token or the next link to a response: to its header, or to the
// body. An empty token means the last page.
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

// put sets the member that a JSON pointer names, and creates objects where they
// are missing.
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
