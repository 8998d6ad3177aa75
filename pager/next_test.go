package pager_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
)

// getOf returns a GET of the page's URL with the given query in place of the URL's own.
func getOf(page pager.Page[json.RawMessage], query string) (*http.Request, error) {
	u, err := url.Parse(page.URL)
	if err != nil {
		return nil, err
	}
	u.RawQuery = query
	return http.NewRequestWithContext(context.Background(), http.MethodGet, u.String(), http.NoBody)
}

// startToken is an Options.Next for IBM Cloud services. It puts the token from next.start into the
// query of the next request.
func startToken(page pager.Page[json.RawMessage]) (*http.Request, error) {
	if page.NextLink == "" {
		return nil, nil
	}
	return getOf(page, "start="+url.QueryEscape(page.NextLink))
}

func TestNextStart(t *testing.T) {
	s := serve(map[string][]string{
		"/widgets?api-version=1": {`200 {"resources": [1], "next": {"start": "a b"}, "total_count": 2}`},
		"/widgets?start=a+b":     {`200 {"resources": [2]}`},
	})
	p := newPager[int](t, s, &pager.Options{Items: "/resources", NextLink: "/next/start", Next: startToken})
	page, err := p.NextPage(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{1}, page.Items)
	require.Equal(t, "a b", page.NextLink)
	place, err := p.Place()
	require.NoError(t, err, "the request is a plain GET, so it has a place")
	require.Equal(t, origin+"/widgets?start=a+b", place)
	got, err := items(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []int{2}, got)
	require.False(t, p.More())
}

// Next can set a continuation header.
func TestNextHeader(t *testing.T) {
	pages := []string{"200 {\"value\": [1]}\nX-Ms-Continuation: one", "200 {\"value\": [2]}\nX-Ms-Continuation: two", `200 {"value": [3]}`}
	s := serve(map[string][]string{"/widgets?api-version=1": pages})
	p := newPager[int](t, s, &pager.Options{Next: func(page pager.Page[json.RawMessage]) (*http.Request, error) {
		token := page.Header.Get("X-Ms-Continuation")
		if token == "" {
			return nil, nil
		}
		req, err := getOf(page, "api-version=1")
		if err == nil {
			req.Header.Set("X-Ms-Continuation", token)
		}
		return req, err
	}})
	page, err := p.NextPage(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{1}, page.Items)
	_, err = p.Place()
	require.ErrorContains(t, err, "store the input of Options.Next instead", "a GET of the URL would start from the beginning")
	got, err := items(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []int{2, 3}, got)
	require.Equal(t, "two", s.asked[2].header.Get("X-Ms-Continuation"))
}

// Next can return a POST with a token in its body, even if the body can be read only once.
func TestNextPost(t *testing.T) {
	for _, once := range []bool{false, true} {
		s := serve(map[string][]string{"/search": {
			`200 {"value": ["a"], "token": "one"}`, "503 down", `200 {"value": ["b"], "token": "two"}`, `200 {"value": ["c"]}`,
		}})
		post := func(body string) *http.Request {
			req := newRequest(t, http.MethodPost, origin+"/search", body)
			if once {
				req.Body, req.GetBody = io.NopCloser(strings.NewReader(body)), nil
			}
			return req
		}
		var kept []json.RawMessage
		next := func(page pager.Page[json.RawMessage]) (*http.Request, error) {
			kept = append(kept, page.Body)
			var doc struct{ Token string }
			if err := json.Unmarshal(page.Body, &doc); err != nil || doc.Token == "" {
				return nil, err
			}
			return post(`{"token":"` + doc.Token + `"}`), nil
		}
		p := pager.New[string](post(`{}`), fakes.Client(s), &pager.Options{Next: next})
		got, err := items(t.Context(), p)
		require.ErrorContains(t, err, "POST "+origin+"/search: 503")
		require.Equal(t, []string{"a"}, got)
		got, err = items(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, []string{"b", "c"}, got)
		require.JSONEq(t, `{"value": ["a"], "token": "one"}`, string(kept[0]), "the caller may keep the body")
		var bodies []string
		for _, r := range s.asked {
			bodies = append(bodies, r.what+" "+r.body)
		}
		require.Equal(t, []string{
			"POST /search {}", `POST /search {"token":"one"}`, `POST /search {"token":"one"}`, `POST /search {"token":"two"}`,
		}, bodies)
	}
}

