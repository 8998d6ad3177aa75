package fakes_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

func TestListing(t *testing.T) {
	tests := []struct {
		listing     fakes.Listing
		first, last string // the complete bodies of the first and last pages
	}{
		{fakes.Listing{}, `{"value": ["a"], "nextLink": "` + host + `/widgets?v=1&$skiptoken=1"}`, `{"value": ["b"]}`},
		{
			fakes.Listing{Items: "/widgets", Link: "/next/href", Count: "/total_count", Param: "start"},
			`{"widgets": ["a"], "total_count": 2, "next": {"href": "` + host + `/widgets?v=1&start=1"}}`,
			`{"widgets": ["b"], "total_count": 2}`,
		},
		{
			fakes.Listing{Items: "/widgets", Link: "/next/start", Param: "start", Token: true},
			`{"widgets": ["a"], "next": {"start": "1"}}`, `{"widgets": ["b"]}`,
		},
		{
			fakes.Listing{Link: "/@odata.nextLink", Count: "/@odata.count", Relative: true},
			`{"value": ["a"], "@odata.count": 2, "@odata.nextLink": "/widgets?v=1&$skiptoken=1"}`, `{"value": ["b"], "@odata.count": 2}`,
		},
		{
			fakes.Listing{Items: "/d/results", Link: "/d/a~1b", Count: "/d/x~0", Token: true, End: json.RawMessage("null")},
			`{"d": {"results": ["a"], "a/b": "1", "x~": 2}}`, `{"d": {"results": ["b"], "a/b": null, "x~": 2}}`,
		},
		{
			fakes.Listing{End: json.RawMessage(`""`)},
			`{"value": ["a"], "nextLink": "` + host + `/widgets?v=1&$skiptoken=1"}`, `{"value": ["b"], "nextLink": ""}`,
		},
		{
			fakes.Listing{Foreign: "https://evil.test"},
			`{"value": ["a"], "nextLink": "https://evil.test/widgets?v=1&$skiptoken=1"}`, `{"value": ["b"]}`,
		},
		{
			fakes.Listing{Repeat: 1},
			`{"value": ["a"], "nextLink": "` + host + `/widgets?v=1&$skiptoken=0"}`, `{"value": ["b"]}`,
		},
		{
			fakes.Listing{Repeat: 2},
			`{"value": ["a"], "nextLink": "` + host + `/widgets?v=1&$skiptoken=1"}`,
			`{"value": ["b"], "nextLink": "` + host + `/widgets?v=1&$skiptoken=1"}`,
		},
	}
	for _, tt := range tests {
		svc := &fakes.Service{}
		svc.Pages("/widgets", []string{"a"}, []string{"b"})
		svc.Listing(fakes.Listing{Items: "/no"})
		svc.Listing(tt.listing) // overrides the previous Listing
		svc.Listing(fakes.Listing{Path: "/others", Items: "/no"})
		c := newTester(t, svc)
		require.JSONEq(t, tt.first, c.get(host+"/widgets?v=1").body)
		param := "$skiptoken"
		if tt.listing.Param != "" {
			param = tt.listing.Param
		}
		require.JSONEq(t, tt.last, c.get(host+"/widgets?v=1&"+param+"=1").body)
		require.Equal(t, http.StatusBadRequest, c.get(host+"/widgets?"+param+"=x").code)
		require.JSONEq(t, `{"no": []}`, c.get(host+"/others").body)
	}
	svc := &fakes.Service{}
	require.Panics(t, func() { svc.Listing(fakes.Listing{Items: "value"}) })
}

// A Listing also applies to a collection of resources, and every page contains their total number.
func TestResourceListing(t *testing.T) {
	svc := &fakes.Service{PageSize: 2}
	for _, name := range []string{"a", "b", "c"} {
		svc.Put("/widgets/"+name, struct{}{})
	}
	svc.Listing(fakes.Listing{Path: "/widgets", Count: "/count"})
	var list struct {
		Count    int
		Value    []struct{ Name string }
		NextLink string
	}
	require.NoError(t, json.Unmarshal([]byte(newTester(t, svc).get(host+"/widgets").body), &list))
	require.Equal(t, 3, list.Count)
	require.Len(t, list.Value, 2)
	require.Equal(t, host+"/widgets?$skiptoken=2", list.NextLink)
}

// The token of the next page can be in a header or in the body of a POST.
func TestListingTokens(t *testing.T) {
	svc := &fakes.Service{}
	svc.Pages("/widgets", []string{"a"}, nil, []string{"b"})
	svc.Pages("/search", []string{"a"}, []string{"b"})
	svc.Listing(fakes.Listing{Path: "/widgets", Header: "X-Ms-Continuation"})
	svc.Listing(fakes.Listing{Path: "/search", Method: http.MethodPost, Link: "/token", Token: true, Member: "token"})
	client := fakes.Client(svc)

	var got []string
	for token := ""; ; {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, host+"/widgets", http.NoBody)
		require.NoError(t, err)
		if token != "" {
			req.Header.Set("X-Ms-Continuation", token)
		}
		resp, err := client.Do(req)
		require.NoError(t, err)
		var list struct{ Value []string }
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&list))
		require.NoError(t, resp.Body.Close())
		got = append(got, fmt.Sprint(list.Value))
		if token = resp.Header.Get("X-Ms-Continuation"); token == "" {
			break
		}
	}
	require.Equal(t, []string{"[a]", "[]", "[b]"}, got)

	require.JSONEq(t, `{"value": ["a"], "token": "1"}`, send(client, "POST", host+"/search", `{"name": "*"}`).Body)
	require.JSONEq(t, `{"value": ["b"]}`, send(client, "POST", host+"/search", `{"name": "*", "token": "1"}`).Body)
	require.Equal(t, fakes.List, svc.Requests()[len(svc.Requests())-1].Kind)
}
