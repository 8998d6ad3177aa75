package fakes_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// pagesOf returns the names of the items on each page of a listing.
func pagesOf(t tester, link string) (pages [][]string) {
	t.Helper()
	for link != "" {
		r := t.get(link)
		require.Equal(t, 200, r.code)
		var list struct {
			Value    []struct{ Name string }
			NextLink string
		}
		require.NoError(t, json.Unmarshal([]byte(r.body), &list))
		require.NotNil(t, list.Value, r.body)
		names := []string{}
		for _, v := range list.Value {
			names = append(names, v.Name)
		}
		pages = append(pages, names)
		link = list.NextLink
	}
	return pages
}

func TestList(t *testing.T) {
	tests := []struct {
		size int
		want string
	}{
		{0, "[[a b c d]]"}, {1, "[[a] [b] [c] [d]]"}, {2, "[[a b] [c d]]"}, {3, "[[a b c] [d]]"}, {4, "[[a b c d]]"}, {9, "[[a b c d]]"},
	}
	for _, tt := range tests {
		svc := &fakes.Service{PageSize: tt.size}
		for _, name := range []string{"c", "a", "d", "b"} {
			svc.Put("/Widgets/"+name, struct{}{})
		}
		svc.Put("/widgets/a/parts/p", struct{}{})
		svc.Put("/others/o", struct{}{})
		require.Equal(t, tt.want, fmt.Sprint(pagesOf(newTester(t, svc), "/widgets")), "pages of %d", tt.size)
	}
}

func TestPages(t *testing.T) {
	type item struct{ Name string }
	svc := &fakes.Service{}
	svc.Put("/widgets/w1", struct{}{})
	svc.Pages("/widgets", []item{{"a"}, {"b"}}, nil, []item{}, []item{{"c"}})
	svc.Pages("/any/path", []item{{"x"}})
	svc.Pages("/empty")
	c := newTester(t, svc)
	require.Equal(t, "[[a b] [] [] [c]]", fmt.Sprint(pagesOf(c, "/widgets")))
	require.Equal(t, "[[x]]", fmt.Sprint(pagesOf(c, "/ANY/path")))
	require.Equal(t, "[[]]", fmt.Sprint(pagesOf(c, "/empty")))
	require.Equal(t, "[[]]", fmt.Sprint(pagesOf(c, "/unheard")))
	require.Panics(t, func() { svc.Pages("/x", "no array") })
}

func TestNextLink(t *testing.T) {
	svc := &fakes.Service{}
	svc.Pages("/widgets", nil, nil, nil)
	c := newTester(t, svc)
	tests := []struct {
		query string
		code  int
		want  string
	}{
		{"", 200, "?$skiptoken=1"},
		{"?api-version=1&x=%2F", 200, "?api-version=1&x=%2F&$skiptoken=1"},
		{"?api-version=1&%24skiptoken=1&x", 200, "?api-version=1&x&$skiptoken=2"},
		{"?$skiptoken=2", 200, ""},
		{"?$skiptoken=7", 200, ""},
		{"?$skiptoken=-1", 400, ""},
		{"?$skiptoken=x", 400, ""},
	}
	for _, tt := range tests {
		r := c.get(host + "/widgets" + tt.query)
		require.Equal(t, tt.code, r.code)
		var list struct{ NextLink string }
		require.NoError(t, json.Unmarshal([]byte(r.body), &list))
		want := tt.want
		if want != "" {
			want = host + "/widgets" + want
		}
		require.Equal(t, want, list.NextLink, "after %q", tt.query)
	}
}
