package pager_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

const more = `"nextLink": "` + origin + `/2"`

// The pager finds the items and the link in every kind of page that it supports, and returns an
// error for any other page.
func TestPageShapes(t *testing.T) {
	opts := func(items, link string) *pager.Options { return &pager.Options{Items: items, NextLink: link} }
	const link2 = `"` + origin + `/2"`
	tests := []struct {
		page  string
		opts  *pager.Options
		pages int
		want  string // the first page's items, or part of the error
	}{
		{`{"value": ["a", "b"]}`, nil, 1, "a b"},
		{`{"value": ["a"], "nextLink": null}`, nil, 1, "a"},
		{`{"value": ["a"], "nextLink": ""}`, nil, 1, "a"},
		{`{"value": ["a"], ` + more + `}`, nil, 2, "a"},
		{`{` + more + `, "value": ["a"]}`, nil, 2, "a"},
		{"\ufeff \n{ \"value\" : [ \"a\" ] , " + more + " } \n", nil, 2, "a"},
		{`{"value": [], ` + more + `}`, nil, 2, ""},
		{`{"value": null, ` + more + `}`, nil, 2, ""},
		{`{` + more + `}`, nil, 2, ""},
		{`{}`, nil, 1, ""},
		{`{"@odata.context": "x", "count": 0}`, nil, 1, ""},
		{`{"value": ["a"], "@odata.nextLink": ` + link2 + `}`, nil, 2, "a"},
		{`{"value": ["a"], "odata.nextLink": ` + link2 + `}`, nil, 2, "a"},
		{`{"value": ["a"], "nextLink": "", "@odata.nextLink": ` + link2 + `}`, nil, 2, "a"},
		{`{"value": ["a"], "@odata.nextLink": "` + origin + `/no", ` + more + `}`, nil, 2, "a"},
		{`{"value": ["a"], "next\u004cink": ` + link2 + `}`, nil, 2, "a"},
		{`{"value": ["a"], "nextlink": ` + link2 + `}`, nil, 1, "a"},                                         // names are case-sensitive
		{`{"value": ["a"], "x": {"nextLink": ` + link2 + `, "y": ["\"}", "\\"]}, "z": -1.5e3}`, nil, 1, "a"}, // only a link at the top level counts
		{`{"value": ["x"], "value": ["a"], ` + more + `}`, nil, 2, "a"},                                      // the last duplicate wins, as in encoding/json
		{`{"resources": ["a"], "next": {"href": ` + link2 + `}}`, opts("/resources", "/next/href"), 2, "a"},  // IBM Cloud
		{`{"resources": ["a"], "next": null}`, opts("/resources", "/next/href"), 1, "a"},                     // the last page
		{`{"resources": ["a"], "next": {}}`, opts("/resources", "/next/href"), 1, "a"},                       // a next member without an href also marks the last page
		{`{"d": {"results": ["a"], "__next": ` + link2 + `}}`, opts("/d/results", "/d/__next"), 2, "a"},      // OData v2
		{`{"a/b": ["a"], "links": [{"u": ` + link2 + `}]}`, opts("/a~1b", "/links/0/u"), 2, "a"},             // a pointer with an escaped name, and a pointer through an array
		{`{"values": ["a"]}`, nil, 0, `the page has no items at "/value", but has "values"`},                 // an error, not the end of the listing
		{`{"error": {"code": "Busy"}}`, nil, 0, `the page has no items at "/value", but has "error"`},        // an error, not the end of the listing
		{`{"d": {}}`, opts("/d/results", ""), 0, `the page has no items at "/d/results"`},                    // an error, not the end of the listing
		{`{"value": {"a": 1}}`, nil, 0, `the page's value at "/value" is not an array`},
		{`{"value": "YQ=="}`, nil, 0, `the page's value at "/value" is not an array`},
		{`{"value": [1]}`, nil, 0, `json: cannot unmarshal number`},
		{`{"value": ["a"], "nextLink": 7}`, nil, 0, `the page's value at "/nextLink" is not a link`},
		{`["a"]`, nil, 0, `the page is not a JSON object: json: cannot unmarshal array`},
		{`null`, nil, 0, `the page is not a JSON object`},
		{``, nil, 0, `the page has an empty body`},
		{`<html>`, nil, 0, `the page is not a JSON object: invalid character '<'`},
		{`{"value": ["a"]`, nil, 0, `the page is not a JSON object: unexpected end`}, // truncated
		{`{"value": ["a"`, nil, 0, `the page is not a JSON object: unexpected end`},
		{`{"value": ["a"]} x`, nil, 0, `the page is not a JSON object: invalid character 'x'`},
		{`{"value": ["a"], "x": tru}`, nil, 0, `the page is not a JSON object: invalid character`},
		{`{"value": ["a",], ` + more + `}`, nil, 0, `invalid character ']'`},
		{`{"value": [}, "value": ["a"]}`, nil, 0, `the page is not a JSON object: invalid character '}'`},
		{`{"value": ["a"]}`, opts("value", ""), -1, `lro: Items: JSON pointer "value" does not begin with`}, // with invalid options, the pager sends nothing
		{`{"value": ["a"]}`, opts("", "next"), -1, `lro: NextLink: JSON pointer "next" does not begin with`},
		{`{"value": ["a"]}`, &pager.Options{Origins: []string{"x"}}, -1, `lro: Origins: "x" is not an origin`},
		{`{"value": ["a"]}`, &pager.Options{Origins: []string{origin + "/p"}}, -1, `lro: Origins: "https://man`},
	}
	for _, tt := range tests {
		s := serve(map[string][]string{"/widgets?api-version=1": {"200 " + strings.ReplaceAll(tt.page, "\n", " ")}})
		s.replies["/2"] = []string{`200 {"value": ["z"], "resources": ["z"], "d": {"results": ["z"]}, "a/b": ["z"]}`}
		p := newPager[string](t, s, tt.opts)
		require.True(t, p.More(), tt.page)
		page, err := p.NextPage(t.Context())
		require.Len(t, s.requests(), min(1, tt.pages+1), tt.page)
		if tt.pages <= 0 {
			se := statusError(t, err)
			require.ErrorContains(t, se.Err, tt.want, tt.page)
			require.True(t, p.More(), "a failed page can be requested again: %s", tt.page)
			continue
		}
		require.NoError(t, err, tt.page)
		require.Equal(t, tt.want, strings.Join(page.Items, " "), tt.page)
		require.Equal(t, list, page.URL)
		require.Nil(t, page.Body)
		require.Equal(t, tt.pages > 1, p.More(), tt.page)
		if tt.pages > 1 {
			page, err = p.NextPage(t.Context())
			require.NoError(t, err, tt.page)
			require.Equal(t, []string{"z"}, page.Items, tt.page)
		}
		require.False(t, p.More(), tt.page)
		_, err = p.NextPage(t.Context())
		require.Equal(t, lroerrors.ErrNoMorePages, err)
		require.Len(t, s.requests(), tt.pages, tt.page)
	}
}

