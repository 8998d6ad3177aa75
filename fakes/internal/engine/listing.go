package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/lro-go/lro/fakes/internal/patch"
)

// A Listing is the page format of a listing. Its fields are documented in fakes.Listing.
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

// A page holds the items on one page of a listing.
type page = []json.RawMessage

// skipToken is the default query parameter for the page token.
const skipToken = "$skiptoken"

// complete returns l with its zero values replaced by defaults. It panics if Items, Link or Count
// is not a JSON pointer.
func (l Listing) complete() Listing {
	l.Method = cmp.Or(l.Method, http.MethodGet)
	l.Items = cmp.Or(l.Items, "/value")
	l.Link = cmp.Or(l.Link, "/nextLink")
	l.Param = cmp.Or(l.Param, skipToken)

	for _, ptr := range []string{l.Items, l.Link, l.Count} {
		if ptr != "" && ptr[0] != '/' {
			panic(fmt.Sprintf("fakes: Listing: %q is not a JSON pointer", ptr))
		}
	}
	return l
}

// matches reports whether l applies to a listing with this method and path.
func (l *Listing) matches(method, path string) bool {
	return l.Method == method && (l.Path == "" || Key(l.Path) == Key(path))
}

// token returns the token of the page that q requests, and the query of q without that token. The
// first page's token is 0.
func (l *Listing) token(q *Request) (rest string, token int, err error) {
	rest, text, ok := SplitQuery(q.Query, l.Param)
	if l.Header != "" {
		text = q.Header.Get(l.Header)
		ok = text != ""
	}
	if member := l.member(q.Body); member != nil {
		text = fmt.Sprint(member)
		ok = true
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

// member returns the page token in a request body, or nil if there is none.
func (l *Listing) member(body []byte) any {
	if l.Member == "" {
		return nil
	}
	var o map[string]any
	if json.Unmarshal(body, &o) != nil {
		return nil
	}
	return o[l.Member]
}

// SplitQuery removes a parameter from a query. It returns the rest of the query unchanged, the
// parameter's value, and whether the parameter was found.
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

// link adds the token or URL of the next page to the headers or body of a response to q. On the
// last page, token is "". rest is the query of q without the page token.
func (l *Listing) link(q *Request, rest, token string, body Object, h http.Header) {
	if token == "" {
		if l.End != nil {
			patch.Set(body, l.Link, l.End)
		}
		return
	}
	if l.Header != "" {
		h.Set(l.Header, token)
		return
	}
	if l.Token {
		patch.Set(body, l.Link, token)
		return
	}

	next := *q
	next.Query = strings.TrimPrefix(rest+"&"+l.Param+"="+token, "&")
	if l.Relative {
		next.Base = ""
	}
	if l.Foreign != "" {
		next.Base = l.Foreign
	}
	patch.Set(body, l.Link, next.Link(q.Path))
}
