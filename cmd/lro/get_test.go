package main

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/fakes"
)

// threePages returns a rig whose service lists three items on three pages.
func threePages(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, &fakes.Service{})
	r.Pages("/widgets", []string{"a", "b"}, nil, []string{"c"})
	return r
}

func TestGetListing(t *testing.T) {
	r := threePages(t)
	got := r.run("get", "/widgets?v=1", "--header", "X-Team: blue")
	require.Equal(t, ended{output.ExitOK, "{\"item\":\"a\"}\n{\"item\":\"b\"}\n{\"item\":\"c\"}\n{\"result\":{\"items\":3}}\n", ""}, got)
	for _, req := range r.Requests() {
		require.Equal(t, "blue", req.Header.Get("X-Team"))
	}
	got = r.run("get", "/widgets", "-o=text")
	require.Equal(t, ended{output.ExitOK, "[\n  \"a\",\n  \"b\",\n  \"c\"\n]\n", ""}, got)

	r.Pages("/none", []string{})
	got = r.run("get", "/none", "-o=text")
	require.Equal(t, ended{output.ExitOK, "[]\n", ""}, got)
}

// If lro cannot read a page, it prints no closing bracket, so that an incomplete listing does not
// look complete.
func TestGetListingBroken(t *testing.T) {
	r := threePages(t)
	r.Fault(fakes.Fault{Kind: fakes.List, Nth: 3, Times: -1, Do: fakes.Status(403)})
	got := r.run("get", "/widgets", "-o=text")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.Equal(t, "[\n  \"a\",\n  \"b\"", got.out)
}

func TestGetListingInterrupted(t *testing.T) {
	r := threePages(t)
	r.Fault(fakes.Fault{Kind: fakes.List, Nth: 2, Do: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			r.interrupt(errors.New("SIGINT"))
			<-req.Context().Done()
		})
	}})
	got := r.run("get", "/widgets")
	require.Equal(t, output.ExitStopped, got.code, got)
	require.Contains(t, got.out, `{"item":"b"}`)
	require.Empty(t, got.failure(t).TokenFile, "a listing needs no token, because it is not an operation")
}

func TestGetListingElsewhere(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Pages("/widgets", []string{"a"}, []string{"b"})
	r.Listing(fakes.Listing{Items: "/widgets", Link: "/next/href", Relative: true})
	got := r.run("get", "/widgets", "--items=/widgets", "--next-link=/next/href")
	require.Equal(t, ended{output.ExitOK, "{\"item\":\"a\"}\n{\"item\":\"b\"}\n{\"result\":{\"items\":2}}\n", ""}, got)

	r.Listing(fakes.Listing{Foreign: "https://other.test"})
	got = r.run("get", "/widgets")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.Equal(t, "if you trust this origin, add --origin https://other.test", got.failure(t).Advice)
}

func TestGetResource(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Put("/widgets/w1", struct{}{})
	got := r.run("get", "/widgets/w1")
	require.Equal(t, output.ExitOK, got.code, got)
	require.Contains(t, got.out, `{"result":{"id":"/widgets/w1"`)
	require.Empty(t, got.err, "there is no status to show, because a resource is not an operation")
	got = r.run("get", "/widgets/w2")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.Equal(t, http.StatusNotFound, got.failure(t).StatusCode)
}

// A listing's next links are relative to the URL of the operation's result, not to the URL of the
// GET that started the operation.
func TestGetOperation(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	reads := 0
	r.Fault(fakes.Fault{Path: "/report", Do: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			reads++
			switch {
			case reads < 3:
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
	got := r.run("get", "/report")
	require.Equal(t, output.ExitOK, got.code, got)
	require.Equal(t, "{\"item\":\"a\"}\n{\"item\":\"b\"}\n{\"result\":{\"items\":2}}\n", got.out)
}
