package main

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// three are widgets on pages of two.
func three(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, &fakes.Service{})
	r.Pages("/widgets", []string{"a", "b"}, nil, []string{"c"})
	return r
}

func TestGetListing(t *testing.T) {
	r := three(t)
	got := r.run(t.Context(), "get", "/widgets?v=1", "--header", "X-Team: blue")
	require.Equal(t, ended{exitOK, "{\"item\":\"a\"}\n{\"item\":\"b\"}\n{\"item\":\"c\"}\n{\"result\":{\"items\":3}}\n", ""}, got)
	for _, req := range r.Requests() {
		require.Equal(t, "blue", req.Header.Get("X-Team"))
	}
	got = r.run(t.Context(), "get", "/widgets", "-o=text")
	require.Equal(t, ended{exitOK, "[\n  \"a\",\n  \"b\",\n  \"c\"\n]\n", ""}, got)

	r.Pages("/none", []string{})
	got = r.run(t.Context(), "get", "/none", "-o=text")
	require.Equal(t, ended{exitOK, "[]\n", ""}, got)
}

// A listing of which a page is missing is not to be taken for the whole.
func TestGetListingBroken(t *testing.T) {
	r := three(t)
	r.Fault(fakes.Fault{Kind: fakes.List, Nth: 3, Times: -1, Do: fakes.Status(403)})
	got := r.run(t.Context(), "get", "/widgets", "-o=text")
	require.Equal(t, exitRefused, got.code, got)
	require.Equal(t, "[\n  \"a\",\n  \"b\"", got.out)
}

func TestGetListingInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	r := three(t)
	r.Fault(fakes.Fault{Kind: fakes.List, Nth: 2, Do: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			interrupt()
			<-req.Context().Done()
		})
	}})
	got := r.run(ctx, "get", "/widgets")
	require.Equal(t, exitStopped, got.code, got)
	require.Contains(t, got.out, `{"item":"b"}`)
	require.Empty(t, got.failure(t).TokenFile, "it is no operation")
}

func TestGetListingElsewhere(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Pages("/widgets", []string{"a"}, []string{"b"})
	r.Listing(fakes.Listing{Items: "/widgets", Link: "/next/href", Relative: true})
	got := r.run(t.Context(), "get", "/widgets", "--items=/widgets", "--next-link=/next/href")
	require.Equal(t, ended{exitOK, "{\"item\":\"a\"}\n{\"item\":\"b\"}\n{\"result\":{\"items\":2}}\n", ""}, got)

	r.Listing(fakes.Listing{Foreign: "https://other.test"})
	got = r.run(t.Context(), "get", "/widgets")
	require.Equal(t, exitRefused, got.code, got)
	require.Contains(t, got.failure(t).Text, "foreign origin")
}

func TestGetResource(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Put("/widgets/w1", struct{}{})
	got := r.run(t.Context(), "get", "/widgets/w1")
	require.Equal(t, exitOK, got.code, got)
	require.Contains(t, got.out, `{"result":{"id":"/widgets/w1"`)
	require.Empty(t, got.err, "it is no operation")
	got = r.run(t.Context(), "get", "/widgets/w2")
	require.Equal(t, exitRefused, got.code, got)
	require.Equal(t, http.StatusNotFound, got.failure(t).StatusCode)
}

// A GET may begin an operation whose result is a listing, with links that are
// relative to where it was read from.
func TestGetOperation(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	asked := 0
	r.Fault(fakes.Fault{Path: "/report", Do: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			asked++
			switch {
			case asked < 3:
				w.Header().Set("Location", "/report/result")
				w.WriteHeader(http.StatusAccepted)
			case req.URL.Path == "/report/result":
				_, _ = fmt.Fprint(w, `{"value":["a"],"nextLink":"next"}`)
			case req.URL.Path == "/report/next":
				_, _ = fmt.Fprint(w, `{"value":["b"]}`)
			default:
				http.NotFound(w, req)
			}
		})
	}})
	got := r.run(t.Context(), "get", "/report")
	require.Equal(t, exitOK, got.code, got)
	require.Equal(t, "{\"item\":\"a\"}\n{\"item\":\"b\"}\n{\"result\":{\"items\":2}}\n", got.out)
}