func TestStatusCodes(t *testing.T) {
	tests := []struct {
		reply, want string // if want is "", the pager accepts the reply
	}{
		{`200 {"value": [1]}`, ""},
		{`201 {"value": [1]}`, ""},
		{`204`, ""},
		{`202 {"value": [1]}`, "starts an operation"},
		{`302 {"value": [1]}`, "302 Found"},
		{`400 {"status": 400, "message": "Expected."}`, "400 Bad Request: Expected."},
		{`403 {"error": {"code": "AuthorizationFailed", "message": "No."}}`, "403 Forbidden: AuthorizationFailed: No."},
		{`503 <html><title>Out</title></html>`, "503 Service Unavailable: Out"},
		{"200 \nContent-Length: 7", "unexpected EOF"},
		{"drop", "EOF"},
	}
	for _, tt := range tests {
		s := serve(map[string][]string{"/widgets?api-version=1": {tt.reply}})
		_, err := newPager[int](t, s, nil).NextPage(t.Context())
		if tt.want == "" {
			require.NoError(t, err, tt.reply)
			continue
		}
		se := statusError(t, err)
		require.ErrorContains(t, se, tt.want, tt.reply)
		require.ErrorContains(t, se, "GET "+origin+"/widgets", tt.reply)
	}
}

func TestCount(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	for members, want := range map[string]*int64{
		``:                                       nil,
		`, "@odata.count": 7`:                    n(7),
		`, "odata.count": "7"`:                   n(7), // a string, as in OData JSON with IEEE754Compatible
		`, "count": 0`:                           n(0),
		`, "total_count": 12`:                    n(12),
		`, "total_count": 12, "@odata.count": 7`: n(7),
		`, "count": null`:                        nil,
		`, "count": {"x": 1}`:                    nil,
		`, "count": 1.5`:                         nil,
	} {
		s := serve(map[string][]string{"/widgets?api-version=1": {`200 {"value": [1]` + members + `}`}})
		page, err := newPager[int](t, s, nil).NextPage(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, page.Count, members)
	}
}