// Next can put the ID of the last item into the next request, as some services require.
func TestNextByItems(t *testing.T) {
	s := serve(map[string][]string{
		"/widgets?api-version=1": {`200 {"value": [{"id": "a"}, {"id": "b"}]}`},
		"/widgets?after=b":       {`200 {"value": []}`},
	})
	p := newPager[struct{ ID string }](t, s, &pager.Options{ReadAhead: 2, Next: func(page pager.Page[json.RawMessage]) (*http.Request, error) {
		if len(page.Items) == 0 {
			return nil, nil
		}
		var last struct{ ID string }
		if err := json.Unmarshal(page.Items[len(page.Items)-1], &last); err != nil {
			return nil, err
		}
		return getOf(page, "after="+last.ID)
	}})
	got, err := items(t.Context(), p)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Len(t, s.requests(), 2)
}

func TestNextFails(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		next func(calls int, page pager.Page[json.RawMessage]) (*http.Request, error)
		want error // the error for the second page, or nil
		then error // the error from the next call
	}{
		{next: func(int, pager.Page[json.RawMessage]) (*http.Request, error) { return nil, broken }, want: broken, then: broken},
		{next: func(calls int, page pager.Page[json.RawMessage]) (*http.Request, error) {
			if calls == 1 {
				return nil, broken
			}
			return getOf(page, "page=2")
		}, want: nil, then: lroerrors.ErrNoMorePages},
		{next: func(calls int, _ pager.Page[json.RawMessage]) (*http.Request, error) {
			if calls == 1 {
				return nil, broken
			}
			return nil, nil
		}, want: lroerrors.ErrNoMorePages, then: lroerrors.ErrNoMorePages},
		{next: func(int, pager.Page[json.RawMessage]) (*http.Request, error) {
			return http.NewRequestWithContext(context.Background(), "GET", "https://evil.test/?sig=SECRET", http.NoBody)
		}, want: lroerrors.ErrForeignOrigin, then: lroerrors.ErrForeignOrigin},
		{next: func(int, pager.Page[json.RawMessage]) (*http.Request, error) { return &http.Request{}, nil }, want: lroerrors.ErrForeignOrigin, then: lroerrors.ErrForeignOrigin},
		{next: func(_ int, page pager.Page[json.RawMessage]) (*http.Request, error) {
			req, err := getOf(page, "page=2")
			req.GetBody = func() (io.ReadCloser, error) { return nil, broken }
			return req, err
		}, want: broken, then: broken},
	}
	for i, tt := range tests {
		s := serve(map[string][]string{"/widgets?api-version=1": {`200 {"value": [1]}`}, "/widgets?page=2": {`200 {"value": [2]}`}})
		calls := 0
		p := newPager[int](t, s, &pager.Options{Next: func(page pager.Page[json.RawMessage]) (*http.Request, error) {
			if string(page.Body) == `{"value": [2]}` {
				return nil, nil
			}
			calls++
			return tt.next(calls, page)
		}})
		page, err := p.NextPage(t.Context())
		require.NoError(t, err, "an error of Next must not affect the page just read: %d", i)
		require.Equal(t, []int{1}, page.Items)
		require.True(t, p.More())
		_, err = p.NextPage(t.Context())
		require.ErrorIs(t, err, tt.want, "%d", i)
		_, err = p.NextPage(t.Context())
		require.ErrorIs(t, err, tt.then, "%d", i)
	}
	// If Next fails and then returns nil when called again, the loop ends without an error.
	for _, ahead := range []int{0, 2} {
		s := serve(map[string][]string{"/widgets?api-version=1": {`200 {"value": [1]}`}})
		calls := 0
		next := func(page pager.Page[json.RawMessage]) (*http.Request, error) {
			calls++
			return tests[2].next(calls, page)
		}
		got, err := items(t.Context(), newPager[int](t, s, &pager.Options{ReadAhead: ahead, Next: next}))
		require.NoError(t, err)
		require.Equal(t, []int{1}, got)
		calls = 0
		p := newPager[int](t, s, &pager.Options{ReadAhead: ahead, Next: next})
		for _, err := range p.Pages(t.Context()) {
			require.NoError(t, err)
		}
		require.False(t, p.More())
	}
}

// Next can return requests for the same URL if their headers or bodies differ. If it repeats a
// request, the pager reports an error.
func TestNextRejectsRepeatedRequest(t *testing.T) {
	s := serve(map[string][]string{"/widgets?api-version=1": {`200 {"value": [1]}`}})
	p := newPager[int](t, s, &pager.Options{Next: func(page pager.Page[json.RawMessage]) (*http.Request, error) {
		req, err := getOf(page, "api-version=1")
		req.Header.Set("X-Page", "2")
		return req, err
	}})
	_, err := items(t.Context(), p)
	require.ErrorIs(t, statusError(t, err), lroerrors.ErrRepeatedLink)
	require.Len(t, s.requests(), 2)
}

func TestPlace(t *testing.T) {
	for _, ahead := range []int{0, 2} {
		bubble(t, func(t *testing.T) {
			s := numbers(3)
			p := newPager[int](t, s, &pager.Options{ReadAhead: ahead})
			for read, want := range []string{
				"", "", origin + "/widgets?page=1", origin + "/widgets?page=1", origin + "/widgets?page=2", origin + "/widgets?page=2", "end",
			} {
				place, err := p.Place()
				if want == "end" {
					require.ErrorIs(t, err, lroerrors.ErrNoMorePages)
					break
				}
				require.NoError(t, err)
				require.Equal(t, want, place, "after %d items", read)

				// A new pager starts at the beginning of the page that contains the next item.
				next := newPager[int](t, s, &pager.Options{From: place})
				rest, err := items(t.Context(), next)
				require.NoError(t, err)
				require.Equal(t, count(read/2*2, 6), rest)

				for item, err := range p.All(t.Context()) {
					require.NoError(t, err)
					require.Equal(t, read, item)
					break
				}
			}
		})
	}
}

func TestFrom(t *testing.T) {
	s := numbers(3)
	from := func(place string, first *http.Request, origins ...string) ([]int, error) {
		return items(t.Context(), pager.New[int](first, fakes.Client(s), &pager.Options{From: place, Origins: origins}))
	}
	first := newRequest(t, http.MethodPost, list, "{}")
	got, err := from(origin+"/widgets?page=1", first)
	require.NoError(t, err)
	require.Equal(t, count(2, 6), got)
	got, err = from("?page=2", first)
	require.NoError(t, err)
	require.Equal(t, count(4, 6), got)
	got, err = from(origin+"/widgets?page=2", nil, origin)
	require.NoError(t, err)
	require.Equal(t, count(4, 6), got)
	require.Equal(t, "GET /widgets?page=1", s.requests()[0])
	sent := len(s.requests())
	for _, place := range []string{"https://evil.test/widgets?page=1", "http://management.example.test/", "https://u:SECRET@management.example.test/"} {
		_, err = from(place, first)
		require.ErrorIs(t, statusError(t, err), lroerrors.ErrForeignOrigin)
	}
	for _, place := range []string{origin + "/widgets?page=1", "/widgets?page=1"} {
		_, err = from(place, nil)
		require.ErrorIs(t, statusError(t, err), lroerrors.ErrForeignOrigin, "a place must not allow its own origin")
	}
	require.Len(t, s.requests(), sent)
}