func TestMaxPageBytes(t *testing.T) {
	page := `{"value": ["` + strings.Repeat("x", 1000) + `"]}`
	s := serve(map[string][]string{"/widgets?api-version=1": {"200 " + page}})
	_, err := newPager[string](t, s, &pager.Options{MaxPageBytes: int64(len(page))}).NextPage(t.Context())
	require.NoError(t, err)
	p := newPager[string](t, s, &pager.Options{MaxPageBytes: int64(len(page)) - 1})
	_, err = p.NextPage(t.Context())
	require.ErrorContains(t, statusError(t, err), "larger than 1014 bytes, the limit of MaxPageBytes")
	require.True(t, p.More())
}

// A failed page can be requested again.
func TestFailedPage(t *testing.T) {
	for _, ahead := range []int{0, 1, 3} {
		bubble(t, func(t *testing.T) {
			s := numbers(3)
			s.replies["/widgets?page=1"] = append([]string{"503 down", "drop", "200 {"}, s.replies["/widgets?page=1"]...)
			p := newPager[int](t, s, &pager.Options{ReadAhead: ahead})
			var got []int
			failures := 0
			for p.More() {
				for item, err := range p.All(t.Context()) {
					if err != nil {
						failures++
						require.Equal(t, []int{0, 1}, got)
						require.Equal(t, origin+"/widgets", statusError(t, err).URL)
						continue
					}
					got = append(got, item)
				}
			}
			require.Equal(t, 3, failures)
			require.Equal(t, count(0, 6), got)
			require.Len(t, s.requests(), 6)
		})
	}
}

func TestContextEndsLoop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cause := errors.New("enough")
		s := numbers(3)
		h := slowly(s, time.Minute)
		p := newPager[int](t, h, nil)
		ctx, cancel := context.WithTimeoutCause(t.Context(), 90*time.Second, cause)
		defer cancel()
		got, err := items(ctx, p)
		require.Equal(t, []int{0, 1}, got)
		require.ErrorIs(t, statusError(t, err), context.DeadlineExceeded)
		require.ErrorIs(t, err, cause)
		_, err = p.NextPage(ctx)
		require.ErrorIs(t, statusError(t, err), cause)
		got, err = items(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, count(2, 6), got)
		require.Len(t, s.requests(), 3, "the canceled request never arrived")
	})
}

// If the context has ended, the pager does not call the Doer.
func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := pager.New[int](newRequest(t, http.MethodGet, list, ""), doer(func(*http.Request) (*http.Response, error) {
		require.Fail(t, "called")
		return nil, nil
	}), nil)
	_, err := p.NextPage(ctx)
	require.ErrorIs(t, statusError(t, err), context.Canceled)
	require.True(t, p.More())
}

type doer func(*http.Request) (*http.Response, error)

func (f doer) Do(req *http.Request) (*http.Response, error) { return f(req) }

// Each loop or call continues where the previous one ended.
func TestNextLoopContinues(t *testing.T) {
	for _, ahead := range []int{0, 1, 2, 9} {
		for seed := range 3 * 3 * 3 * 3 {
			bubble(t, func(t *testing.T) {
				s := numbers(4)
				p := newPager[int](t, slowly(s, time.Second), &pager.Options{ReadAhead: ahead})
				var got []int
				for step := seed; p.More(); step /= 3 {
					got = append(got, readSome(t, p, step%3)...)
				}
				require.Equal(t, count(0, 8), got, "seed %d, %d ahead", seed, ahead)
				require.LessOrEqual(t, len(s.requests()), 4+4, "each step cancels at most one request")
			})
		}
	}
}

// readSome reads one page with NextPage, one page in a loop over Pages, or up to three items in a
// loop over All.
func readSome(t *testing.T, p *pager.Pager[int], how int) (got []int) {
	t.Helper()
	switch how {
	case 0:
		page, err := p.NextPage(t.Context())
		require.NoError(t, err)
		require.NotEmpty(t, page.Items)
		return page.Items
	case 1:
		for page, err := range p.Pages(t.Context()) {
			require.NoError(t, err)
			require.NotEmpty(t, page.Items)
			return page.Items
		}
	default:
		for item, err := range p.All(t.Context()) {
			require.NoError(t, err)
			if got = append(got, item); len(got) == 3 {
				break
			}
		}
	}
	return got
}

// A pager's methods also work within a loop over that pager.
func TestNestedLoops(t *testing.T) {
	for _, ahead := range []int{0, 1, 4} {
		bubble(t, func(t *testing.T) {
			p := newPager[int](t, slowly(numbers(6), time.Second), &pager.Options{ReadAhead: ahead})
			var got []int
			for page, err := range p.Pages(t.Context()) {
				require.NoError(t, err)
				got = append(got, page.Items...)
				place, err := p.Place()
				if len(got) < 12 {
					require.NoError(t, err)
					require.Equal(t, fmt.Sprintf("%s/widgets?page=%d", origin, len(got)/2), place)
					got = append(got, readSome(t, p, 0)...)
				}
				if p.More() {
					got = append(got, readSome(t, p, 2)[:3]...)
					got = append(got, readSome(t, p, 0)...)
				}
			}
			require.Equal(t, count(0, 12), got)
		})
	}
}

func TestRestOfPage(t *testing.T) {
	s := serve(map[string][]string{"/widgets?api-version=1": {`200 {"value": [1, 2, 3], "count": 9, "nextLink": "/2"}`}})
	p := newPager[int](t, s, nil)
	for _, err := range p.All(t.Context()) {
		require.NoError(t, err)
		break
	}
	require.Contains(t, fmt.Sprint(p), "2 items left")
	page, err := p.NextPage(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{2, 3}, page.Items)
	require.Equal(t, "/2", page.NextLink)
	require.Equal(t, int64(9), *page.Count)
	require.Len(t, s.requests(), 1)
}

// Later requests repeat the first request's client request id and language, but not its credential.
func TestHeaders(t *testing.T) {
	s := numbers(2)
	req := newRequest(t, "GET", list, "")
	req.Header = http.Header{"Authorization": {"Bearer one"}, "X-Ms-Client-Request-Id": {"c1"}, "Accept-Language": {"de"}}
	opts := &pager.Options{Header: http.Header{"authorization": {"Bearer all"}, "X-Mine": {"m"}}}
	p := pager.New[int](req, fakes.Client(s), opts)
	opts.Header.Set("X-Mine", "changed")
	req.Header.Set("Accept-Language", "fr")
	_, err := items(t.Context(), p)
	require.NoError(t, err)
	first, second := s.asked[0].header, s.asked[1].header
	require.Equal(t, "Bearer one", first.Get("Authorization"))
	require.Equal(t, []string{"Bearer all"}, second["Authorization"])
	for _, h := range []http.Header{first, second} {
		require.Equal(t, "m", h.Get("X-Mine"))
		require.Equal(t, "c1", h.Get("X-Ms-Client-Request-Id"))
		require.Equal(t, "de", h.Get("Accept-Language"))
	}
	require.Equal(t, "application/json", second.Get("Accept"))
}

// Returned items and errors do not change when the pager reads the next page.
func TestReturnedItemsDoNotChange(t *testing.T) {
	type item struct {
		Name string
		Rest json.RawMessage
	}
	s := serve(map[string][]string{
		"/widgets?api-version=1": {`200 {"value": [{"name": "a", "rest": {"x": "one"}}], "nextLink": "/2"}`},
		"/2":                     {`400 {"error": {"code": "Busy", "additionalInfo": [{"type": "t", "info": {"y": "two"}}]}}`, `200 {"value": [{"name": "b", "rest": {"x": "two"}}], "nextLink": "/3"}`},
		"/3":                     {`200 {"value": [{"name": "c", "rest": {"x": "3"}}], "padding": "` + strings.Repeat("#", 300) + `"}`},
	})
	p := newPager[item](t, s, nil)
	got, err := items(t.Context(), p)
	refused := statusError(t, err)
	rest, err := items(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []item{
		{"a", json.RawMessage(`{"x": "one"}`)}, {"b", json.RawMessage(`{"x": "two"}`)}, {"c", json.RawMessage(`{"x": "3"}`)},
	}, append(got, rest...))
	require.JSONEq(t, `{"y": "two"}`, string(refused.Detail.AdditionalInfo[0].Info))
}