// Place returns a link even if its origin is not allowed, because another pager may allow it.
func TestPlaceBeforeForeignLink(t *testing.T) {
	s := serve(map[string][]string{
		"/widgets?api-version=1": {`200 {"value": [1], "nextLink": "https://b.test/2?x=%2f"}`},
		"/2?x=%2f":               {`200 {"value": [2]}`},
	})
	p := newPager[int](t, s, nil)
	_, err := items(t.Context(), p)
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
	place, err := p.Place()
	require.NoError(t, err)
	require.Equal(t, "https://b.test/2?x=%2f", place)
	got, err := items(t.Context(), newPager[int](t, s, &pager.Options{From: place, Origins: []string{"https://b.test"}}))
	require.NoError(t, err)
	require.Equal(t, []int{2}, got)
}

// Continue reads a listing whose first page is the result of an operation.
func TestContinue(t *testing.T) {
	for _, ahead := range []int{0, 1} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]string{
				"/widgets/search":   {"202 \nAzure-AsyncOperation: /operations/1\nLocation: /results/1"},
				"/operations/1":     {`200 {"status": "Running"}`, `200 {"status": "Succeeded"}`},
				"/results/1":        {`200 {"value": [1, 2], "nextLink": "/results/1?page=2"}`},
				"/results/1?page=2": {`200 {"value": [3]}`},
			})
			req := newRequest(t, http.MethodPost, origin+"/widgets/search", `{}`)
			op, err := poller.Begin[json.RawMessage](req, fakes.Client(s), nil)
			require.NoError(t, err)
			page, err := op.PollUntilDone(t.Context())
			require.NoError(t, err)
			p := pager.Continue[int](req, page, fakes.Client(s), &pager.Options{ReadAhead: ahead})
			clear(page) // the caller may reuse the page's memory
			_, err = p.Place()
			require.ErrorContains(t, err, "was passed to pager.Continue")
			require.True(t, p.More())
			require.Contains(t, p.String(), "pager before https://management.example.test/widgets/search")
			var got []int
			for item, err := range p.All(t.Context()) {
				require.NoError(t, err)
				got = append(got, item)
				if place, err := p.Place(); item == 2 {
					require.NoError(t, err)
					require.Equal(t, origin+"/results/1?page=2", place)
				}
			}
			require.Equal(t, []int{1, 2, 3}, got)
			require.Equal(t, []string{
				"POST /widgets/search", "GET /operations/1", "GET /operations/1", "GET /results/1", "GET /results/1?page=2",
			}, s.requests())
		})
	}
	bubble(t, func(t *testing.T) { // the link is relative to the result's URL
		s := serve(map[string][]string{
			"/widgets/search":   {"202 \nAzure-AsyncOperation: /operations/1\nLocation: /results/1"},
			"/operations/1":     {`200 {"status": "Succeeded"}`},
			"/results/1":        {`200 {"value": [1], "nextLink": "?page=2"}`},
			"/results/1?page=2": {`200 {"value": [2]}`},
		})
		op, err := poller.Begin[json.RawMessage](newRequest(t, http.MethodPost, origin+"/widgets/search", `{}`), fakes.Client(s), nil)
		require.NoError(t, err)
		page, err := op.PollUntilDone(t.Context())
		require.NoError(t, err)
		got, err := items(t.Context(), pager.Continue[int](newRequest(t, http.MethodGet, op.ResultURL(), ""), page, fakes.Client(s), nil))
		require.NoError(t, err)
		require.Equal(t, []int{1, 2}, got)
	})
	req := newRequest(t, http.MethodPost, list, `{}`)
	for page, want := range map[string]string{"": "the page has an empty body", "{": "not a JSON object", `{"id": "w1"}`: `has "id"`} {
		_, err := pager.Continue[int](req, json.RawMessage(page), nil, nil).NextPage(t.Context())
		require.ErrorContains(t, statusError(t, err), want)
	}
	_, err := pager.Continue[int](req, nil, nil, nil).NextPage(t.Context())
	require.ErrorContains(t, err, "the page has an empty body")
	_, err = pager.Continue[int](nil, json.RawMessage(`{"value": []}`), nil, nil).NextPage(t.Context())
	require.ErrorContains(t, err, "the first request is nil")
}
